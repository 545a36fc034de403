"""Guesses at why a combo fails: what is counted, and what is not claimed."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest

from steelyard._engine.suggesting.errors import error_kinds
from steelyard._engine.suggesting.faults import faults
from steelyard._engine.suggesting.groups import failing_groups
from steelyard._engine.suggesting.hypotheses import diagnose
from steelyard._engine.suggesting.traits import language_of, script_of
from steelyard._engine.summary import ComboTally
from steelyard.api import CaseResult, ComboResult, Message, ScoreResult, Status
from steelyard.testing.run_builders import make_case_result, make_case_run


def case(name: str, letter: str, *, asked: str = "a question", answer: str = "an answer", **fields: Any) -> CaseResult:
    status = Status.API_ERROR if letter == "E" else Status.SCORED
    usual = {"expected": None, "model": "m", "prompt_id": "v1", "response": answer}
    messages = (Message(role="system", content="be good"), Message(role="user", content=asked))
    return make_case_result(name, passed=letter == "P", status=status, messages=messages, **{**usual, **fields})


def cases(letters: str, start: int = 0, **fields: Any) -> list[CaseResult]:
    return [
        case(f"c{number}", letter, **{"answer": f"answer {number}", **fields})
        for number, letter in enumerate(letters, start)
    ]


def combo(found: list[CaseResult]) -> ComboResult:
    tally = ComboTally("m", "v1")
    for one in found:
        tally.add(one)
    return tally.result(None, tuple(found))


def kinds(found: list[CaseResult]) -> list[str]:
    return [str(group.trait) for group in failing_groups(found)]


# Kinds of cases


def test_a_tag_that_fails_more_often_is_found_with_its_interval_and_test() -> None:
    found = cases("F" * 8 + "P" * 2, tags=("billing",)) + cases("F" + "P" * 9, start=10, tags=("order",))

    (group,) = failing_groups(found)

    assert str(group.trait) == "tagged 'billing'"
    assert (group.failed, group.count, group.others_failed, group.others) == (8, 10, 1, 10)
    # Fisher's exact test, as scipy has it; two tags were looked at.
    assert group.p_value == pytest.approx(0.0054775, abs=1e-7)
    assert group.p_adjusted == pytest.approx(2 * 0.0054775, abs=2e-7)
    # Wilson of 8 / 10.
    assert (group.low, group.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert group.difference_low > 0
    assert group.cases == tuple(f"c{number}" for number in range(8))
    assert group.sure


def test_a_tag_that_fails_as_the_others_do_is_not_mentioned() -> None:
    assert failing_groups(cases("FFPP", tags=("a",)) + cases("FFPP", start=4, tags=("b",))) == []


def test_one_failure_is_an_anecdote() -> None:
    assert failing_groups(cases("F", tags=("a",)) + cases("PPPP", start=1)) == []


def test_what_all_cases_have_groups_nothing() -> None:
    assert failing_groups(cases("FFPP", tags=("all",))) == []


def test_errors_are_no_failures_of_the_model() -> None:
    found = cases("EEEE", tags=("a",)) + cases("FFPP", start=4, tags=("b",))

    assert failing_groups(found) == []


def test_metadata_groups_cases_unless_every_value_is_another() -> None:
    hard = [replace(one, metadata={"level": "hard", "row": n}) for n, one in enumerate(cases("FFFFFF"))]
    easy = [replace(one, metadata={"level": "easy", "row": 50 + n}) for n, one in enumerate(cases("P" * 20, start=6))]

    assert kinds(hard + easy) == ["with level = hard"]


def test_labels_length_script_and_language_group_cases_too() -> None:
    easy = cases("P" * 12, start=50, expected="order", asked="Where is my order and when is it to be here?")

    assert kinds(cases("FFFF", expected="billing") + easy) == ["that expect 'billing'"]
    assert kinds(cases("FFFF", asked="word " * 100) + easy) == ["with an input of more than 88 characters"]
    assert kinds(cases("FFFF", asked="Где мой заказ?") + easy) == ["in Cyrillic script"]
    german = cases("FFFF", asked="Wo ist meine Bestellung und wie ist das mit der Rechnung für die Ware?")
    assert "in German (by its common words)" in kinds(german + easy)


@pytest.mark.parametrize(
    ("text", "script", "language"),
    [
        ("Where is the order that I have for you?", "Latin", "English"),
        ("Où est la commande que je vous ai donnée et pas une autre?", "Latin", "French"),
        ("¿Dónde está el pedido que hice para mi casa?", "Latin", "Spanish"),
        ("注文はどこですか", "CJK", ""),
        ("أين طلبي", "Arabic", ""),
        ("12345 !?", "", ""),
        ("", "", ""),
        ("ok", "Latin", ""),
    ],
)
def test_script_and_language_are_told_only_where_they_are_clear(text: str, script: str, language: str) -> None:
    assert (script_of(text), language_of(text)) == (script, language)


# Faults of answers


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"answer": " "}, "empty"),
        ({"answer": "It is", "finish_reason": "length"}, "truncated"),
        ({"answer": "```\nbilling\n```", "expected": "billing"}, "fenced"),
        ({"answer": "The label is billing, I think.", "expected": "Billing"}, "wordy_label"),
        ({"answer": '"Billing".', "expected": "billing"}, "decorated_label"),
        ({"answer": "I'm sorry, but I can't help with that."}, "refusal"),
        ({"answer": "Sure, here you are", "expected": [{"a": 1}]}, "not_json"),
    ],
)
def test_a_fault_that_can_be_seen_is_named(fields: dict[str, Any], kind: str) -> None:
    (fault,) = faults([case("c0", "F", **fields), case("c1", "F", answer="other"), case("c2", "P", **fields)])

    assert (fault.kind, fault.cases, fault.count, fault.of) == (kind, ("c0",), 1, 2)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("rebilling", "billing"), ("order", "billing"), ("billing", None), ('[{"a": 2}]', [{"a": 1}])],
)
def test_an_answer_that_is_simply_wrong_has_no_fault_to_be_seen(answer: str, expected: Any) -> None:
    assert faults([case("c0", "F", answer=answer, expected=expected)]) == []


def test_flaky_cases_are_counted_among_all_that_were_scored() -> None:
    runs = [make_case_run(passed=True), make_case_run(passed=False, repeat=1)]
    flaky = make_case_result("c0", passed=False, runs=runs, expected=None)

    found = [fault for fault in faults([flaky, case("c1", "P")]) if fault.kind == "flaky"]

    assert [(fault.cases, fault.of) for fault in found] == [(("c0",), 2)]


# Errors


def test_errors_that_differ_in_names_and_numbers_alone_are_of_one_kind() -> None:
    found = [
        case("c0", "E", error="HTTP 429 after 3 attempts for 'a'"),
        case("c1", "E", error="HTTP 429 after 4 attempts for 'b'"),
        case("c2", "E", error="timed out"),
        case("c3", "P"),
    ]

    most, other = error_kinds(found)

    assert (most.cases, most.of, most.message) == (("c0", "c1"), 4, "HTTP 429 after 3 attempts for 'a'")
    assert other.cases == ("c2",)


# Hypotheses


def claims(found: list[CaseResult], **fields: Any) -> list[str]:
    return [one.claim for one in diagnose(combo(found), **{"file": "b.yaml", "run_id": "r", **fields}).hypotheses]


def test_each_guess_has_counts_cases_advice_and_a_command() -> None:
    found = cases("F" * 8 + "P" * 2, tags=("billing",)) + cases("F" + "P" * 9, start=10, tags=("order",))

    diagnosis = diagnose(combo(found), file="my file.yaml", run_id="run-1")

    assert (diagnosis.scored, diagnosis.failed, diagnosis.errors) == (20, 9, 0)
    (guess,) = diagnosis.hypotheses
    assert guess.claim == "cases tagged 'billing' fail more often: 8 of 10, the others 1 of 10"
    assert (guess.kind, guess.count, guess.of, len(guess.cases)) == ("group", 8, 10, 8)
    assert guess.test == "steelyard run 'my file.yaml' -m m -p v1 -t billing"
    assert guess.advice


def test_a_guess_that_may_be_chance_says_so_and_one_that_is_hardly_one_is_kept_back() -> None:
    maybe = cases("FFFP", tags=("a",)) + cases("FPPPPP", start=4)  # p = 0.19
    hardly = cases("FFP", tags=("a",)) + cases("FFPPP", start=3)  # p = 1

    assert claims(maybe) == ["cases tagged 'a' fail more often: 3 of 4, the others 1 of 6, which may be chance"]
    assert claims(hardly) == []


def test_errors_come_first_and_are_tested_by_running_them_again() -> None:
    found = [*cases("FF", tags=("a",), answer=" "), case("c9", "E", error="HTTP 500"), *cases("PPPP", start=20)]

    first = diagnose(combo(found), file=None, run_id="r").hypotheses[0]

    assert first.claim == "1 of 7 cases could not be scored: api_error: HTTP 500"
    assert first.test == "steelyard run FILE -m m -p v1 --failed"


def test_labels_that_are_taken_for_each_other_are_named() -> None:
    found = [labelled(f"w{n}", "billing", "order") for n in range(3)]
    found += [labelled(f"r{n}", "billing", "billing") for n in range(2)]
    found += [labelled(f"o{n}", "order", "order") for n in range(2)]

    (guess,) = [one for one in diagnose(combo(found), file="f", run_id="r").hypotheses if one.kind == "confusion"]

    assert guess.claim == "'order' is answered where 'billing' is expected, in 3 of 5 answers"
    assert guess.cases == ("w0", "w1", "w2")
    assert guess.test == "steelyard run f -m m -p v1 && steelyard compare r --detailed"


def labelled(name: str, wanted: str, *given: str, cluster: str | None = None) -> CaseResult:
    """Make a case that was asked as often as there are answers, with labels that a scorer compared."""
    runs = []
    for number, answer in enumerate(given):
        label = {"expected": wanted, "output": answer}
        score = ScoreResult(scorer="s", name="s", passed=wanted == answer, score=1.0, details={"label": label})
        right = wanted == answer
        runs.append(make_case_run(passed=right, score=float(right), repeat=number, response=answer, scores=(score,)))
    right = all(run.passed for run in runs)
    return make_case_result(name, passed=right, runs=runs, expected=wanted, model="m", prompt_id="v1", cluster=cluster)


def test_repeats_of_a_case_do_not_count_as_many_where_labels_are_taken_for_each_other() -> None:
    # 10 of 20 cases always get the other label, thrice each: as sure as 10 of 20, and not as 30 of 60.
    found = [labelled(f"w{n}", "billing", *["order"] * 3) for n in range(10)]
    found += [labelled(f"r{n}", "billing", *["billing"] * 3) for n in range(10)]
    found += [labelled(f"o{n}", "order", *["order"] * 3) for n in range(5)]

    (guess,) = [one for one in diagnose(combo(found), file="f", run_id="r").hypotheses if one.kind == "confusion"]

    assert guess.claim == "'order' is answered where 'billing' is expected, in 30 of 60 answers to 20 cases"
    # All runs of a case alike: variance 20 / 19 * sum of (3 - 1.5)^2 / 60^2, which is 19 independent answers. Wilson's
    # formula with t = 2.093024 of 19 degrees is 0.5 -+ t sqrt(0.25 / 19 + t^2 / (4 * 19^2)) / (1 + t^2 / 19).
    spread = 2.093024 * sqrt(0.25 / 19 + 2.093024**2 / (4 * 19**2)) / (1 + 2.093024**2 / 19)
    assert (guess.low, guess.high) == pytest.approx((0.5 - spread, 0.5 + spread), abs=1e-6)


def test_cases_of_one_cluster_do_not_count_as_many() -> None:
    hard = [replace(one, cluster="abcd"[n // 5]) for n, one in enumerate(cases("F" * 20, tags=("hard",), answer=" "))]
    easy = [replace(one, cluster="efgh"[n // 5]) for n, one in enumerate(cases("P" * 20, 20, tags=("easy",)))]

    diagnosis = diagnose(combo(hard + easy), file="f", run_id="r")

    # In one cluster alone, nothing tells the tag from the document.
    alone = [replace(one, cluster="a") for one in hard] + [replace(one, cluster="e") for one in easy]
    lonely = [one for one in diagnose(combo(alone), file="f", run_id="r").hypotheses if one.kind == "group"]
    assert lonely == []
    empty = next(one for one in diagnose(combo(alone), file="f", run_id="r").hypotheses if one.kind == "format")
    assert (empty.low, empty.high) == (0.0, 1.0)
    assert next(one for one in diagnosis.hypotheses if one.kind == "group").claim.startswith("cases tagged 'hard'")


def test_clusters_that_disagree_weaken_the_test_of_a_kind() -> None:
    # All that failed of the kind are of two of its four clusters: variance 4 / 3 * 4 * 2.5^2 / 20^2 = 1 / 12, which is
    # three independent cases, two of them failed. Two of 3 against 1 of 20 is (3 * 20 + 1) / C(23, 3) = 61 / 1771.
    hard = [replace(one, cluster="abcd"[n // 5]) for n, one in enumerate(cases("F" * 10 + "P" * 10, tags=("hard",)))]
    easy = [replace(one, cluster=f"e{n}") for n, one in enumerate(cases("F" + "P" * 19, 20))]

    (group,) = failing_groups(hard + easy)

    assert (group.failed, group.count, group.others_failed, group.others) == (10, 20, 1, 20)
    assert group.p_value == pytest.approx(61 / 1771)


def test_the_same_cases_under_two_names_are_one_kind_and_one_test() -> None:
    found = cases("F" * 8 + "P" * 2, tags=("shipping",), expected="shipping")
    found += cases("F" + "P" * 9, start=10, tags=("order",), expected="order")

    (group,) = failing_groups(found)

    # Two kinds were looked at, not four.
    assert group.p_adjusted == pytest.approx(2 * 0.0054775, abs=2e-7)
    assert claims(found)[-1] == (
        "cases tagged 'shipping' (the same as those that expect 'shipping') fail more often: "
        "8 of 10, the others 1 of 10"
    )


def test_an_answer_that_failed_cases_share_is_named_with_what_they_expect() -> None:
    stuck = cases("F" * 30, answer="Unclear", expected="billing")

    (guess,) = diagnose(combo(stuck), file="f", run_id="r").hypotheses

    assert guess.claim == "30 of 30 failed cases have the same answer 'Unclear', where 'billing' is expected"
    assert (guess.kind, guess.count, guess.of, guess.cases[0]) == ("answer", 30, 30, "c0")


def test_an_answer_that_passes_as_well_is_said_to() -> None:
    found = cases("FFF", answer="yes", expected="no") + cases("PP", start=3, answer="Yes ", expected="yes")

    assert claims(found)[0] == (
        "3 of 3 failed cases have the same answer 'yes', where 'no' is expected; so have 2 that passed"
    )


@pytest.mark.parametrize("answers", [("a", "a", "b"), ("a", "a"), ("a", "a", "a", "b", "c", "d", "e"), (" ", " ", " ")])
def test_an_answer_of_few_failures_or_none_is_no_pattern(answers: tuple[str, ...]) -> None:
    found = [case(f"c{n}", "F", answer=answer) for n, answer in enumerate(answers)]

    assert not [one for one in diagnose(combo(found), file="f", run_id="r").hypotheses if one.kind == "answer"]


def test_labels_that_are_taken_for_each_other_are_not_told_again_as_the_same_answer() -> None:
    found = [labelled(f"w{n}", "billing", "order") for n in range(3)]
    found += [labelled("r", "billing", "billing"), labelled("o", "order", "order")]

    kinds_of_guess = [one.kind for one in diagnose(combo(found), file="f", run_id="r").hypotheses]

    assert kinds_of_guess.count("confusion") == 1
    assert "answer" not in kinds_of_guess


def test_where_nothing_failed_nothing_is_guessed() -> None:
    assert claims(cases("PPPP", tags=("a",))) == []


def test_names_that_a_shell_would_read_are_quoted_in_commands() -> None:
    found = [*cases("FFFFF", tags=("$(rm -rf ~)",)), *cases("P" * 10, start=9)]

    (guess,) = diagnose(combo(found), file="f", run_id="r").hypotheses

    assert guess.test.endswith("-t '$(rm -rf ~)'")
