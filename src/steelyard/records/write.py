"""A record to its file, as a stream: the head for people, then each case on a line of its own, and insights last.

The layout is a promise to :mod:`steelyard.records.layout`, which finds the cases again without parsing them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ..api import ComboResult, RunRecord
from .cases import encode_case
from .combos import combo_fields, head_fields, insights_fields
from .files import write_file
from .layout import CASE_INDENT, StoredCases
from .strict_json import pretty

CaseLines = Callable[[int], Iterable[bytes]]
"""Gives the lines of a combo, by its position in the results, as :func:`encode_case` makes them."""


def write_record(path: Path, record: RunRecord, case_lines: CaseLines | None = None) -> None:
    """Store a record: strict JSON in UTF-8, whole or not at all.

    Args:
        path: The file; it is replaced.
        record: What to store. A lone surrogate becomes ``?``, a number that JSON does not have null.
        case_lines: Where the cases are encoded already. They are then taken from there, one after the other, and
            ``cases`` of the results is not looked at.

    Raises ``SteelyardError`` when the file cannot be written.
    """
    write_file(path, record_chunks(record, case_lines))


def record_chunks(record: RunRecord, case_lines: CaseLines | None = None) -> Iterator[bytes]:
    """Return the bytes of a record's file, piece by piece."""
    yield pretty(head_fields(record)).removesuffix(b"\n}")
    yield b',\n  "results": ['
    for index, combo in enumerate(record.results):
        yield b",\n    " if index else b"\n    "
        yield pretty(combo_fields(combo), indent=4).removesuffix(b"\n    }")
        yield b',\n      "test_cases": ['
        yield from _joined(_lines(combo) if case_lines is None else case_lines(index))
        yield b"\n      ]\n    }"
    yield b'\n  ],\n  "insights": '
    yield pretty(insights_fields(record.insights), indent=2)
    yield b"\n}\n"


def _lines(combo: ComboResult) -> Iterable[bytes]:
    if isinstance(combo.cases, StoredCases):
        return combo.cases.lines()
    return (encode_case(case) for case in combo.cases)


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    between = b"\n" + CASE_INDENT
    for line in lines:
        yield between + line
        between = b",\n" + CASE_INDENT
