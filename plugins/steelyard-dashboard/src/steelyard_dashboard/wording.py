"""What pages say about verdicts and changes, in a word or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from steelyard.api import Status

from .results.rows import Row

_ERRORS: Final[Mapping[Status, str]] = {
    Status.API_ERROR: "API error",
    Status.JUDGE_API_ERROR: "judge API error",
    Status.JUDGE_ERROR: "judge error",
    Status.INTERNAL_ERROR: "internal error",
}

VERDICT_LABELS: Final[Mapping[str, str]] = {
    "passed": "passed",
    "failed": "failed",
    "flaky": "flaky",
    "errors": "any error",
    **{status.value: label for status, label in _ERRORS.items()},
}
"""What cases may be filtered by, as the form names it."""

CHANGE_LABELS: Final[Mapping[str, str]] = {
    "disagree": "Disagreements",
    "regressed": "Regressions",
    "improved": "Improvements",
    "new_error": "New errors",
    "recovered": "Recovered",
    "reworded": "Answers differ",
    "missing": "Not everywhere",
}
"""The changes between sides, as the tabs of a comparison name them."""


def verdict_label(row: Row) -> str:
    """Return what became of a case: ``passed``, ``failed``, or which error stood in the way."""
    return _ERRORS.get(row.status, "passed" if row.passed else "failed")
