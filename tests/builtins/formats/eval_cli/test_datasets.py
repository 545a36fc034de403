"""Cases of the eval tool that the rows of a dataset fill in."""

from __future__ import annotations

import json

import pytest

from steelyard.errors import BenchmarkError

CASE = '[{id: "q-{{ id }}", prompt: "Solve {{problem}}", criteria: [{type: contains, value: "{{answer}}"}]}]'


def _lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def _raised(reading):
    with pytest.raises(BenchmarkError) as raised:
        list(reading.sound.cases)
    return raised.value.problems


def test_the_keys_of_a_row_fill_in_prompt_criteria_and_id(read, suite):
    rows = _lines({"id": 1, "problem": "1+1", "answer": 2}, {"id": "b", "problem": "{{ id }}", "answer": "x"})
    first, second = read(suite(dataset="d.jsonl", cases=CASE), {"d.jsonl": rows}).sound.cases

    assert (first.id, first.input, first.scorers[0].options["value"]) == ("q-1", "Solve 1+1", ["2"])
    assert (second.id, second.input) == ("q-b", "Solve {{ id }}")
    assert dict(second.variables) == {"id": "b", "problem": "{{ id }}", "answer": "x"}
    assert second.place.endswith("d.jsonl:2")


def test_values_that_are_no_text_are_filled_in_as_json(read, suite):
    rows = _lines({"id": 1, "problem": ["é", None], "answer": True})
    (case,) = read(suite(dataset="d.jsonl", cases=CASE), {"d.jsonl": rows}).sound.cases

    assert (case.input, case.scorers[0].options["value"]) == ('Solve ["é", null]', ["true"])


def test_a_number_of_a_criterion_may_come_from_the_row(read, suite):
    cases = '[{prompt: a, criteria: [{type: max_words, value: "{{ n }}"}, {type: mine, limits: ["{{ n }}"]}]}]'
    (case,) = read(suite(dataset="d.jsonl", cases=cases), {"d.jsonl": _lines({"n": 7})}).sound.cases

    assert [dict(use.options) for use in case.scorers] == [{"value": 7}, {"limits": [7]}]


NUMBERS = (
    '[{prompt: a, criteria: [{type: max_words, value: "{{ words }}"}, {type: llm_judge, rubric: ok, '
    'pass_threshold: "{{least}}"}, {type: code_execution, language: bash, timeout_ms: "{{seconds}}000"}]}]'
)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("d.csv", "words,least,seconds\n 50 ,3.5,2\n"),
        ("d.jsonl", '{"words": "50", "least": "3.5", "seconds": "2"}\n'),
        ("d.jsonl", '{"words": 50, "least": 3.5, "seconds": 2}\n'),
    ],
)
def test_a_text_that_is_a_number_is_taken_as_the_number_where_one_is_wanted(read, suite, name, rows):
    (case,) = read(suite(dataset=name, cases=NUMBERS), {name: rows}).sound.cases

    words, judge, code = (use.options for use in case.scorers)
    assert (words["value"], judge["min_score"], code["timeout_ms"]) == (50, 3.5, 2000)


@pytest.mark.parametrize("cell", ["many", "", "5 or 6", "1e999", "NaN", "0x10", "5.5"])
def test_what_is_no_number_is_an_error_where_one_is_wanted(read, suite, cell):
    cases = '[{prompt: a, criteria: [{type: max_words, value: "{{ n }}"}]}]'
    (problem,) = _raised(read(suite(dataset="d.csv", cases=cases), {"d.csv": f"id,n\n1,{cell}\n"}))

    assert "must be a whole number of at least 0" in problem.message


def test_a_text_stays_a_text_where_one_is_wanted(read, suite):
    cases = '[{prompt: a, criteria: [{type: contains, value: "{{ n }}"}, {type: mine, most: "{{ n }}"}]}]'
    (case,) = read(suite(dataset="d.csv", cases=cases), {"d.csv": "n\n007\n"}).sound.cases

    assert [dict(use.options) for use in case.scorers] == [{"value": ["007"], "ignore_case": True}, {"most": "007"}]


def test_turns_are_filled_in_too(read, suite):
    cases = '[{turns: [{role: user, content: "{{ q }}"}], criteria: [{type: contains, value: x}]}]'
    (case,) = read(suite(dataset="d.jsonl", cases=cases), {"d.jsonl": _lines({"q": 5})}).sound.cases

    assert [turn.content for turn in case.turns] == ["5", None]


def test_an_id_that_does_not_depend_on_the_row_gets_its_number(read, suite):
    criteria = "criteria: [{type: max_words, value: 3}]"
    cases = f"[{{id: a, prompt: x, {criteria}}}, {{prompt: y, {criteria}}}]"
    found = read(suite(dataset="d.jsonl", cases=cases), {"d.jsonl": _lines({"n": 1}, {"n": 2})}).sound.cases

    assert [case.id for case in found] == ["a-1", "case-2-1", "a-2", "case-2-2"]


