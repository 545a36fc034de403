"""The runs of the folder, by what their records say at the top: for lists, charts, and finding one by its id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock

from steelyard.api import ComboResult, RunRecord
from steelyard.errors import RecordError
from steelyard.records import read_record

from .folder import Contents, ResultsFolder, StoredFile, Unreadable


class NotFoundError(Exception):
    """Nothing of that id is in the results folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run by the head of its record; the cases stay on the disk."""

    file: StoredFile
    record: RunRecord

    @property
    def id(self) -> str:
        """What the run is called in addresses: the file's name, whatever the record says."""
        return self.file.id

    @property
    def started_s(self) -> float:
        """When it started, in seconds since 1970; 0 when the record does not say so in a way that is understood."""
        return started_s(self.record.timestamp)

    @property
    def partial(self) -> bool:
        """Whether its figures are of a part of the benchmark."""
        return bool(self.record.filters) or self.record.interrupted

    @property
    def best(self) -> ComboResult | None:
        """The combo with the highest score, the first of equals."""
        scored = [combo for combo in self.record.results if combo.score is not None]
        return max(scored, key=lambda combo: combo.score or 0.0, default=None)

    @property
    def cost_usd(self) -> float | None:
        """What all of it cost; ``None`` when a part is unknown."""
        costs = [combo.cost_usd for combo in self.record.results]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if costs and len(known) == len(costs) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All there is to list."""

    runs: tuple[Run, ...]
    """The newest first."""
    unreadable: tuple[Unreadable, ...]
    contents: Contents

    @property
    def benchmarks(self) -> tuple[str, ...]:
        """Their benchmarks, the one that was run last first."""
        return tuple(dict.fromkeys(run.record.benchmark for run in self.runs))


class Runs:
    """Reads the heads of records, each file once until it is written to again."""

    def __init__(self, folder: ResultsFolder) -> None:
        self.folder = folder
        self._heads: Mapping[StoredFile, RunRecord | str] = {}
        self._lock = Lock()

    def listing(self) -> Listing:
        """Return every run, and every file that cannot be read with its reason."""
        contents = self.folder.contents()
        with self._lock:
            # Only what is still there is kept, so that the memory is bounded by the folder.
            self._heads = {
                file: self._heads[file] if file in self._heads else _head(file) for file in contents.records.values()
            }
            heads = self._heads
        runs = [Run(file=file, record=head) for file, head in heads.items() if isinstance(head, RunRecord)]
        damaged = [
            Unreadable(name=file.path.name, reason=head) for file, head in heads.items() if isinstance(head, str)
        ]
        return Listing(
            runs=tuple(sorted(runs, key=when, reverse=True)),
            unreadable=(*contents.unreadable, *damaged),
            contents=contents,
        )

    def find(self, run_id: str) -> Run:
        """Return one run. Raises ``NotFoundError``, or ``RecordError`` when its record cannot be read."""
        file = self.folder.contents().records.get(run_id)
        if file is None:
            raise NotFoundError(f"no run {run_id!r} is in {self.folder.path}")
        with self._lock:
            head = self._heads.get(file)
        if head is None:
            head = _head(file)
        if isinstance(head, str):
            raise RecordError(f"{file.path.name}: {head}")
        return Run(file=file, record=head)


def without_cases(record: RunRecord) -> RunRecord:
    """Return a record that holds no case, and so little memory."""
    return replace(record, results=tuple(replace(combo, cases=()) for combo in record.results))


def started_s(timestamp: str) -> float:
    """Return the seconds since 1970 of an ISO 8601 time; one without an offset is local, one not understood 0."""
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _head(file: StoredFile) -> RunRecord | str:
    """Return the head of a record, or why there is none."""
    try:
        return without_cases(read_record(file.path))
    except RecordError as error:
        return str(error).removeprefix(f"{file.path}: ")


def when(run: Run) -> tuple[float, int, str]:
    """Return what runs are sorted by, the oldest first."""
    # Runs of the same second are told apart by the end of their names, where -10 comes after -9.
    return run.started_s, len(run.id), run.id
