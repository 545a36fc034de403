"""What kept cases from being scored, grouped by what went wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...api import CaseResult, Status
from .shares import share_of

_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+(?:\.\d+)?")
"""Names, ids and numbers, which differ between errors of the same kind."""
_LENGTH = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorKind:
    """Errors that are alike."""

    status: Status
    message: str
    """Of the first of them."""
    cases: tuple[str, ...]
    of: int
    """Cases that were run."""
    low: float
    """The lower bound of the 95 % interval of the share, from 0 to 1."""
    high: float


def error_kinds(cases: Sequence[CaseResult]) -> list[ErrorKind]:
    """Return what went wrong, the most frequent first."""
    found: dict[tuple[Status, str], list[CaseResult]] = {}
    for case in cases:
        if case.status is not Status.SCORED:
            kind = (case.status, _VARYING.sub("…", (case.error or "")[:_LENGTH]))
            found.setdefault(kind, []).append(case)
    kinds = [_kind(status, alike, cases) for (status, _), alike in found.items()]
    return sorted(kinds, key=lambda kind: -len(kind.cases))


def _kind(status: Status, alike: Sequence[CaseResult], cases: Sequence[CaseResult]) -> ErrorKind:
    low, high = share_of(alike, cases)
    return ErrorKind(
        status=status,
        message=(alike[0].error or "no message")[:_LENGTH],
        cases=tuple(case.id for case in alike),
        of=len(cases),
        low=low,
        high=high,
    )
