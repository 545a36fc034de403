"""How a native file says which scorers judge a case."""

from __future__ import annotations

import pytest

from steelyard.api import ScorerUse


def _uses(read, text):
    (case,) = read(text).sound.cases
    return case.scorers


def _case(**more):
    keys = {"id": "c1", "variables": "{q: a}", **more}
    return "[{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}]"


def test_exact_match_needs_no_options_and_is_blamed_at_each_case(read, sound):
    (use,) = _uses(read, sound())

    assert (use.type, dict(use.options), use.weight, use.negate, use.threshold) == ("exact_match", {}, 1.0, False, None)
    assert use.place == ""


def test_llm_judge_takes_its_options_from_the_evaluation_block(read, sound):
    (use,) = _uses(
        read,
        sound(
            evaluation="{judge_model: j, judge_threshold: 0.5, judge_max_tokens: 99}",
            test_cases=_case(evaluation="llm_judge", criteria="polite"),
        ),
    )

    assert dict(use.options) == {"model": "j", "threshold": 0.5, "max_tokens": 99}


def test_what_the_evaluation_block_leaves_out_is_left_to_the_scorer(read, sound):
    (use,) = _uses(read, sound(evaluation="{judge_model: j}", test_cases=_case(evaluation="llm_judge", criteria="x")))

    assert dict(use.options) == {"model": "j"}


def test_weighted_match_takes_its_options_from_the_evaluation_block(read, sound):
    variables = "[{name: use_case, weight: 1}]"
    (use,) = _uses(
        read,
        sound(
            evaluation=f"{{quality_threshold: 0.8, variables: {variables}}}",
            test_cases=_case(evaluation="weighted_match", expected_output="[{use_case: a, percent: 1, order: 1}]"),
        ),
    )

    assert dict(use.options) == {"threshold": 0.8, "variables": [{"name": "use_case", "weight": 1}]}


def test_any_other_scorer_takes_its_options_from_the_case(read, sound):
    reading = read(sound(test_cases=_case(evaluation="max_words", value=5, _mine=1, tags="[a]")))
    (case,) = reading.sound.cases

    assert reading.problems == ()
    assert dict(case.scorers[0].options) == {"value": 5}
    assert case.evaluation == "max_words"


def test_scorers_of_all_cases_come_before_those_of_a_case(read, sound):
    text = sound(
        scorers="[{type: contains, value: Thanks}]",
        test_cases=_case(evaluation="exact_match", expected_output="a", scorers="[regex, {type: numeric, value: 3}]"),
    )
    (case,) = read(text).sound.cases

    assert [use.type for use in case.scorers] == ["contains", "exact_match", "regex", "numeric"]
    assert case.evaluation == "contains + exact_match + regex + numeric"
    assert dict(case.scorers[3].options) == {"value": 3}


def test_an_entry_keeps_apart_what_is_the_hosts_and_what_is_the_scorers(read, sound):
    entry = "{type: contains, value: x, name: no apology, weight: 2, negate: true, threshold: 0.5, turn: 0, _note: y}"
    (use,) = _uses(read, sound(test_cases=_case(scorers=f"[{entry}]")))

    assert use == ScorerUse(
        type="contains",
        options={"value": "x"},
        name="no apology",
        weight=2.0,
        negate=True,
        threshold=0.5,
        turn=0,
        place=use.place,
    )


def test_the_evaluation_block_stands_under_the_options_of_an_entry(read, sound):
    text = sound(
        evaluation="{judge_model: j, judge_threshold: 0.5, judge_max_tokens: 99}",
        test_cases=_case(
            criteria="x",
            scorers="[llm_judge, {type: llm_judge, model: other}, "
            "{type: llm_judge, threshold: 0.9}, {type: llm_judge, min_score: 3}]",
        ),
    )
    bare, other, stricter, scaled = _uses(read, text)

    assert dict(bare.options) == {"model": "j", "threshold": 0.5, "max_tokens": 99}
    assert dict(other.options) == {"model": "other", "threshold": 0.5, "max_tokens": 99}
    assert (dict(stricter.options), stricter.threshold) == ({"model": "j", "max_tokens": 99}, 0.9)
    assert dict(scaled.options) == {"model": "j", "max_tokens": 99, "min_score": 3}


