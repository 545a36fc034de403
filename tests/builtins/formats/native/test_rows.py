"""Cases that are rows of a data file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard.api import Turn
from steelyard.errors import BenchmarkError

EXACT = "[exact_match]"


def _lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def _cases(reading):
    return list(reading.sound.cases)


def test_a_row_is_a_case_with_the_keys_that_it_has_inline(read, sound):
    row = {"id": "a", "variables": {"q": "hi"}, "expected_output": "x", "evaluation": "max_words", "value": 5}
    (case,) = _cases(read(sound(test_cases="rows.jsonl"), {"rows.jsonl": _lines(row)}))

    assert (case.id, dict(case.variables), case.expected) == ("a", {"q": "hi"}, "x")
    assert dict(case.scorers[0].options) == {"value": 5}
    assert case.place.endswith("rows.jsonl:1")


def test_a_flat_row_gives_its_other_columns_as_variables(read, sound):
    csv = 'id,q,expected_output,tags,human_score\n1,Where?,order,"a, b",4\n2,Why?,other,,\n'
    first, second = _cases(read(sound(test_cases="rows.csv", scorers=EXACT), {"rows.csv": csv}))

    assert (first.id, dict(first.variables), first.expected) == ("1", {"q": "Where?"}, "order")
    assert (first.tags, first.human_score) == (("a", "b"), 4.0)
    assert (second.tags, second.human_score) == ((), None)


def test_a_template_makes_a_case_of_each_row(read, sound):
    text = sound(
        test_cases="{path: rows.jsonl, limit: 2}",
        case="""
            id: "q-{{ id }}"
            variables: {question: "Q: {{ q }}"}
            expected_output: "{{ answer }}"
            evaluation: exact_match
            tags: ["{{ topic }}", all]
        """,
        prompts='[{id: v1, template: "{{ question }}"}]',
    )
    rows = _lines(*({"id": n, "q": f"{n}?", "answer": f"a{n}", "topic": "t"} for n in (1, 2, 3)))
    benchmark = read(text, {"rows.jsonl": rows}).sound
    first, second = benchmark.cases

    assert [first.id, second.id] == ["q-1", "q-2"]
    assert (first.expected, first.tags) == ("a1", ("t", "all"))
    assert benchmark.prompts[0].render(first)[0].content == "Q: 1?"


def test_the_keys_of_a_row_are_variables_of_its_case(read, sound):
    text = sound(
        variables="{q: shared, other: shared}",
        test_cases="rows.jsonl",
        case="{expected_output: a, evaluation: exact_match}",
    )
    (case,) = _cases(read(text, {"rows.jsonl": _lines({"q": "row"})}))

    assert dict(case.variables) == {"q": "row", "other": "shared"}


def test_a_template_sees_the_row_over_shared_variables_and_adds_to_both(read, sound):
    text = sound(
        variables="{q: shared, style: brief}",
        test_cases="rows.jsonl",
        case='{variables: {both: "{{ q }} {{ style }}"}, expected_output: "{{ both }}", evaluation: exact_match}',
    )
    (case,) = _cases(read(text, {"rows.jsonl": _lines({"q": "row"})}))

    assert dict(case.variables) == {"q": "row", "style": "brief", "both": "row brief"}
    assert case.expected == "row brief"


def test_private_keys_of_a_flat_row_are_no_variables(read, sound):
    (case,) = _cases(
        read(sound(test_cases="rows.jsonl", scorers=EXACT), {"rows.jsonl": _lines({"q": "a", "_note": 1})})
    )

    assert dict(case.variables) == {"q": "a"}


@pytest.mark.parametrize("answer", [3, 1.5, True, None, ["a", 1], {"k": {"n": 1}}, "text"])
def test_a_text_that_is_one_placeholder_keeps_the_type(read, sound, answer):
    text = sound(test_cases="rows.jsonl", case='{expected_output: "{{ answer }}", evaluation: python}')
    (case,) = _cases(read(text, {"rows.jsonl": _lines({"q": "x", "answer": answer})}))

    assert case.expected == answer
    assert type(case.expected) is type(answer)


def test_a_placeholder_walks_into_a_row(read, sound):
    text = sound(
        test_cases="rows.jsonl", case='{expected_output: "{{ a.b.1 }}", evaluation: "{{ kind }}", value: "n {{ a.n }}"}'
    )
    (case,) = _cases(read(text, {"rows.jsonl": _lines({"q": "x", "kind": "numeric", "a": {"b": [1, 2], "n": 7}})}))

    assert case.expected == 2
    assert (case.scorers[0].type, dict(case.scorers[0].options)) == ("numeric", {"value": "n 7"})


def test_data_is_never_rendered_again(read, sound):
    hostile = "{{ 7*7 }} {% raw %} {# x #}"
    text = sound(
        test_cases="rows.jsonl",
        case="""
            variables: {q: "{{ text }}"}
            criteria: "Says {{ q }}"
            evaluation: llm_judge
            turns: [{role: user, content: "{{ q }}"}]
        """,
        evaluation="{judge_model: j}",
    )
    benchmark = read(text, {"rows.jsonl": _lines({"text": hostile})}).sound
    (case,) = benchmark.cases

    assert case.variables["q"] == hostile
    assert case.criteria == f"Says {hostile}"
    assert case.turns[0] == Turn(role="user", content=hostile)


def test_turns_of_a_data_file_are_data(read, sound):
    row = {"id": "a", "turns": [{"role": "user", "content": "{{ 7*7 }}"}], "evaluation": "exact_match"}
    (case,) = _cases(read(sound(test_cases="rows.jsonl"), {"rows.jsonl": _lines(row)}))

    assert case.turns[0].content == "{{ 7*7 }}"


@pytest.mark.parametrize(
    ("given", "text"),
    [(1, "1"), (12345678901234567890, "12345678901234567890"), ("007", "007"), (1.5, "1.5")],
)
def test_an_id_is_the_exact_text_of_what_the_row_has(read, sound, given, text):
    (case,) = _cases(
        read(sound(test_cases="rows.jsonl", scorers=EXACT), {"rows.jsonl": _lines({"id": given, "q": "x"})})
    )

    assert case.id == text


def test_a_row_without_an_id_is_called_by_its_number(read, sound):
    rows = _lines({"q": "a"}, {"q": "b"}, {"q": "c"})
    text = sound(test_cases="{path: rows.jsonl, sample: 1, seed: 3}", scorers=EXACT)
    (case,) = _cases(read(text, {"rows.jsonl": rows}))

    assert {"1": "a", "2": "b", "3": "c"}[case.id] == case.variables["q"]


def test_ids_that_differ_only_in_type_are_one_id(read, sound):
    rows = _lines({"id": 1, "q": "a"}, {"id": "1", "q": "b"}, {"id": 1.0, "q": "c"})
    reading = read(sound(test_cases="rows.jsonl", scorers=EXACT), {"rows.jsonl": rows})
    (problem,) = _raised(reading)

    assert problem.message == "id '1' is used twice"
    assert problem.place.endswith("rows.jsonl:2")
    assert problem.hint.endswith("rows.jsonl:1")


def _raised(reading):
    with pytest.raises(BenchmarkError) as raised:
        list(reading.sound.cases)
    return raised.value.problems


def test_bad_rows_are_found_together_and_named_by_their_lines(read, sound):
    rows = _lines({"q": "fine"}, {"q": "x", "human_score": 9}, {"q": "y"}, {"q": "z", "tags": {"a": 1}})
    problems = _raised(read(sound(test_cases="rows.jsonl", scorers=EXACT), {"rows.jsonl": rows}))

    assert [problem.place.rpartition(":")[2] for problem in problems] == ["2", "4"]
    assert [problem.path for problem in problems] == ["human_score", "tags"]


def test_a_row_that_lacks_what_the_template_reads_is_an_error(read, sound):
    text = sound(test_cases="rows.jsonl", case='{expected_output: "{{ answer }}", evaluation: exact_match}')
    (problem,) = _raised(read(text, {"rows.jsonl": _lines({"q": "x", "answr": 1})}))

    assert problem.path == "expected_output"
    assert problem.place.endswith("rows.jsonl:1")
    assert "answer" in problem.message


def test_rows_are_read_as_they_are_needed_and_any_number_of_times(read, sound):
    rows = _lines({"id": "a", "q": "x"}) + "this is no JSON\n"
    cases = read(sound(test_cases="rows.jsonl", scorers=EXACT), {"rows.jsonl": rows}).sound.cases

    assert [next(iter(cases)).id for _ in range(2)] == ["a", "a"]


def test_a_data_file_without_rows_never_looks_like_success(read, sound):
    (problem,) = _raised(read(sound(test_cases="rows.csv", scorers=EXACT), {"rows.csv": "id,q\n"}))

    assert "no rows" in problem.message


def test_a_data_file_that_is_not_there_is_an_error_at_the_line_that_names_it(read, sound):
    (error,) = read(sound(test_cases="{path: nowhere.csv}")).errors

    assert error.startswith("bench.yaml:4:")
    assert "nowhere.csv" in error


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ("{limit: 3}", "test_cases"),
        ("{path: 3}", "test_cases.path"),
        ("{path: rows.csv, limit: 0}", "test_cases.limit"),
        ("{path: rows.csv, limit: 99999999999999999999}", "test_cases.limit"),
        ("{path: rows.csv, sample: 1.5}", "test_cases.sample"),
        ("{path: rows.csv, seed: x}", "test_cases.seed"),
        ("{path: rows.csv, smaple: 3}", "test_cases.smaple"),
    ],
)
def test_a_wrong_way_to_name_a_data_file_is_an_error(read, sound, block, path):
    reading = read(sound(test_cases=block, scorers=EXACT), {"rows.csv": "q\n1\n"})

    assert [problem.path for problem in reading.problems] == [path]


def test_a_template_without_a_data_file_is_an_error(read, sound):
    (error,) = read(sound(case="{id: x}")).errors

    assert "case: is a template for the rows of a data file" in error


@pytest.mark.parametrize(
    ("case", "path"),
    [
        ('{id: "{{ id"}', "case.id"),
        ("[x]", "case"),
        ("{variables: x}", "case.variables"),
        ("{tags: billing}", "case.tags"),
    ],
)
def test_a_wrong_template_is_an_error_before_any_row_is_read(read, sound, case, path):
    reading = read(sound(test_cases="rows.jsonl", case=case, scorers=EXACT), {"rows.jsonl": _lines({"q": "a"})})

    assert [problem.path for problem in reading.problems] == [path]


def test_another_data_file_takes_the_place_of_the_one_that_is_named(read, sound, tmp_path):
    text = sound(test_cases="{path: nowhere.jsonl, limit: 1}", case='{id: "q-{{ id }}", scorers: [exact_match]}')
    rows = _lines({"id": 1, "q": "a"}, {"id": 2, "q": "b"})
    reading = read(text, {"other/mine.jsonl": rows}, dataset=tmp_path / "other" / "mine.jsonl")

    assert [case.id for case in _cases(reading)] == ["q-1"]


def test_another_data_file_takes_the_place_of_inline_cases(read, sound, tmp_path):
    rows = _lines({"id": "a", "q": "x"})
    reading = read(sound(scorers=EXACT), {"mine.jsonl": rows}, dataset=tmp_path / "mine.jsonl")

    assert [case.id for case in _cases(reading)] == ["a"]


def test_a_data_file_is_found_beside_the_file_that_names_it(read, sound):
    text = sound(test_cases="../data/*.jsonl", scorers=EXACT)
    reading = read(
        text, {"data/b.jsonl": _lines({"q": "b"}), "data/a.jsonl": _lines({"q": "a"})}, name="suites/bench.yaml"
    )

    assert [(case.id, case.variables["q"]) for case in _cases(reading)] == [("1", "a"), ("2", "b")]
    assert reading.benchmark.base_dir == Path(reading.folder) / "suites"
