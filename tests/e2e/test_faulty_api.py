"""The main job over real sockets, with an API that fails in every ordinary way: nothing is lost, nothing is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import (
    FakeAPI,
    FakeRequest,
    Reply,
    cut_off,
    dropped,
    error_in_200,
    failure,
    html,
    no_choices,
    rate_limited,
)

KEY = "sk-or-v1-secret-0123456789abcdef"
LABELS = ("billing", "account", "shipping")
CASES = 50
TRANSIENT: tuple[Reply, ...] = (
    rate_limited("0"),
    failure(503, "overloaded"),
    html(502),
    error_in_200(502),
    no_choices(),
    dropped(),
    cut_off(),
)
# What stays wrong, however often it is asked, by the number of the case: the message that has to be in the record.
LASTING: dict[int, tuple[Reply, str]] = {
    7: (failure(400, "x is not a valid model ID"), "not a valid model ID"),
    19: (Reply(text="", finish_reason="length"), "finish_reason: length"),
    31: (error_in_200(404, "No endpoints found for this model"), "No endpoints found"),
}


@dataclass(frozen=True)
class Finished:
    code: int
    stdout: str
    stderr: str
    record: dict[str, Any]
    folder: Path
    sent: int
    sent_again: int


def benchmark() -> dict[str, Any]:
    return {
        "name": "Faults",
        "quality_threshold": 60,
        "concurrency": 16,
        "retry_backoff": 0.005,
        "models": ["vendor/good", "vendor/middling", "vendor/poor"],
        "prompts": [
            {"id": "plain", "template": "Case {{ number }}. Which team?"},
            {"id": "system", "system": "You sort.", "template": "Case {{ number }}. Which team?"},
        ],
        "test_cases": [
            {
                "id": f"c{number:02}",
                "variables": {"number": f"#{number:02}"},
                "expected_output": LABELS[number % 3],
                "evaluation": "exact_match",
                "tags": ["even" if number % 2 == 0 else "odd"],
            }
            for number in range(CASES)
        ],
    }


def answers() -> Callable[[FakeRequest], Reply | str]:
    tried: dict[tuple[str, str], int] = {}

    def answer(request: FakeRequest) -> Reply | str:
        body = request.json
        number = int(body["messages"][-1]["content"].split("#")[1][:2])
        if number in LASTING:
            return LASTING[number][0]
        key = (body["model"], json.dumps(body["messages"]))
        tried[key] = tried.get(key, 0) + 1
        # Every fourth case fails once before it answers, each in another of the ways.
        if number % 4 == 0 and tried[key] == 1:
            return TRANSIENT[number // 4 % len(TRANSIENT)]
        right = LABELS[number % 3]
        if body["model"] == "vendor/good":
            return f" {right.upper()}\n"
        if body["model"] == "vendor/middling":
            return right if number % 2 == 0 else f"It is {right}."
        return "no idea"

    return answer


def run(command: list[str], folder: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, encoding="utf-8", timeout=80, check=False
    )


def completions(api: FakeAPI) -> int:
    return sum(request.path.endswith("/chat/completions") for request in api.requests)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("faults")
    (folder / "b.json").write_text(json.dumps(benchmark()), encoding="utf-8")
    with FakeAPI() as api:
        api.answer(answers())
        environ = {
            **os.environ,
            "OPENROUTER_API_KEY": KEY,
            "OPENROUTER_BASE_URL": api.base_url,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PYTHONUTF8": "1",
        }
        command = [sys.executable, "-m", "steelyard", "run", "b.json", "-v", "-o", "junit.xml", "-o", "report.html"]
        done = run(command, folder, environ)
        sent = completions(api)
        run([*command[:5], "-q", "--results-dir", "again"], folder, environ)
        sent_again = completions(api) - sent
    (path,) = (folder / "results").glob("*.json")

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    record = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    return Finished(done.returncode, done.stdout, done.stderr, record, folder, sent, sent_again)


def combos(finished: Finished) -> dict[tuple[str, str], dict[str, Any]]:
    return {(combo["model"], combo["prompt_id"]): combo for combo in finished.record["results"]}


def test_the_gate_decides_the_exit_code(finished: Finished) -> None:
    assert finished.code == 0, finished.stderr
    assert finished.stdout.rstrip().endswith("PASS: best score meets quality_threshold (60).")


def test_results_come_in_the_order_of_the_file(finished: Finished) -> None:
    wanted = [(f"vendor/{model}", prompt) for model in ("good", "middling", "poor") for prompt in ("plain", "system")]
    assert list(combos(finished)) == wanted
    for combo in finished.record["results"]:
        assert [case["id"] for case in combo["test_cases"]] == [f"c{number:02}" for number in range(CASES)]


@pytest.mark.parametrize(
    ("model", "passed"),
    [
        ("vendor/good", 47),  # all that can be scored
        ("vendor/middling", 25),  # the even ones; none of the lasting faults is even
        ("vendor/poor", 0),
    ],
)
@pytest.mark.parametrize("prompt", ["plain", "system"])
def test_each_combo_has_the_score_that_its_answers_earn(
    finished: Finished, model: str, passed: int, prompt: str
) -> None:
    combo = combos(finished)[model, prompt]
    assert (combo["success"], combo["scored"], combo["errors"], combo["total"]) == (passed, 47, 3, CASES)
    assert combo["score"] == pytest.approx(100 * passed / 47)


def test_cases_planned_are_accounted_for(finished: Finished) -> None:
    for combo in finished.record["results"]:
        assert combo["total"] == combo["success"] + combo["failed"] + combo["errors"] + combo["not_run"]


@pytest.mark.parametrize("number", sorted(LASTING))
def test_what_cannot_be_scored_is_an_error_and_never_a_zero(finished: Finished, number: int) -> None:
    for combo in finished.record["results"]:
        case = combo["test_cases"][number]
        assert case["status"] == "api_error"
        assert case["match_score"] is None
        assert case["match_result"] is False
        assert LASTING[number][1] in case["error"]


def test_a_fault_that_passes_is_tried_again_and_no_other(finished: Finished) -> None:
    # Cases 0, 4, … 48 fail once: 13 of 50, for each of 6 combos.
    assert finished.sent == 6 * (CASES + 13)


def test_every_error_is_named_once_on_standard_error(finished: Finished) -> None:
    assert finished.stderr.count("API error on ") == 6 * len(LASTING)
    assert "⚠️  API error on vendor/good / plain / c07: " in finished.stderr


def test_the_key_is_found_nowhere(finished: Finished) -> None:
    for path in finished.folder.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in finished.stdout + finished.stderr


def test_a_second_run_asks_only_for_what_could_not_be_scored(finished: Finished) -> None:
    assert finished.sent_again == 6 * len(LASTING)
