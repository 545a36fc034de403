"""Runs in progress, and runs that were cut off: what their journals hold so far.

Each journal is read on from where the last request left it, so that watching a long run costs what it adds.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from threading import Lock

from steelyard.api import CaseResult
from steelyard.errors import RecordError
from steelyard.records import JournalHead, JournalReader

from .bounded import Bounded
from .folder import ResultsFolder, StoredFile, Unreadable
from .rows import Row, row_of
from .runs import NotFoundError, started_s

MOST_FOLLOWED = 8
LATEST = 25
"""Cases that are shown of those that finished last."""
QUIET_S = 120.0
"""A journal that has not grown for longer may be of a run that was cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComboProgress:
    """How far one combo is."""

    combo: int
    model: str
    prompt_id: str
    done: int
    passed: int
    failed: int
    errors: int
    total: int | None
    latency_p50_ms: float | None

    @property
    def score(self) -> float | None:
        """Per cent passed of those scored so far."""
        scored = self.passed + self.failed
        return 100 * self.passed / scored if scored else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """A run without a record, at one moment."""

    id: str
    head: JournalHead
    combos: tuple[ComboProgress, ...]
    latest: tuple[Row, ...]
    """The cases that finished last, the last one first."""
    spent_usd: float
    """What is known to have been paid."""
    spent_unknown: bool
    """Whether something was paid for whose price is unknown."""
    grew_s: float
    """When the journal was written last, in seconds since 1970."""
    damaged: int
    """Lines of the journal that cannot be understood."""

    @property
    def done(self) -> int:
        """Cases finished, over all combos."""
        return sum(combo.done for combo in self.combos)

    @property
    def total(self) -> int | None:
        """Cases planned, over all combos; ``None`` while nobody has counted them."""
        totals = [combo.total for combo in self.combos]
        known = [total for total in totals if total is not None]
        return sum(known) if totals and len(known) == len(totals) else None

    @property
    def passed(self) -> int:
        """Cases passed."""
        return sum(combo.passed for combo in self.combos)

    @property
    def failed(self) -> int:
        """Cases failed."""
        return sum(combo.failed for combo in self.combos)

    @property
    def errors(self) -> int:
        """Cases that could not be scored."""
        return sum(combo.errors for combo in self.combos)

    def quiet_for_s(self, now_s: float) -> float:
        """How long nothing has finished."""
        return max(now_s - self.grew_s, 0.0)

    def remaining_s(self, now_s: float) -> float | None:
        """How long it may still take at the pace so far; ``None`` when that cannot be told."""
        started = started_s(self.head.started)
        elapsed = self.grew_s - started
        if self.total is None or not self.done or not started or elapsed <= 0 or self.quiet_for_s(now_s) > QUIET_S:
            return None
        return max(self.total - self.done, 0) * elapsed / self.done


class LiveRuns:
    """The runs without a record."""

    def __init__(self, folder: ResultsFolder) -> None:
        self.folder = folder
        self._following: Bounded[str, _Following] = Bounded(MOST_FOLLOWED)

    def all(self) -> tuple[list[LiveRun], list[Unreadable]]:
        """Return the latest of them, the newest first, and the journals that cannot be read."""
        found: list[LiveRun] = []
        unreadable: list[Unreadable] = []
        files = sorted(self.folder.contents().journals.values(), key=lambda file: file.modified_ns, reverse=True)
        for file in files[:MOST_FOLLOWED]:
            try:
                found.append(self._now(file))
            except RecordError as error:
                unreadable.append(Unreadable(name=file.path.name, reason=_without_path(error, file)))
        return found, unreadable

    def find(self, run_id: str) -> LiveRun:
        """Return one of them. Raises ``NotFoundError``, or ``RecordError`` when its journal cannot be read."""
        return self._now(self._file(run_id))

    def case(self, run_id: str, combo: int, number: int) -> tuple[LiveRun, CaseResult]:
        """Return a case that has finished, with its run. Raises like :meth:`find`."""
        file = self._file(run_id)
        live = self._now(file)
        return live, self._follow(file).case(combo, number)

    def _file(self, run_id: str) -> StoredFile:
        file = self.folder.contents().journals.get(run_id)
        if file is None:
            raise NotFoundError(f"no run {run_id!r} is in progress in {self.folder.path}")
        return file

    def _follow(self, file: StoredFile) -> _Following:
        return self._following.get(file.id, partial(_Following, file.id))

    def _now(self, file: StoredFile) -> LiveRun:
        try:
            return self._follow(file).now(file)
        except RecordError as error:
            raise RecordError(f"{file.path.name}: {_without_path(error, file)}") from error


