"""Past runs: finding them, reading them, and picking the two that somebody wants compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from .._engine.gate import decide
from .._engine.insights import insights
from .._engine.pairing import differences
from .._engine.summary import ComboTally
from .._store import Store, StoredRun
from ..api import ComboResult, Gate, RunRecord, Verdict
from ..errors import RecordError
from ..records import read_record


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToCompare:
    """There is no second run; that is no failure."""

    reason: str
    """One line for the user."""


def open_store(folder: Path) -> Store:
    """Return a results folder. It need not exist."""
    return Store(folder)


class History:
    """The runs in a results folder, and records from anywhere."""

    def __init__(self, store: Store, warn: Callable[[str], None]) -> None:
        self._store = store
        self._warn = warn

    @property
    def folder(self) -> Path:
        """Where the runs are."""
        return self._store.folder

    def runs(self, skipped: Callable[[str], None]) -> list[StoredRun]:
        """Return every readable run, the oldest first, with its insights worked out anew.

        ``skipped`` hears, in a line each, which files cannot be used and why.
        """
        return [StoredRun(path=run.path, record=refreshed(run.record)) for run in self._store.runs(skipped)]

    def run(self, wanted: str | None = None) -> StoredRun:
        """Return the run of a path, an id or the unique beginning of one; the latest when none is given.

        Raises ``RecordError`` when there is none, when several begin so, or when it cannot be read.
        """
        if wanted is None:
            latest = self._store.latest()
            if latest is None:
                raise RecordError(f"{self.folder}: no run is stored there; make one with: steelyard run")
            path = latest.path
        else:
            path = self._store.find(wanted)
        return StoredRun(path=path, record=_with_runner_up(refreshed(read_record(path, self._warn))))

    def latest_of(self, benchmark: str) -> StoredRun | None:
        """Return the newest run of a benchmark, by its name; ``None`` when there is none."""
        return self._store.latest(benchmark)

    def two(
        self, first: str | None = None, second: str | None = None
    ) -> tuple[RunRecord, RunRecord] | NothingToCompare:
        """Pick the runs to compare, the earlier one first.

        Two names: those. One: a kept baseline, against the latest run of the same benchmark with the same filters.
        None: the two latest runs of the benchmark that was run last.
        """
        if first is not None and second is not None:
            return self.run(first).record, self.run(second).record
        if first is not None:
            return self._against_latest(self.run(first))
        latest = self._store.latest()
        if latest is None:
            return NothingToCompare(reason=f"{self.folder}: no run is stored there yet")
        earlier = [run for run in self._alike(latest.record) if run.path != latest.path]
        if not earlier:
            return NothingToCompare(
                reason=f"{latest.record.run_id} is the only run of {latest.record.benchmark!r} so far"
            )
        return self._said(earlier[-1]), self._said(latest)

    def _against_latest(self, baseline: StoredRun) -> tuple[RunRecord, RunRecord] | NothingToCompare:
        others = [run for run in self._alike(baseline.record) if not _same_run(run, baseline)]
        if not others:
            benchmark = baseline.record.benchmark
            return NothingToCompare(
                reason=f"{self.folder}: no other run of {benchmark!r} with the same filters to compare with"
            )
        return baseline.record, self._said(others[-1])

    def _said(self, run: StoredRun) -> RunRecord:
        """Return the record of a run that was chosen among others, and say what is doubtful about it."""
        return read_record(run.path, self._warn)

    def _alike(self, record: RunRecord) -> list[StoredRun]:
        return [
            run
            for run in self._store.runs()
            if run.record.benchmark == record.benchmark and dict(run.record.filters) == dict(record.filters)
        ]


def _same_run(run: StoredRun, other: StoredRun) -> bool:
    """Whether two files hold the same run: a kept baseline is a copy of a record that is still in the folder."""
    return run.path.resolve() == other.path.resolve() or (
        run.record.run_id == other.record.run_id and run.record.timestamp == other.record.timestamp
    )


def refreshed(record: RunRecord) -> RunRecord:
    """Return a record whose insights follow from its results, whatever version wrote it."""
    gate = Gate(quality_threshold=record.quality_threshold)
    results = tuple(map(_completed, record.results))
    renewed = insights(results, decide(gate, results).verdict, record.quality_threshold)
    # Taken over rather than worked out: that takes all cases of two combos, too much for a list of runs.
    renewed = replace(renewed, runner_up=record.insights.runner_up)
    # What the run itself said of its gate stays: the gate may have been narrowed in a way that no record keeps.
    stated = record.insights
    if stated.verdict:
        renewed = replace(renewed, passed=stated.passed, verdict=stated.verdict)
    return replace(record, results=results, insights=renewed)


def _with_runner_up(record: RunRecord) -> RunRecord:
    """Return a record that says how sure its best combo is, also where the run itself did not."""
    results = record.results
    if record.insights.runner_up is not None or len(results) < 2:  # noqa: PLR2004 - one has no rival
        return record
    found = insights(
        results,
        Verdict(passed=record.insights.passed, message=""),
        paired=lambda before, after: differences(results[before].cases, results[after].cases),
    )
    return replace(record, insights=replace(record.insights, runner_up=found.runner_up))


def _completed(combo: ComboResult) -> ComboResult:
    """Return a combo with what older versions and other tools do not write: intervals, tags, latency."""
    if combo.score_low is not None or not combo.scored:
        return combo
    tally = ComboTally(combo.model, combo.prompt_id)
    for case in combo.cases:
        tally.add(case)
    counted = tally.result(combo.total, combo.cases)
    if (counted.passed, counted.failed) != (combo.passed, combo.failed):
        return combo  # the file's own sums are of something else than its cases
    return replace(
        combo,
        score=counted.score,
        score_low=counted.score_low,
        score_high=counted.score_high,
        mean_score=counted.mean_score if combo.mean_score is None else combo.mean_score,
        clusters=counted.clusters,
        effective_cases=counted.effective_cases,
        run_score=counted.run_score,
        run_score_low=counted.run_score_low,
        run_score_high=counted.run_score_high,
        scored_runs=counted.scored_runs,
        pass_at=combo.pass_at or counted.pass_at,
        flaky=combo.flaky or counted.flaky,
        runs=combo.runs or counted.runs,
        latency_p50_ms=counted.latency_p50_ms if combo.latency_p50_ms is None else combo.latency_p50_ms,
        latency_p95_ms=counted.latency_p95_ms if combo.latency_p95_ms is None else combo.latency_p95_ms,
        tags=combo.tags or counted.tags,
        labels=combo.labels or counted.labels,
        panel=combo.panel or counted.panel,
    )
