"""The results of a run in evalkit's layout, whose fields are those of evalkit 0.2.0."""

from __future__ import annotations

import json

import pytest
from steelyard_builtins.reporters import evalkit_results as plugin

from steelyard.api import Message, ScoreResult, Status
from steelyard.records import read_record
from steelyard.testing import make_case_result, make_case_run, make_combo, make_context, make_record, reporter_checks

(SPEC,) = plugin.steelyard_register_reporters()


def strict_json(path):
    return json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)


def look(record, text):
    results = json.loads(text)
    cases = [case for combo in record.results for case in combo.cases]
    assert [task["passed"] for task in results["tasks"]] == [case.passed for case in cases]
    assert results["summary"]["passed"] == sum(case.passed for case in cases)


@pytest.mark.parametrize("check", reporter_checks(SPEC, file="out.json", read=strict_json, look=look), ids=str)
def test_the_reporter_keeps_the_contract(check):
    check()


@pytest.fixture
def write(tmp_path):
    def written(record):
        reporter = SPEC.create(SPEC.settings(), make_context(tmp_path, output=tmp_path / "x.json"))
        reporter.run_finished(record)
        return strict_json(tmp_path / "x.json")

    return written


def run(repeat=0, *, passed=True, score=None, **fields):
    grade = ScoreResult(scorer="contains", name="ones", passed=passed, score=float(passed), reason="found 'one'")
    fields = {"latency_ms": 10.0, "cost_usd": 0.25, "prompt_tokens": 3, "completion_tokens": 2, **fields}
    return make_case_run(
        repeat=repeat,
        passed=passed,
        score=float(passed) if score is None else score,
        messages=(Message(role="system", content="Be brief."), Message(role="user", content="say one")),
        response="one",
        scores=(grade,),
        attempts=1,
        **fields,
    )


def case(name, runs, **fields):
    passed = [one.passed for one in runs]
    fields = {"passed": all(passed), "flaky": len(set(passed)) > 1, **fields}
    return make_case_result(name, runs=tuple(runs), model="openai:small", prompt_id="default", **fields)


def test_a_task_has_the_fields_of_evalkit(write):
    runs = [run(0, latency_ms=10.0), run(1, passed=False, score=1 / 3, latency_ms=30.04), run(2, latency_ms=20.0)]
    combo = make_combo([case("a", runs, passed=False, score=7 / 9, tags=("x",), expected="one")])

    (task,) = write(make_record([combo], benchmark="demo", repeat=3))["tasks"]
    listed = task.pop("runs")

    assert task == {
        "id": "a",
        "status": "flaky",
        "passed": False,
        "score": 0.7778,
        "pass_rate": 0.6667,
        "runs_passed": 2,
        "runs_total": 3,
        "tags": ["x"],
        "prompt": "say one",
        "expected": "one",
        "cost_usd": 0.75,
        "latency_ms": 20.0,
    }
    assert listed[1] == {
        "repeat": 1,
        "passed": False,
        "score": 0.3333,
        "output": "one",
        "error": None,
        "latency_ms": 30.0,
        "input_tokens": 3,
        "output_tokens": 2,
        "cost_usd": 0.25,
        "cached": False,
        "attempts": 1,
        "grades": [{"grader": "ones", "passed": False, "score": 0.0, "reason": "found 'one'"}],
    }


def test_the_summary_counts_as_evalkit_does(write):
    broken = make_case_run(passed=False, status=Status.API_ERROR, error="down", score=None)
    combo = make_combo(
        [
            case("pass", [run(0), run(1)]),
            case("pass but flaky", [run(0), run(1, passed=False)], passed=True, score=0.5),
            case("flaky", [run(0), run(1, passed=False)], score=0.5),
            case("fail", [run(0, passed=False), run(1, passed=False)], score=0.0),
            case("error", [broken, broken], status=Status.API_ERROR, passed=False, score=None),
        ]
    )

    document = write(make_record([combo], quality_threshold=60.0))
    summary = document["summary"]

    assert [task["status"] for task in document["tasks"]] == ["pass", "pass", "flaky", "fail", "error"]
    # A flaky failure is not among the failed; an error is a score of 0.
    assert {key: summary[key] for key in ("tasks", "passed", "failed", "flaky", "errored")} == {
        "tasks": 5, "passed": 2, "failed": 1, "flaky": 2, "errored": 1
    }  # fmt: skip
    assert (summary["pass_rate"], summary["score"], summary["fail_under"]) == (0.4, 0.4, 0.6)
    assert (summary["runs"], summary["runs_passed"]) == (10, 4)