class _Following:
    """One journal, followed."""

    def __init__(self, run_id: str) -> None:
        self._id = run_id
        self._lock = Lock()
        self._forget(None)

    def now(self, file: StoredFile) -> LiveRun:
        """Read what has been added, and return how the run stands. Raises ``RecordError``."""
        with self._lock:
            if file.size_bytes == 0:
                self._forget(None)
                return self._state(file, JournalHead(), 0)
            if self._reader is None or file.size_bytes < self._reader.position:
                # Another file than was begun with: a run that was started anew under the same name.
                self._forget(JournalReader(file.path))
            reader = self._reader
            assert reader is not None  # noqa: S101 - just made; told to the type checker
            for entry in reader.entries():
                self._add(entry.combo, entry.case, entry.offset, entry.result)
            return self._state(file, reader.head, reader.damaged)

    def case(self, combo: int, number: int) -> CaseResult:
        """Return a case that has finished. Raises ``NotFoundError`` or ``RecordError``."""
        with self._lock:
            offset = self._offsets.get((combo, number))
            if offset is None or self._reader is None:
                raise NotFoundError(f"the case {number} under combo {combo} has not finished in {self._id!r}")
            return self._reader.at(offset).result

    def _forget(self, reader: JournalReader | None) -> None:
        self._reader = reader
        self._rows: dict[tuple[int, int], Row] = {}
        self._offsets: dict[tuple[int, int], int] = {}
        self._spent_usd: dict[tuple[int, int], float | None] = {}

    def _add(self, combo: int, number: int, offset: int, result: CaseResult) -> None:
        place = (combo, number)
        # Put at the end again when the case was run once more.
        self._rows.pop(place, None)
        self._rows[place] = row_of(combo, number, result)
        self._offsets[place] = offset
        spent = [run.spent_usd for run in result.runs]
        known = [part for part in spent if part is not None]
        self._spent_usd[place] = sum(known) if len(known) == len(spent) else None

    def _state(self, file: StoredFile, head: JournalHead, damaged: int) -> LiveRun:
        known = [spent for spent in self._spent_usd.values() if spent is not None]
        return LiveRun(
            id=self._id,
            head=head,
            combos=tuple(_progress(head, self._rows.values())),
            latest=tuple(list(self._rows.values())[: -LATEST - 1 : -1]),
            spent_usd=sum(known),
            spent_unknown=len(known) < len(self._spent_usd),
            grew_s=file.modified_s,
            damaged=damaged,
        )


def _progress(head: JournalHead, rows: Iterable[Row]) -> Iterable[ComboProgress]:
    by_combo: dict[int, list[Row]] = {combo: [] for combo in range(len(head.combos))}
    for row in rows:
        by_combo.setdefault(row.combo, []).append(row)
    for combo, done in sorted(by_combo.items()):
        model, prompt_id = head.labels(combo)
        verdicts = [row.verdict for row in done]
        latencies = [row.latency_ms for row in done if row.latency_ms is not None]
        yield ComboProgress(
            combo=combo,
            model=model,
            prompt_id=prompt_id,
            done=len(done),
            passed=verdicts.count("passed"),
            failed=verdicts.count("failed"),
            errors=verdicts.count("error"),
            total=head.cases,
            latency_p50_ms=statistics.median(latencies) if latencies else None,
        )


def now_s() -> float:
    """Return the present, in seconds since 1970."""
    return datetime.now().astimezone().timestamp()


def _without_path(error: RecordError, file: StoredFile) -> str:
    return str(error).removeprefix(f"{file.path}: ").removeprefix(f"{file.path.name}: ")
