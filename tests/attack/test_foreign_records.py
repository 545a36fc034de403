"""Records that contradict themselves are read for what they are worth."""

from __future__ import annotations

import json
from typing import Any

import pytest


@pytest.mark.parametrize("expected", [0, 1, 10**400])
def test_a_count_of_labels_that_contradicts_its_total_is_no_hypothesis(project: Any, expected: int) -> None:
    model = {"id": "echo", "provider": "mock", "default": "billing"}
    cases = [
        {"id": str(one), "variables": {"q": f"{one}"}, "expected_output": "x", "evaluation": "exact_match"}
        for one in range(6)
    ]
    project.suite([*cases, {**cases[0], "id": "b", "expected_output": "billing"}], models=[model])
    project("run", "suite.json")
    record = project.record()
    label = next(one for one in record["results"][0]["labels"]["labels"] if one["label"] == "x")
    assert label["expected"] == 6
    label["expected"] = expected
    project.write("odd.json", json.dumps(record))

    done = project("suggest", "odd.json")

    assert done.returncode == 0, done.stderr
    assert "is answered where 'x' is expected" not in done.stdout
