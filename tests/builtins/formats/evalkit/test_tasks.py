"""Tasks of evalkit suites, inline and from files."""

from __future__ import annotations

import json

import pytest

from steelyard.errors import BenchmarkError

EXACT = "[{type: exact, value: b}]"


def _lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_task_keeps_everything_it_says(read, suite):
    task = "{id: refund, vars: {m: x}, input: hi, expected: [1], tags: [billing], metadata: {owner: me}}"
    (case,) = read(suite(graders=EXACT, tasks=f"[{task}]")).sound.cases

    assert (case.id, case.input, case.expected, case.tags) == ("refund", "hi", [1], ("billing",))
    assert (dict(case.variables), dict(case.metadata)) == ({"m": "x"}, {"owner": "me"})


def test_a_task_without_an_id_is_called_by_its_number_among_all(read, suite):
    cases = read(suite(graders=EXACT, tasks="[{input: a}, {id: z, input: b}, {id: null, input: c}]")).sound.cases

    assert [case.id for case in cases] == ["task-1", "z", "task-3"]


@pytest.mark.parametrize("tasks", ["[{id: a, input: x}, {id: a, input: y}]", "[{id: task-2, input: x}, {input: y}]"])
def test_an_id_that_is_used_twice_is_an_error_with_both_places(read, suite, tasks):
    (error,) = read(suite(graders=EXACT, tasks=tasks)).errors

    assert "is used twice; first at bench.yaml:3:9" in error


@pytest.mark.parametrize("identity", ["7", "yes", "1.50", "[a]"])
def test_an_inline_id_is_text(read, suite, identity):
    (error,) = read(suite(graders=EXACT, tasks=f"[{{id: {identity}, input: x}}]")).errors

    assert "tasks[0].id: must be text" in error


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", _lines({"input": "b"}, {"id": "z", "input": "b"})),
        ("t.json", json.dumps([{"input": "b"}, {"id": "z", "input": "b"}])),
        ("t.yaml", "- {input: b}\n- {id: z, input: b}\n"),
    ],
)
def test_tasks_are_read_from_a_file_beside_the_suite(read, suite, name, content):
    reading = read(suite(graders=EXACT, tasks=f"sub/{name}"), {f"suites/sub/{name}": content}, name="suites/evals.yaml")

    assert [case.id for case in reading.sound.cases] == ["task-1", "z"]


def test_an_id_in_a_file_may_be_a_number(read, suite):
    reading = read(
        suite(graders=EXACT, tasks="t.jsonl"), {"t.jsonl": _lines({"id": 12345678901234567890, "input": "b"})}
    )

    assert [case.id for case in reading.sound.cases] == ["12345678901234567890"]


def test_a_bad_line_of_a_file_is_named(read, suite):
    rows = _lines({"input": "b"}, {"inpt": "b", "input": "x"}, {"input": 3})
    cases = read(suite(graders=EXACT, tasks="t.jsonl"), {"t.jsonl": rows}).sound.cases

    with pytest.raises(BenchmarkError) as raised:
        list(cases)
    assert [problem.place.rpartition(":")[2] for problem in raised.value.problems] == ["2", "3"]


def test_a_file_that_is_not_there_is_an_error_at_its_name(read, suite):
    (error,) = read(suite(graders=EXACT, tasks="nope.jsonl")).errors

    assert error.startswith("bench.yaml:3:8: ")
    assert "nope.jsonl" in error


def test_judges_in_a_file_of_tasks_are_known_before_it_is_gone_through(read, suite):
    grader = {"type": "llm_judge", "rubric": "ok", "provider": {"provider": "mock", "model": "j"}}
    benchmark = read(suite(tasks="t.jsonl"), {"t.jsonl": _lines({"input": "b", "graders": [grader]})}).sound
    (judge,) = benchmark.judges
    (case,) = benchmark.cases

    assert judge.id == case.scorers[0].options["model"] == "mock:j"


def test_another_file_takes_the_place_of_the_tasks(read, suite, tmp_path):
    reading = read(
        suite(graders=EXACT), {"mine.jsonl": _lines({"id": "m", "input": "b"})}, dataset=tmp_path / "mine.jsonl"
    )

    assert [case.id for case in reading.sound.cases] == ["m"]
