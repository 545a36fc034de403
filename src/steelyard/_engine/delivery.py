"""Telling results in plan order although cases finish in any order, in bounded memory.

A result that has to wait for slower ones before it is in the journal already; only the nearest few are also held in
memory, the others are read back when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable

from ..api import CaseResult
from .journal import Journal

HELD = 1000
"""Results held in memory at most."""


class InOrder:
    """Passes on results model by model, prompt by prompt, case by case."""

    def __init__(self, journal: Journal, deliver: Callable[[CaseResult], None], *, held: int = HELD) -> None:
        self._journal = journal
        self._deliver = deliver
        self._most = held
        self._held: dict[tuple[int, int], CaseResult] = {}
        self._left_out: set[tuple[int, int]] = set()
        self._sizes: dict[int, int] = {}
        self._next = (0, 0)
        self._fed = (0, -1)

    @property
    def position(self) -> tuple[int, int]:
        """The combo and the case that were begun last."""
        return self._fed

    def fed(self, combo: int, case: int) -> None:
        """Hear that a case has been begun. What an earlier run's journal holds beyond it is not to be told yet."""
        self._fed = (combo, case)

    def ended(self, combo: int, size: int) -> None:
        """Hear how many cases a combo has."""
        self._sizes[combo] = size
        self._advance()

    def finished(self, combo: int, case: int, result: CaseResult) -> None:
        """Hear of a case that has finished and is in the journal."""
        if len(self._held) < self._most:
            self._held[combo, case] = result
        self._advance()

    def left_out(self, combo: int, case: int) -> None:
        """Hear of a case that is not going to be run."""
        self._left_out.add((combo, case))
        self._advance()

    def flush(self, combos: int) -> None:
        """Tell what has finished beyond cases that have not, at the end of a run that was stopped."""
        first, after = self._next
        for combo in range(first, combos):
            for case in tuple(self._journal.numbers(combo, after - 1 if combo == first else -1)):
                self._deliver(self._journal.read(combo, case))
        self._held.clear()

    def _advance(self) -> None:
        while True:
            combo, case = self._next
            if self._sizes.get(combo) == case:
                self._next = (combo + 1, 0)
                continue
            if self._next > self._fed:
                return
            result = self._held.pop(self._next, None)
            if result is None and self._journal.has(combo, case):
                result = self._journal.read(combo, case)
            if result is not None:
                self._deliver(result)
            elif self._next in self._left_out:
                self._left_out.discard(self._next)
            else:
                return
            self._next = (combo, case + 1)