def test_the_limit_caps_what_is_read_and_the_sample_is_drawn_from_that(read, suite):
    rows = _lines(*({"id": n, "problem": "p", "answer": "a"} for n in range(100)))
    limited = read(suite(dataset="d.jsonl", dataset_limit="3", cases=CASE), {"d.jsonl": rows}).sound
    sampled = read(
        suite(dataset="d.jsonl", dataset_limit="50", dataset_sample="10", cases=CASE), {"d.jsonl": rows}
    ).sound
    drawn = [int(case.id.removeprefix("q-")) for case in sampled.cases]

    assert [case.id for case in limited.cases] == ["q-0", "q-1", "q-2"]
    assert len(set(drawn)) == 10
    assert drawn == sorted(drawn)
    assert max(drawn) < 50


def test_a_dataset_is_found_in_the_folder_one_runs_in_then_beside_the_suite(read, suite):
    text = suite(dataset="data/d.jsonl", cases=CASE)
    row = {"problem": "p", "answer": "a"}
    beside = {"suites/data/d.jsonl": _lines({"id": "beside", **row})}
    both = beside | {"work/data/d.jsonl": _lines({"id": "here", **row})}

    assert [case.id for case in read(text, beside, name="suites/s.yaml").sound.cases] == ["q-beside"]
    assert [case.id for case in read(text, both, name="suites/s.yaml").sound.cases] == ["q-here"]


def test_another_dataset_takes_the_place_of_the_suites(read, suite, tmp_path):
    rows = _lines({"id": "mine", "problem": "p", "answer": "a"})
    reading = read(suite(dataset="nope.jsonl", cases=CASE), {"mine.jsonl": rows}, dataset=tmp_path / "mine.jsonl")

    assert [case.id for case in reading.sound.cases] == ["q-mine"]


def test_a_key_that_a_row_does_not_have_is_an_error_that_names_row_and_key(read, suite):
    rows = _lines({"id": 1, "problem": "p", "answer": "a"}, {"id": 2, "problm": "p", "answer": "a"})
    (problem,) = _raised(read(suite(dataset="d.jsonl", cases=CASE), {"d.jsonl": rows}))

    assert problem.message == "cases[0]: the row has no 'problem'; did you mean 'problm'?"
    assert problem.place.endswith("d.jsonl:2")


def test_ids_that_come_out_the_same_are_an_error_with_both_places(read, suite):
    rows = _lines({"id": 1, "problem": "p", "answer": "a"}, {"id": "1", "problem": "p", "answer": "a"})
    (problem,) = _raised(read(suite(dataset="d.jsonl", cases=CASE), {"d.jsonl": rows}))

    assert problem.message == "id 'q-1' is used twice"
    assert (problem.place[-1], problem.hint[-1]) == ("2", "1")


def test_judges_are_known_before_the_first_row_is_read(read, suite):
    cases = (
        "[{prompt: a, criteria: [{type: llm_judge, rubric: '{{ r }}'}, {type: llm_judge, rubric: x, model: gpt-4o}]}]"
    )
    benchmark = read(suite(dataset="d.jsonl", cases=cases), {"d.jsonl": _lines({"r": "ok"})}).sound

    assert [judge.id for judge in benchmark.judges] == ["anthropic:claude-opus-4-8", "openai:gpt-4o"]
    assert next(iter(benchmark.cases)).scorers[0].options["rubric"] == "ok"


@pytest.mark.parametrize("text", ["{{ user.name }}", "{{items.0}}", "{{id|upper}}", "{{q.__class__}}", "{{ 1 }}"])
@pytest.mark.parametrize(
    "case",
    [
        {"prompt": "X", "criteria": [{"type": "max_words", "value": 1}]},
        {"turns": [{"role": "user", "content": "X"}], "criteria": [{"type": "max_words", "value": 1}]},
        {"prompt": "a", "criteria": [{"type": "contains", "value": "X"}]},
        {"prompt": "a", "criteria": [{"type": "llm_judge", "rubric": "X"}]},
    ],
)
def test_what_no_row_fills_in_is_a_warning(read, suite, text, case):
    cases = json.dumps([case]).replace('"X"', json.dumps(f"Ask {text}: {{{{id}}}}"))
    reading = read(suite(dataset="d.jsonl", cases=cases), {"d.jsonl": _lines({"id": 1}, {"id": 2})})

    assert len(list(reading.sound.cases)) == 2
    (warning,) = reading.warnings
    assert f"'{text}' is not filled in and stays as it stands; write {{{{key}}}}" in warning


def test_braces_of_patterns_and_programs_are_their_own(read, suite):
    criteria = [
        {"type": "regex", "value": "a{{2}}"},
        {"type": "code_execution", "language": "python", "test_code": "f'{{1}}'"},
    ]
    cases = json.dumps([{"prompt": "a", "criteria": criteria}])
    reading = read(suite(dataset="d.jsonl", cases=cases), {"d.jsonl": _lines({"id": 1})})

    assert len(list(reading.sound.cases)) == 1
    assert reading.warnings == []


def test_placeholders_where_no_row_fills_them_in_are_a_warning(read, suite):
    plain = suite(cases='[{prompt: "{{ page }} and {{\\"a\\": 1}}", criteria: [{type: contains, value: x}]}]')
    system = suite(system_prompt="'You are {{name}}'", dataset="d.jsonl", cases=CASE)
    row = {"id": 1, "problem": "p", "answer": "a"}

    (first,) = read(plain).warnings
    (second,) = read(system, {"d.jsonl": _lines(row)}).warnings

    assert "'{{ page }}' is not filled in and stays as it stands; only the rows of a dataset" in first
    assert "system_prompt: '{{name}}' is not filled in" in second
