"""Small suites, judged as evalkit 0.2.0 judges them.

``verdicts.json`` holds the suites, the prompts that evalkit sent, the outputs that came back from its mock provider,
and the verdict it gave. Where ``differs`` names a task, ours is another on purpose, with the reason.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
import steelyard_builtins.scorers
import yaml

from steelyard._config.options import fill_mapping
from steelyard.api import Completion, Output, PluginContext
from steelyard.errors import ScorerError

SUITES = json.loads((Path(__file__).parent / "verdicts.json").read_text(encoding="utf-8"))


@cache
def _specs():
    modules = [
        import_module(f"steelyard_builtins.scorers.{found.name}")
        for found in pkgutil.iter_modules(steelyard_builtins.scorers.__path__)
        if not found.name.startswith("_")
    ]
    registering = (module for module in modules if hasattr(module, "steelyard_register_scorers"))
    return {spec.name: spec for module in registering for spec in module.steelyard_register_scorers()}


class _Judge:
    """Answers what the mock provider of a suite's judge answers."""

    def __init__(self, benchmark):
        self._replies = {judge.id: judge.options["default"] for judge in benchmark.judges}

    async def complete(self, *, model, messages, parameters=None, timeout_s=None):
        return Completion(text=self._replies[model])


def _score(use, case, output, judge, folder):
    spec = _specs()[use.type]
    problems = []
    settings = fill_mapping(spec.settings, use.options, use.place, "", problems.append)
    assert problems == []
    context = PluginContext(base_dir=folder, work_dir=folder, cache_dir=folder, environ={})
    score = spec.create(settings, context).score(case, output, judge)
    if inspect.isawaitable(score):
        score = asyncio.run(score)
    passed = score.value >= use.threshold if use.threshold is not None else score.passed
    return (not passed, 1 - score.value) if use.negate else (passed, score.value)


def _verdict(benchmark, case, output, folder):
    """Judge as the engine does: all must pass, the score is the weighted mean, and one error is an error."""
    try:
        scores = [(use, *_score(use, case, output, _Judge(benchmark), folder)) for use in case.scorers]
    except ScorerError:
        return "error", None
    weights = sum(use.weight for use, _, _ in scores)
    mean = sum(use.weight * value for use, _, value in scores) / weights
    return "pass" if all(passed for _, passed, _ in scores) else "fail", mean


@pytest.mark.parametrize("entry", SUITES, ids=[entry["name"] for entry in SUITES])
def test_a_suite_gets_the_verdicts_of_evalkit(read, tmp_path, entry):
    text = yaml.safe_dump(entry["suite"], allow_unicode=True, sort_keys=False)
    benchmark = read(text, entry["files"]).sound
    cases = list(benchmark.cases)

    assert [case.id for case in cases] == [task["id"] for task in entry["tasks"]]
    for case, task in zip(cases, entry["tasks"], strict=True):
        messages = tuple(benchmark.prompts[0].render(case))
        assert messages[-1].content == task["prompt"]
        status, score = _verdict(benchmark, case, Output(text=task["output"], messages=messages), tmp_path)
        wanted = entry["differs"].get(task["id"], [task["status"], task["score"], ""])
        assert (task["id"], status) == (task["id"], wanted[0])
        if status != "error":
            assert score == pytest.approx(wanted[1], abs=5e-5)


def test_every_difference_has_a_reason_and_is_one():
    for entry in SUITES:
        told = {task["id"]: [task["status"], task["score"]] for task in entry["tasks"]}
        for identity, (status, score, reason) in entry["differs"].items():
            assert told[identity] != [status, score]
            assert reason


def test_there_are_enough_suites_to_speak_of_the_same_verdicts():
    assert len(SUITES) >= 40
