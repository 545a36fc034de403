"""Cases that are rows of a data file, made one at a time, so that a file of any length can be run.

What a row means is its format's; that ids are unique and that problems are told together is the same for all.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from steelyard.api import Case, Node, Row, Rows
from steelyard.errors import BenchmarkError, Problem

MOST_ROWS = 1_000_000_000
"""The largest limit or sample that a suite may ask for."""
MOST_PROBLEMS = 20
"""After the first bad row the others are read too, to say what else is wrong, until so many problems are found."""

ReadRow = Callable[[Node, int], Sequence[Case]]
"""Makes cases, mostly one, of a row and its number, from 1; reports what is wrong through the node."""


@dataclass(slots=True, kw_only=True, eq=False)
class RowCases:
    """A source of cases that can be gone through any number of times."""

    rows: Rows
    read: ReadRow
    warn: Callable[[Problem], None]
    """Where warnings go, each once."""
    _is_whole: bool = field(default=False, init=False)
    """Whether every row was read once, so that ids need not be compared again."""
    _warned: set[str] = field(default_factory=set, init=False)

    def __iter__(self) -> Iterator[Case]:
        """Go through the cases from the start.

        Raises ``BenchmarkError`` at a row that is no case, and at an id that was used before.
        """
        seen: set[str] | None = None if self._is_whole else set()
        rows = self._numbered()
        for number, row in rows:
            problems: list[Problem] = []
            cases = self._cases(number, row, problems)
            if problems:
                raise BenchmarkError(problems + self._further_problems(rows))
            if seen is not None:
                self._compare_ids(cases, seen)
            yield from cases
        self._is_whole = True

    def _numbered(self) -> Iterator[tuple[int, Row]]:
        return ((row.number or count, row) for count, row in zip(itertools.count(1), self.rows, strict=False))

    def _compare_ids(self, cases: Sequence[Case], seen: set[str]) -> None:
        for case in cases:
            if case.id in seen:
                raise BenchmarkError([self._used_twice(case)])
            seen.add(case.id)

    def _cases(self, number: int, row: Row, problems: list[Problem]) -> Sequence[Case]:
        def sort(problem: Problem) -> None:
            if problem.severity == "error":
                problems.append(problem)
            elif problem.message not in self._warned:
                self._warned.add(problem.message)
                self.warn(problem)

        return self.read(Node(row.data, (), lambda _path, _at_key: row.place, sort), number)

    def _further_problems(self, rows: Iterator[tuple[int, Row]]) -> list[Problem]:
        problems: list[Problem] = []
        try:
            for number, row in rows:
                self._cases(number, row, problems)
                if len(problems) >= MOST_PROBLEMS:
                    break
        except BenchmarkError as error:
            problems.extend(error.problems)
        return problems

    def _used_twice(self, case: Case) -> Problem:
        # Only the ids are kept in memory, so the first place is looked up again.
        found = (found for number, row in self._numbered() for found in self._cases(number, row, []))
        first = next((other.place for other in found if other.id == case.id), case.place)
        return Problem(message=f"id {case.id!r} is used twice", place=case.place, path="id", hint=f"first at {first}")