def test_repeats_of_which_some_broke_count_as_evalkit_counts_them(write):
    nothing = {"prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0}
    broken = make_case_run(passed=False, status=Status.API_ERROR, error="down", score=None, **nothing)
    combo = make_combo(
        [
            case("enough passed", [run(0), broken], passed=True, flaky=False, score=1.0),
            case("too few passed", [run(0), broken, broken, broken], status=Status.API_ERROR, passed=False, score=None),
            case("none passed", [run(0, passed=False), broken], passed=False, flaky=False, score=0.0),
        ]
    )

    document = write(make_record([combo], repeat=2))
    tasks, summary = document["tasks"], document["summary"]

    # A run that broke has not passed and scores 0, so that a task may be flaky by it.
    assert [(task["status"], task["score"]) for task in tasks] == [("pass", 0.5), ("flaky", 0.25), ("error", 0.0)]
    assert {key: summary[key] for key in ("failed", "flaky", "errored", "score")} == {
        "failed": 0, "flaky": 2, "errored": 1, "score": 0.25
    }  # fmt: skip
    # What did not answer took nothing that is known.
    assert [tasks[0]["runs"][1][key] for key in ("input_tokens", "output_tokens", "cost_usd")] == [None, None, None]
    assert (summary["input_tokens"], summary["output_tokens"], summary["cost_usd"]) == (9, 6, 0.75)


def test_what_came_from_the_cache_was_not_spent_again(write):
    combo = make_combo([case("a", [run(0), run(1, cached=True)]), case("b", [run(0, cost_usd=None)])])

    summary = write(make_record([combo]))["summary"]

    assert (summary["cost_usd"], summary["cost_usd_spent"], summary["cached_runs"]) == (0.5, 0.25, combo.cached)


def test_the_head_is_that_of_evalkit(write):
    combo = make_combo([case("a", [run()])], model="openai:small")
    record = make_record([combo], benchmark="demo", timestamp="2026-03-01T13:00:00+02:00", seed=4, duration_s=1.23456)

    document = write(record)

    assert list(document) == [
        "format", "evalkit_version", "suite", "description", "target", "started_at", "duration_s", "repeat", "seed",
        "summary", "tasks",
    ]  # fmt: skip
    assert (document["format"], document["suite"], document["target"]) == (1, "demo", "openai:small")
    assert (document["started_at"], document["duration_s"], document["seed"]) == ("2026-03-01T11:00:00+00:00", 1.235, 4)


def test_several_combos_become_tasks_with_names_of_their_own(write):
    combos = [make_combo([case("a", [run()])], model=model, prompt_id="p") for model in ("small", "large")]

    document = write(make_record(combos))

    assert [task["id"] for task in document["tasks"]] == ["a [small / p]", "a [large / p]"]
    assert document["target"] == "small, large"


def test_what_is_unknown_is_null_and_what_is_no_json_does_no_harm(write):
    combo = make_combo([case("a", [run(cost_usd=None, latency_ms=None)], expected={"x": [float("nan"), "\ud800"]})])

    (task,) = write(make_record([combo]))["tasks"]

    assert (task["cost_usd"], task["latency_ms"], task["expected"]) == (None, None, {"x": [None, "?"]})


def test_a_run_can_be_read_again_as_results_of_evalkit(write, tmp_path):
    combo = make_combo([case("a", [run()]), case("b", [run(passed=False)])], model="openai:small", prompt_id="default")

    write(make_record([combo], benchmark="demo"))
    (found,) = read_record(tmp_path / "x.json").results

    assert [(one.id, one.passed) for one in found.cases] == [("a", True), ("b", False)]
