"""Finding the cases in a record's file without parsing them, and reading them as they are asked for.

A record of a million cases is opened in the time that it takes to read its lines, and held in eight bytes a case. It
works for files laid out as :mod:`steelyard.records.write` lays them out, and says no to all others. JSON escapes line
ends inside strings, so what stands at the start of a line is never a model's doing.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from ..api import CaseResult
from ..errors import RecordError
from .cases import decode_case
from .outlines import Outliner

CASE_INDENT = b" " * 8
_START = b'{\n  "schema_version": '
_CASE = CASE_INDENT + b'{"id":'
_RESULTS = b'  "results": [\n'
_RESULTS_END = (b"  ],\n", b"  ]\n")
_CASES = b'      "test_cases": [\n'
_CASES_END = b"      ]\n"


@dataclass(frozen=True, slots=True)
class Span:
    """Where the case lines of one combo stand: the offset of each, and of the end of the last."""

    starts: array[int]
    end: int


def find_cases(path: Path) -> tuple[dict[str, Any], list[Span]] | None:
    """Return a record's document with empty ``test_cases`` and the span of each; ``None`` for another layout."""
    skeleton: list[bytes] = []
    spans: list[Span] = []
    in_results = False
    with path.open("rb") as file:
        if file.read(len(_START)) != _START:  # spares a large file of another layout being parsed twice
            return None
        file.seek(0)
        position = 0
        lines = iter(file)
        for line in lines:
            position += len(line)
            skeleton.append(line)
            if line == _RESULTS:
                in_results = True
            elif line in _RESULTS_END:
                in_results = False
            elif in_results and line == _CASES:
                span = _span(lines, position)
                if span is None:
                    return None
                skeleton.append(_CASES_END)
                spans.append(span)
                position = span.end + len(_CASES_END)
    return _checked(b"".join(skeleton), spans)


def _span(lines: Iterator[bytes], position: int) -> Span | None:
    """Take the case lines that come next; ``None`` when anything but cases stands among them."""
    starts = array("Q")
    last = b","
    for line in lines:
        if line.startswith(_CASE) and last.endswith(b",") and line.endswith((b"},\n", b"}\n")):
            starts.append(position)
            position += len(line)
            last = line[:-1]
        elif line == _CASES_END and (last.endswith(b"}") or not starts):
            return Span(starts, position)
        else:
            return None
    return None


def _checked(skeleton: bytes, spans: list[Span]) -> tuple[dict[str, Any], list[Span]] | None:
    try:
        document = json.loads(skeleton, parse_constant=lambda _name: None)
    except (ValueError, RecursionError):
        return None
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, list) or len(results) != len(spans):
        return None
    if not all(isinstance(combo, dict) and combo.get("test_cases") == [] for combo in results):
        return None
    return document, spans


class StoredCases(Sequence[CaseResult]):
    """The cases of one combo in a record's file, decoded as they are asked for; nothing is kept."""

    def __init__(self, path: Path, span: Span, model: str, prompt_id: str) -> None:
        self._path = path
        self._span = span
        self._model = model
        self._prompt_id = prompt_id

    def __len__(self) -> int:
        return len(self._span.starts)

    @overload
    def __getitem__(self, index: int) -> CaseResult: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[CaseResult, ...]: ...

    def __getitem__(self, index: int | slice) -> CaseResult | tuple[CaseResult, ...]:
        positions = range(len(self))[index]
        if isinstance(positions, range):
            return tuple(self[position] for position in positions)
        return self._decoded(next(self._raw(positions, positions + 1)))

    def __iter__(self) -> Iterator[CaseResult]:
        return (self._decoded(line) for line in self.lines())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal to a tuple of the same cases, whose hash it does not share

    def outlines(self) -> Iterator[CaseResult]:
        """Go through the cases without their texts: id, verdict, tags, cluster, and the verdict of each run."""
        outliner = Outliner(self._model, self._prompt_id)
        return (outliner.read(line) or self._decoded(line) for line in self.lines())

    def lines(self) -> Iterator[bytes]:
        """Go through the cases as they were encoded."""
        return self._raw(0, len(self))

    def _raw(self, first: int, end: int) -> Iterator[bytes]:
        if first >= end:
            return
        try:
            with self._path.open("rb") as file:
                file.seek(self._span.starts[first])
                for _ in range(end - first):
                    yield file.readline().strip().removesuffix(b",")
        except OSError as error:
            raise RecordError(f"{self._path}: cannot be read: {error.strerror or error}") from error

    def _decoded(self, line: bytes) -> CaseResult:
        try:
            return decode_case(line, self._model, self._prompt_id)
        except RecordError as error:
            raise RecordError(f"{self._path}: {error}") from error
