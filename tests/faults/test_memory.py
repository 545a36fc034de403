"""A hundred thousand cases are no more than many cases: memory does not grow with them, for what is done is on disk."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

FEW = 2_000
MANY = 100_000
GROWTH_KIB = 64 * 1024
"""Room for the numbers that are kept of each case, which are some bytes; a row of a kilobyte is not."""
MOST_KIB = 1024 * 1024
"""What a run of this size may take at the most, as people expect it."""


class Case(msgspec.Struct):
    """The id of a case; what else it has is read and let go."""

    id: str


class Combo(msgspec.Struct):
    test_cases: list[Case]
    scored: int


class Record(msgspec.Struct):
    results: list[Combo]


@pytest.mark.timeout(900)
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
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    peaks = {}
    for count in (FEW, MANY):
        with (here.folder / "rows.jsonl").open("w", encoding="utf-8") as file:
            for number in range(count):
                file.write(json.dumps({"id": number, "q": f"{number} " + "y" * 1000}) + "\n")
        ended = here.run("run", "b.json", "-j", "16")
        assert ended.code == 0, ended.said
        peaks[count] = ended.peak_kib
    assert peaks[MANY] < MOST_KIB
    assert peaks[MANY] - peaks[FEW] < GROWTH_KIB, peaks
    # Nobody reads a line for each of them.
    assert len(ended.said.splitlines()) < 100
    (combo,) = msgspec.json.decode(here.records()[-1].read_bytes(), type=Record).results
    assert [case.id for case in combo.test_cases] == [str(number) for number in range(MANY)]
    assert combo.scored == MANY
