"""What is wrong with a suite of evalkit is told in its own words."""

from __future__ import annotations

import json

import pytest

EVALKIT = """
name: s
target: {{{target}}}
judge: {{provider: mock}}
tasks:
  - {{input: a, graders: [{{type: llm_judge, rubric: ok, provider: {{{judge}}}}}]}}
"""


@pytest.mark.parametrize(
    ("target", "judge", "path"),
    [
        ("provider: mock, respones: []", "provider: mock", "target.respones: unknown option 'respones'"),
        ("provider: none-such", "provider: mock", "target: unknown provider 'none-such'"),
        ("provider: command, command: ''", "provider: mock", "target: "),
        (
            "provider: mock",
            "provider: mock, latency_ms: x",
            "tasks[0].graders[0].provider.latency_ms: must be a number",
        ),
        ("provider: mock", "provider: openai", "tasks[0].graders[0].provider: provider 'openai' needs a model"),
    ],
)
def test_a_suite_of_evalkit_is_told_its_own_keys(desk, target, judge, path):
    desk.write("s.yaml", EVALKIT.format(target=target, judge=judge))

    done = desk("validate", "s.yaml")

    assert done.returncode == 1
    assert f"error: {path}" in done.stderr
    assert "models[0]" not in done.stderr
    assert "judges[" not in done.stderr


def test_results_that_say_no_more_than_evalkit_compares_are_read(desk):
    """Evalkit's own ``compare`` wants ``summary`` and ``tasks``."""
    for name, passed in (("before", True), ("after", False)):
        task = {"id": "a", "passed": passed, "status": "pass" if passed else "fail", "score": float(passed)}
        summary = {"pass_rate": float(passed), "score": float(passed)}
        desk.write(f"{name}.json", json.dumps({"format": 1, "summary": summary, "tasks": [task]}))

    assert desk("compare", "before.json", "before.json", "--threshold", "0").returncode == 0
    assert desk("compare", "before.json", "after.json", "--threshold", "0").returncode == 1


@pytest.mark.parametrize(
    ("settings", "flags", "verdict"),
    [
        ({"fail_under": 0.5}, (), "PASS: best score meets fail_under (0.5).\n"),
        ({"fail_under": 0.57}, (), "FAIL: best score 50.0% is below fail_under (0.57).\n"),
        ({}, (), "FAIL: best score 50.0% is below fail_under (1).\n"),
        ({"fail_under": 0.57}, ("--fail-under", "40"), "PASS: best score meets quality_threshold (40).\n"),
    ],
)
def test_the_gate_is_called_what_the_suite_calls_it(desk, settings, flags, verdict):
    tasks = [{"input": "a", "expected": wanted} for wanted in ("yes", "no")]
    target, graders = {"provider": "mock", "default": "yes"}, [{"type": "exact"}]
    suite = {"name": "s", "target": target, "graders": graders, "tasks": tasks, "settings": settings}
    desk.write("s.yaml", json.dumps(suite))

    assert desk("run", "s.yaml", "-q", *flags).stdout == verdict
