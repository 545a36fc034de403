"""A run that somebody looks into: its record, an index of its cases, and a search through their texts.

An index takes about as long to make as the cases take to read, so the latest few are kept. They are found by the file's
path, size and time, so that a file that was written to is read anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from steelyard.api import CaseResult, RunRecord
from steelyard.errors import RecordError
from steelyard.records import read_record

from .bounded import Bounded
from .folder import StoredFile
from .rows import Row, rows_of
from .runs import NotFoundError, Run, Runs
from .searching import positions_holding

_MOST_ROWS = 500_000
"""About 250 MB."""
_MOST_SEARCHES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRun:
    """A run with its cases at hand."""

    run: Run
    record: RunRecord
    """With cases; those of a large record stay on the disk until they are asked for."""
    rows: tuple[Row, ...]
    _found: Bounded[str, frozenset[tuple[int, int]]] = field(
        default_factory=lambda: Bounded(_MOST_SEARCHES), repr=False, compare=False
    )

    @property
    def tags(self) -> list[str]:
        """Every tag, sorted."""
        return sorted({tag for row in self.rows for tag in row.tags})

    @property
    def scorers(self) -> list[str]:
        """The label of every scorer, sorted."""
        return sorted({name for row in self.rows for name in row.scorers})

    @property
    def rated(self) -> int:
        """How many cases carry a person's score."""
        return sum(row.rated for row in self.rows)

    def case(self, combo: int, number: int) -> CaseResult:
        """Return one case. Raises ``NotFoundError`` when there is none at that position."""
        results = self.record.results
        if combo >= len(results) or number >= len(results[combo].cases):
            raise NotFoundError(f"the run {self.run.id!r} has no case {number} under combo {combo}")
        return results[combo].cases[number]

    def case_of(self, row: Row) -> CaseResult:
        """Return the case of a row."""
        return self.case(row.combo, row.number)

    def holding(self, text: str) -> frozenset[tuple[int, int]]:
        """Return the positions, combo and number, of the cases that hold a text anywhere, whatever its case."""
        wanted = text.casefold()
        return self._found.get(wanted, partial(self._search, wanted))

    def _search(self, wanted: str) -> frozenset[tuple[int, int]]:
        return frozenset(
            (combo, number)
            for combo, result in enumerate(self.record.results)
            for number in positions_holding(result.cases, wanted)
        )


class Shelf:
    """The runs that were opened last."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._opened: Bounded[StoredFile, OpenedRun] = Bounded(_MOST_ROWS, lambda opened: len(opened.rows))

    def open(self, run_id: str) -> OpenedRun:
        """Open a run. Raises ``NotFoundError``, or ``RecordError`` when something in it cannot be read."""
        run = self._runs.find(run_id)
        return self._opened.get(run.file, partial(_opened, run))


def _opened(run: Run) -> OpenedRun:
    try:
        record = read_record(run.file.path)
        return OpenedRun(run=run, record=record, rows=rows_of(record.results))
    except RecordError as error:
        raise RecordError(str(error).replace(str(run.file.path), run.file.path.name, 1)) from error
