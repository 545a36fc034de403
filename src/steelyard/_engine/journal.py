"""What has finished, safe on disk: an append-only file with one line for each finished case.

Written while a run goes on, so that neither a crash nor ``kill -9`` loses what was paid for. The record is assembled from
it, and an interrupted run goes on from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from ..api import CaseResult

Encode = Callable[[CaseResult], bytes]
"""One JSON object in UTF-8, without a line break."""
Decode = Callable[[bytes], CaseResult]
"""The way back; raises ``ValueError``, ``KeyError`` or ``TypeError`` for anything else."""


class Journal:
    """The journal of one run, open for adding and for reading."""

    @classmethod
    def create(cls, path: Path, *, digest: str, encode: Encode, decode: Decode) -> Self:
        """Start a journal for the plan with this digest. Raises ``OSError`` when the file cannot be made."""
        raise NotImplementedError

    @classmethod
    def reopen(cls, path: Path, *, digest: str, encode: Encode, decode: Decode) -> Self:
        """Go on with the journal of an interrupted run. Raises ``RecordError`` when it is another plan's, or none."""
        raise NotImplementedError

    def add(self, combo: int, case: int, result: CaseResult) -> None:
        """Append a finished case: the number of its combo, its number among the cases, and what became of it."""
        raise NotImplementedError

    def cases(self, combo: int) -> Sequence[CaseResult]:
        """Return the finished cases of a combo in case order, each read from disk when it is asked for."""
        raise NotImplementedError

    def close(self) -> None:
        """Give the file back. What was added stays readable by :meth:`reopen`."""
        raise NotImplementedError
