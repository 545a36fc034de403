"""No figure on the page may contradict the gate's verdict beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest


def run_of(project: Any, *, passed: int, total: int, threshold: float) -> str:
    rows = (json.dumps({"id": number, "q": "good" if number < passed else "bad"}) for number in range(total))
    project.write("rows.jsonl", "\n".join(rows))
    case = {"id": "{{ id }}", "expected_output": "good", "evaluation": "exact_match"}
    models = [{"id": name, "provider": "mock"} for name in ("echo", "another")]
    project.suite([], models=models, test_cases="rows.jsonl", case=case, quality_threshold=threshold)
    done = project("run", "suite.json", "-o", "page.html")
    report = next((project.folder / "results").glob("*.md")).read_text(encoding="utf-8")
    return done.stdout + done.stderr + report + (project.folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("passed", "total", "threshold", "shown", "never"),
    [
        (2124, 2500, 85, "84.96%", "85.0%"),
        (1, 3000, 0.04, "0.03%", "0.1%"),
        (2, 3, 66.67, "66.667%", "66.7%"),
        (3, 3, 100, "100.0%", "100.00%"),
        (17, 20, 85, "85.0%", "85.00%"),
    ],
)
def test_a_score_is_never_rounded_to_the_other_side_of_the_threshold(
    project: Any, passed: int, total: int, threshold: float, shown: str, never: str
) -> None:
    said = run_of(project, passed=passed, total=total, threshold=threshold)

    assert shown in said
    assert never not in said
