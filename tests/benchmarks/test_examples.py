"""The examples under benchmarks/ run as they are, and come to what they say of themselves."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from steelyard import RunOptions, open_session
from steelyard.testing import FakeAPI

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "benchmarks").rglob("*.yaml"))


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(ROOT / "benchmarks", tmp_path / "benchmarks", ignore=shutil.ignore_patterns("speed", "__pycache__"))
    return tmp_path


@pytest.fixture
def session(folder, monkeypatch):
    """Open a session in a folder of its own that holds the examples."""
    monkeypatch.setenv("PYTHON", sys.executable)

    def opened(**environ):
        base = {"PYTHON": sys.executable, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        return open_session(
            cwd=folder, environ={**base, **environ}, settings={"reporters": []}, warn=lambda _line: None
        )

    return opened


def cases_of(record):
    (combo,) = record.results
    return {case.id: case for case in combo.cases}


def test_every_example_is_listed_and_nothing_else():
    text = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    listed = re.findall(r"^\| \[(\S+)\]\((\S+)\) \|", text, re.MULTILINE)

    assert sorted(f"benchmarks/{link}" for _name, link in listed) == EXAMPLES
    assert all(name == link for name, link in listed)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_valid(session, folder, example):
    checked = session().check(folder / example)

    assert [str(problem) for problem in checked.problems if problem.severity == "error"] == []


def test_every_scorer_that_needs_no_judge_has_its_example(session, folder):
    asking = {"llm_judge", "pairwise"}
    plugins = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["steelyard"]
    scorers = {name for name, module in plugins.items() if module.startswith("steelyard_builtins.scorers.")}

    record = session().run(folder / "benchmarks" / "scorers.yaml", RunOptions(store=False))
    used = {score.scorer for case in cases_of(record).values() for run in case.runs for score in run.scores}

    assert used == scorers - asking
    assert [case.id for case in cases_of(record).values() if not case.passed] == []
    assert record.insights.passed


def test_the_support_bot_passes_at_its_bar_with_its_one_known_gap(session, folder):
    record = session().run(folder / "benchmarks" / "support-bot" / "support-bot.yaml", RunOptions(store=False))
    cases = cases_of(record)

    assert [case.id for case in cases.values() if not case.passed] == ["close-account"]
    assert (len(cases), record.results[0].score, record.insights.passed) == (8, 87.5, True)
    # Friendly, without secrets, and short at half the weight: 2.5 of 3.5.
    assert cases["close-account"].score == pytest.approx(2.5 / 3.5)
    assert cases["flat-tyre"].score == 1.0


def test_the_flaky_model_comes_out_as_its_draws_say(session, folder):
    def passes(question, flaky):
        draws = [
            int.from_bytes(hashlib.sha256(f"1:{repeat}:{question}".encode()).digest()[:8], "big") / 2**64
            for repeat in range(10)
        ]
        return sum(draw >= flaky for draw in draws)

    record = session().run(folder / "benchmarks" / "flaky.yaml", RunOptions(store=False))
    cases = cases_of(record)
    passed = {name: sum(run.passed for run in case.runs) for name, case in cases.items()}

    assert passed == {
        "steady": 10,
        "mostly": passes("How many feet has a snail?", 0.2),
        "seldom": passes("How many legs has a millipede?", 0.6),
    }
    assert {name: (case.passed, case.flaky) for name, case in cases.items()} == {
        "steady": (True, False),
        "mostly": (True, True),
        "seldom": (False, True),
    }
    assert record.insights.passed


def test_a_server_of_one_s_own_is_asked_as_the_file_says(session, folder):
    answers = {"Which river": "The Danube.", "day ticket": "They cost 17.40.", "purse": "Ask at the lost and found."}
    judgement = '{"reasoning": "It shows understanding.", "score": 5}'

    def answer(request):
        return next((said for question, said in answers.items() if question in request.prompt), judgement)

    with FakeAPI() as api:
        api.answer(answer)
        record = session(LLM_URL=api.base_url, LLM_MODEL="my-model").run(
            folder / "benchmarks" / "openai-compatible.yaml", RunOptions(store=False)
        )
        requests = list(api.requests)

    assert all(case.passed for case in cases_of(record).values())
    assert record.results[0].cost_usd == 0
    assert [request.model for request in requests] == ["my-model"] * 5
    assert not any("authorization" in request.headers for request in requests)
