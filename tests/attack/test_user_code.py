"""Whatever a function of the user's raises costs its own score, and no run."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    "raised", ["GeneratorExit", "SystemExit(0)", "RecursionError", "ExceptionGroup('g', [ValueError()])"]
)
def test_what_a_function_raises_is_an_error_of_its_case(project: Any, raised: str) -> None:
    project.write("checks.py", f"def check(output, case):\n    raise {raised}\n")
    model = {"id": "echo", "provider": "mock", "default": "billing"}
    cases = [
        {"id": "broken", "variables": {"q": "1"}, "scorers": [{"type": "python", "function": "checks.py:check"}]},
        {"id": "whole", "variables": {"q": "2"}, "expected_output": "billing", "evaluation": "exact_match"},
    ]
    project.suite(cases, models=[model])

    done = project("run", "suite.json")

    broken, whole = project.cases()
    assert broken["status"] in ("judge_error", "internal_error")
    assert raised.partition("(")[0] in broken["error"]
    assert broken["response"] == "billing"
    assert whole["match_result"] is True
    assert "Traceback" not in done.stderr
