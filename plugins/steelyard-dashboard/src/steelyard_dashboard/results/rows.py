"""A record's cases as rows of a table: the little of each case that filtering, sorting and comparing need."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.api import CaseResult, CaseRun, ComboResult, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case under one combo."""

    combo: int
    """The position of its combo among the results."""
    number: int
    """Its position among the cases of the combo."""
    id: str
    status: Status
    passed: bool
    flaky: bool
    score: float | None
    """From 0 to 1."""
    cost_usd: float | None
    latency_ms: float | None
    tags: tuple[str, ...]
    scorers: tuple[str, ...]
    """The labels of those that judged it."""
    failed_by: tuple[str, ...]
    """The labels of those that it did not satisfy in some run."""
    rated: bool
    """Whether a person scored the answer."""
    answer: bytes
    """A digest of the answer, to tell whether two are the same."""

    @property
    def scored(self) -> bool:
        """Whether it could be judged."""
        return self.status is Status.SCORED

    @property
    def verdict(self) -> str:
        """``passed``, ``failed`` or ``error``."""
        return "error" if not self.scored else "passed" if self.passed else "failed"


def row_of(combo: int, number: int, case: CaseResult) -> Row:
    """Return the row of a case."""
    latencies = [run.latency_ms for run in case.runs if run.latency_ms is not None]
    scores = [score for run in case.runs for score in run.scores]
    return Row(
        combo=combo,
        number=number,
        id=case.id,
        status=case.status,
        passed=case.passed,
        flaky=case.flaky,
        score=case.score,
        cost_usd=_total(part for run in case.runs for part in (run.cost_usd, run.judge_cost_usd)),
        latency_ms=statistics.median(latencies) if latencies else None,
        tags=case.tags,
        scorers=tuple(dict.fromkeys(score.name for score in scores)),
        failed_by=tuple(dict.fromkeys(score.name for score in scores if score.passed is False)),
        rated=case.human_score is not None,
        answer=hashlib.blake2b(shown_run(case).response.encode("utf-8", "replace"), digest_size=8).digest(),
    )


def rows_of(results: Iterable[ComboResult]) -> tuple[Row, ...]:
    """Return the rows of all cases in the order of the record. Raises ``RecordError`` when one cannot be read."""
    return tuple(
        row_of(combo, number, case) for combo, result in enumerate(results) for number, case in enumerate(result.cases)
    )


def shown_run(case: CaseResult) -> CaseRun:
    """Return the run whose answer stands for the case: the first one with the case's own verdict."""
    alike = (run for run in case.runs if run.status is case.status and run.passed == case.passed)
    return next(alike, case.runs[0])


def _total(parts: Iterable[float | None]) -> float | None:
    known: list[float] = []
    for part in parts:
        if part is None:
            return None
        known.append(part)
    return sum(known)
