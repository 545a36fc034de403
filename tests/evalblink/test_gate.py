"""The gate: which runs pass, in which words, and that record and exit code agree."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, failure


def answering(api: FakeAPI, passed: int, errors: int = 0) -> None:
    """Let the first cases pass, the last ones fail with an error, and the others fail."""

    def answer(request: FakeRequest) -> Reply | str:
        number = int(request.prompt.split("#")[1])
        if number >= 10 - errors:
            return failure(400, "bad request")
        return "ok" if number < passed else "no"

    api.answer(answer)


def ten(make: Any, a_case: Any, **keys: Any) -> dict[str, Any]:
    cases = [a_case(f"c{number}", variables={"text": f"#{number}"}) for number in range(10)]
    return make(test_cases=cases, prompts=[{"id": "v1", "template": "{{ text }}"}], **keys)


def last_line(done: Any) -> str:
    return done.stdout.rstrip().splitlines()[-1]


@pytest.mark.parametrize(
    ("counts", "threshold", "code", "line"),
    [
        ((9, 0), 90, 0, "PASS: best score meets quality_threshold (90)."),
        ((9, 0), 90.5, 1, "FAIL: best score 90.0% is below quality_threshold (90.5)."),
        ((9, 1), 90, 0, "PASS: best score meets quality_threshold (90)."),
        # 1 of 1 scored, 1 of 10 in all: what could not be scored has not passed.
        ((1, 9), 50, 1, "FAIL: best score 10.0% is below quality_threshold (50)"),
        ((0, 0), 0, 0, "PASS: best score meets quality_threshold (0)."),
        ((0, 10), 0, 1, "FAIL: nothing could be scored."),
        ((0, 10), None, 1, "FAIL: nothing could be scored."),
    ],
)
def test_the_gate_counts_what_could_not_be_scored_as_failed(online, api, make, a_case, counts, threshold, code, line):
    answering(api, *counts)
    online.write("b.json", ten(make, a_case, quality_threshold=threshold))
    done = online("run", "b.json")
    assert done.returncode == code
    assert last_line(done).startswith(line)
    assert online.record()["insights"]["passed"] is (code == 0)


def test_without_a_threshold_a_run_passes(online, api, make, a_case):
    answering(api, 0)
    online.write("b.json", ten(make, a_case))
    done = online("run", "b.json")
    assert done.returncode == 0
    assert "PASS" not in done.stdout
    assert online.record()["insights"]["passed"] is True


def test_the_best_combo_decides(online, api, make, a_case):
    api.answer(lambda request: "ok" if request.model == "vendor/good" else "no")
    online.write("b.json", ten(make, a_case, models=["vendor/bad", "vendor/good"], quality_threshold=100))
    assert online("run", "b.json").returncode == 0


TWO = {"models": ["openai/gpt-4o-mini", "vendor/good"]}


@pytest.mark.parametrize(
    ("gate", "code", "line"),
    [
        ({"model": "vendor/good", "prompt": "v1"}, 0, "PASS: vendor/good / v1 score meets quality_threshold (80)."),
        ({"model": "vendor/good"}, 0, "PASS: vendor/good score meets quality_threshold (80)."),
        ({"prompt": "v1"}, 0, "PASS: v1 score meets quality_threshold (80)."),
        (
            {"model": "openai/gpt-4o-mini", "prompt": "v1"},
            1,
            "FAIL: openai/gpt-4o-mini / v1 score 0.0% is below quality_threshold (80).",
        ),
    ],
)
def test_the_gate_can_be_narrowed_to_one_combo(online, api, make, a_case, gate, code, line):
    api.answer(lambda request: "ok" if request.model == "vendor/good" else "no")
    online.write("b.json", ten(make, a_case, **TWO, quality_threshold=80, gate=gate))
    done = online("run", "b.json")
    assert (done.returncode, last_line(done)) == (code, line)


def test_a_filter_that_removes_the_gated_combo_drops_the_gate_with_a_note(online, api, make, a_case):
    api.answer(lambda request: "ok" if request.model == "vendor/good" else "no")
    online.write("b.json", ten(make, a_case, **TWO, quality_threshold=80, gate={"model": "vendor/good"}))
    done = online("run", "b.json", "-m", "openai/gpt-4o-mini")
    assert done.returncode == 0
    assert "gate: vendor/good is not part of this run; the gate is dropped for it" in done.stderr
    assert online.record()["insights"]["passed"] is True


def test_the_threshold_is_held_against_the_exact_share(online, api, make, a_case):
    # 57 of 100 is 56.99999999999999 in floating point; 8496 of 10000 must not round up to 85.
    def answer(request: FakeRequest) -> str:
        return "ok" if int(request.prompt.split("#")[1]) < 57 else "no"

    api.answer(answer)
    cases = [a_case(f"c{number}", variables={"text": f"#{number}"}) for number in range(100)]
    file = make(test_cases=cases, prompts=[{"id": "v1", "template": "{{ text }}"}], concurrency=20)
    online.write("b.json", {**file, "quality_threshold": 57})
    assert online("run", "b.json").returncode == 0
    online.write("b.json", {**file, "quality_threshold": 57.01})
    done = online("run", "b.json")
    assert done.returncode == 1
    assert last_line(done) == "FAIL: best score 57.0% is below quality_threshold (57.01)."