@pytest.mark.parametrize(
    ("entry", "path", "message"),
    [
        ("3", "scorers[0]", "must be a scorer's name or a mapping with 'type'"),
        ('""', "scorers[0]", "must not be empty"),
        ("{value: x}", "scorers[0]", "'type' is required"),
        ("{type: contains, weight: 0}", "scorers[0].weight", "must be a number above 0, got 0"),
        ("{type: contains, weight: .nan}", "scorers[0].weight", "must be a number above 0, got nan"),
        ("{type: contains, negate: 1}", "scorers[0].negate", "must be true or false, got 1"),
        ("{type: contains, threshold: 2}", "scorers[0].threshold", "must be a number from 0 to 1, got 2"),
        ("{type: contains, turn: -1}", "scorers[0].turn", "must be a whole number of at least 0, got -1"),
        ("{type: contains, name: 3}", "scorers[0].name", "must be text, got 3; quote it"),
    ],
)
def test_a_wrong_entry_is_an_error(read, sound, entry, path, message):
    for blocks, where in (
        ({"scorers": f"[{entry}]"}, path),
        ({"test_cases": _case(scorers=f"[{entry}]")}, f"test_cases[0].{path}"),
    ):
        (error,) = read(sound(**blocks)).errors
        assert f": {where}: {message}" in error


def test_a_case_that_nothing_judges_is_an_error(read, sound):
    (error,) = read(sound(test_cases=_case(expected_output="a"))).errors

    assert "nothing says how the case is judged; give it an 'evaluation' or 'scorers'" in error


@pytest.mark.parametrize(
    ("evaluation", "path"),
    [
        ("{judge_model: 3}", "evaluation.judge_model"),
        ("{judge_threshold: 1.5}", "evaluation.judge_threshold"),
        ("{judge_threshold: .nan}", "evaluation.judge_threshold"),
        ("{judge_max_tokens: 10.0}", "evaluation.judge_max_tokens"),
        ("{judge_max_tokens: 0}", "evaluation.judge_max_tokens"),
    ],
)
def test_a_fault_of_the_judges_settings_is_an_error_where_a_case_is_judged_by_it(read, sound, evaluation, path):
    (error,) = read(sound(evaluation=evaluation, test_cases=_case(evaluation="llm_judge", criteria="x"))).errors

    assert f": {path}: must be " in error


def test_a_fault_of_settings_that_no_case_uses_is_a_warning_but_for_the_judges_name(read, sound):
    reading = read(
        sound(
            evaluation="{judge_model: 3, judge_threshold: 9, judge_max_tokens: x, quality_threshold: 9, variables: x}"
        )
    )

    assert [problem.path for problem in reading.problems if problem.severity == "error"] == ["evaluation.judge_model"]
    assert len(reading.warnings) == 4


@pytest.mark.parametrize("evaluation", ["{quality_threshold: 80}", "{variables: {name: order}}"])
def test_a_fault_of_weighted_match_settings_is_an_error_where_a_case_uses_it(read, sound, evaluation):
    assert len(read(sound(evaluation=evaluation, test_cases=_case(evaluation="weighted_match"))).errors) == 1


@pytest.mark.parametrize(("max_tokens", "warned"), [(199, 1), (200, 0)])
def test_a_short_output_budget_is_a_warning_where_a_judge_reads_the_output(read, sound, max_tokens, warned):
    judged = read(
        sound(inference=f"{{max_tokens: {max_tokens}}}", test_cases=_case(evaluation="llm_judge", criteria="x"))
    )
    matched = read(sound(inference=f"{{max_tokens: {max_tokens}}}"))

    assert (len(judged.warnings), judged.errors) == (warned, [])
    assert matched.problems == ()


@pytest.mark.parametrize(
    ("turns", "position", "message"),
    [
        (None, 0, None),
        (None, 1, "scorer 'contains' judges answer 1; the model's are only 0"),
        ("[{role: user, content: a}, {role: assistant, content: null}, {role: user, content: b}]", 1, None),
        (
            "[{role: user, content: a}, {role: assistant, content: said}, {role: user, content: b},"
            " {role: assistant, content: null}]",
            1,
            "scorer 'contains' judges answer 1; the model's are only 0",
        ),
        (
            "[{role: user, content: a}, {role: assistant, content: null}, {role: user, content: b},"
            " {role: assistant, content: null}]",
            2,
            "scorer 'contains' judges answer 2; the model's are 0 to 1",
        ),
    ],
)
def test_an_answer_that_a_conversation_never_has_is_an_error_before_it_is_paid_for(
    read, sound, turns, position, message
):
    more = {} if turns is None else {"turns": turns}
    reading = read(sound(test_cases=_case(scorers=f"[{{type: contains, value: x, turn: {position}}}]", **more)))

    assert [problem.message for problem in reading.problems] == ([] if message is None else [message])
