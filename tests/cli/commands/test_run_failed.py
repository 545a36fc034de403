"""``run --failed``: only what did not pass the last time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeRequest, Reply, failure

FILE = {
    "name": "Three",
    "models": ["vendor/a", "vendor/b"],
    "prompts": [{"id": "v1", "template": "<{{ n }}>"}],
    "test_cases": [
        {"id": f"c{n}", "variables": {"n": n}, "expected_output": "ok", "evaluation": "exact_match"} for n in (1, 2, 3)
    ],
}


@pytest.fixture
def again(online, api) -> Any:
    """A benchmark that was run once: c2 fails under a, c3 cannot be scored under b."""

    def answer(request: FakeRequest) -> Reply | str:
        if "<2>" in request.prompt and request.model == "vendor/a":
            return "no"
        return failure(400, "bad request") if "<3>" in request.prompt and request.model == "vendor/b" else "ok"

    api.answer(answer)
    online.write("b.json", json.dumps(FILE))
    assert online("run", "b.json").returncode == 0
    return online


def latest(desk: Any) -> Any:
    path = max((desk.folder / "results").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    return json.loads(path.read_text("utf-8"))


def ids(desk: Any) -> list[list[str]]:
    return [[case["id"] for case in combo["test_cases"]] for combo in latest(desk)["results"]]


def test_cases_that_failed_or_could_not_be_scored_are_run_again_under_every_combo(again):
    done = again("run", "b.json", "--failed")

    assert done.returncode == 0, done.stderr
    assert ids(again) == [["c2", "c3"]] * 2
    assert latest(again)["filters"] == {"ids": ["c2", "c3"]}


def test_of_chosen_models_only_their_own_failures_count(again):
    again("run", "b.json", "--failed", "-m", "vendor/b")

    assert ids(again) == [["c3"]]


def test_the_failures_of_the_latest_run_count_and_not_those_of_earlier_ones(again, api):
    api.reply("ok")
    again("run", "b.json", "--no-cache")

    done = again("run", "b.json", "--failed")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("b.json: every case passed in ")
    assert done.stderr.endswith("; nothing to run again\n")


def test_a_dry_run_estimates_just_these(again, api):
    api.catalog([])
    sent = api.count
    done = again("run", "b.json", "--failed", "--dry-run")

    # Two cases of three characters: two prompts of "<2>" and "<3>" are six characters, which make two tokens.
    assert [line.split()[2] for line in done.stdout.splitlines() if line.startswith("vendor/")] == ["2", "2"]
    assert api.count <= sent + 1


def test_without_an_earlier_run_there_is_nothing_to_go_by(online, api):
    online.write("b.json", json.dumps(FILE))

    done = online("run", "b.json", "--failed")

    assert (done.returncode, api.count) == (1, 0)
    assert done.stderr.startswith("error: b.json: no run of 'Three' is stored in ")


def test_a_mistaken_file_is_told_as_ever(online):
    online.write("b.json", json.dumps({**FILE, "models": []}))

    done = online("run", "b.json", "--failed")

    assert done.returncode == 1
    assert "models: must hold at least one model" in done.stderr
