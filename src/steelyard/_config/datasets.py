"""The rows of data files: all of them, the first ones, or a sample, as often as they are wanted.

Rows are read as they are needed. Nothing is counted beforehand, so that a run over a million rows starts at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

from ..api import JsonMapping, Row
from ..errors import BenchmarkError, Problem
from .data_files import RowsOf, matching, rows_of

_EXACT = 2**53
"""Up to here a float holds every integer."""


class DataRows:
    """The rows that a benchmark takes from one or several data files."""

    def __init__(
        self,
        pattern: str,
        *,
        base_dir: Path,
        limit: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._pattern = pattern
        self._files: list[tuple[Path, RowsOf]] = [(path, rows_of(path)) for path in matching(pattern, base_dir)]
        self._limit = limit
        self._sample = sample
        self._seed = seed
        self._warn = warn
        self._chosen: frozenset[int] | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order in which they are read."""
        return tuple(path for path, _ in self._files)

    def __iter__(self) -> Iterator[Row]:
        """Go through the rows from the start, in the order of the files. Raises ``BenchmarkError`` at a bad row."""
        rows = islice(self._all(), self._limit)
        if self._sample is None:
            yield from rows
        elif self._chosen is None:
            drawn = self._draw(rows, self._sample)
            self._chosen = frozenset(row.number for row in drawn)
            yield from drawn
        else:
            wanted = (row for row in rows if row.number in self._chosen)
            yield from islice(wanted, len(self._chosen))

    def _all(self) -> Iterator[Row]:
        numbers = count(1)
        for path, rows in self._files:
            is_empty = True
            for (place, data), number in zip(rows(), numbers, strict=False):
                is_empty = False
                yield Row(data=_identified(data), place=place, number=number)
            if is_empty:
                raise BenchmarkError([Problem(message="holds no rows", place=str(path))])

    def _draw(self, rows: Iterator[Row], size: int) -> list[Row]:
        """Draw a sample in one pass: each row that comes later takes the place of another with the right chance."""
        # random() is the one method whose sequence Python promises never to change for a seed.
        draw = random.Random(self._seed).random  # noqa: S311 - repeatable is what is wanted
        drawn: list[Row] = []
        total = 0
        for total, row in enumerate(rows, 1):
            if len(drawn) < size:
                drawn.append(row)
            elif (place := int(draw() * total)) < size:
                drawn[place] = row
        if total < size and self._warn is not None:
            self._warn(f"{self._pattern}: a sample of {size} is asked for, but there are {total} rows; all are used")
        return sorted(drawn, key=lambda row: row.number)


def _identified(data: JsonMapping) -> JsonMapping:
    """Return a row whose id, if it is a whole number, is written the same way however the file writes it.

    Ids are text everywhere: 1 and 1.0 would be told apart by how they look.
    """
    identity = data.get("id")
    if isinstance(identity, float) and identity.is_integer() and abs(identity) < _EXACT:
        return {**data, "id": int(identity)}
    return data
