"""Memory does not grow with what goes through: what is done is on disk."""

from __future__ import annotations

import json
from typing import Any

FEW = 2_000
MANY = 20_000
GROWTH_KIB = 24 * 1024
"""Room for the numbers that are kept of each case, which are some bytes; an answer of 500 characters is not."""


def test_memory_does_not_grow_with_the_number_of_cases(place: Any) -> None:
    here = place("memory")
    whole = {
        "name": "memory",
        "models": [{"id": "echo", "provider": "mock"}],
        "prompts": [{"id": "p", "template": "{{ q }}"}],
        "test_cases": {"path": "rows.jsonl"},
        "case": {"id": "{{ id }}", "expected_output": "x", "evaluation": "exact_match"},
        "cache": False,
    }
    peaks = {}
    for count in (FEW, MANY):
        with (here.folder / "rows.jsonl").open("w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({"id": number, "q": f"{number} " + "y" * 500}) + "\n")
        (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
        ended = here.run("run", "b.json", "-q", "-j", "16")
        assert ended.code == 0, ended.said
        peaks[count] = ended.peak_kib
    assert here.records()[-1].stat().st_size > MANY * 500
    assert peaks[MANY] - peaks[FEW] < GROWTH_KIB, peaks
