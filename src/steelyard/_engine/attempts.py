"""How often some or all of several runs of a case pass: what retries could gain, and what one can rely on.

Cases are counted by how many of their runs were scored and passed, so that a million of them take no room; those that
share a cluster are kept by its name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ..api import CaseRun, PassAtResult, Status
from .formulas.clusters import FEWEST, clustered_rate_interval
from .formulas.pass_at import all_of, some_of

SHOWN = (2, 3, 5, 10)
"""The numbers of runs that are looked at, as far as there are so many; and all that there are."""

Runs = tuple[int, int]
"""How many runs of a case were scored, and how many of them passed."""
Estimator = Callable[[int, int, int], float]


@dataclass(slots=True)
class AttemptTally:
    """Counts cases by what became of their runs."""

    _alone: Counter[Runs] = field(default_factory=Counter)
    _clusters: dict[str, Counter[Runs]] = field(default_factory=dict)

    def add(self, runs: Sequence[CaseRun], cluster: str | None = None) -> None:
        """Count a case.

        Args:
            runs: Its runs; errors are passed over.
            cluster: What it shares with others; ``None`` when it stands for itself.
        """
        scored = [run.passed for run in runs if run.status is Status.SCORED]
        if scored:
            counter = self._alone if cluster is None else self._clusters.setdefault(cluster, Counter())
            counter[len(scored), sum(scored)] += 1

    def result(self) -> tuple[PassAtResult, ...]:
        """Return the estimates for each number of runs; empty when no case was run more than once."""
        counters = (self._alone, *self._clusters.values())
        most = max((runs for counter in counters for runs, _ in counter), default=1)
        return tuple(self._at(k) for k in sorted({*SHOWN, most}) if 1 < k <= most)

    def _at(self, k: int) -> PassAtResult:
        some, every = self._figure(some_of, k), self._figure(all_of, k)
        return PassAtResult(
            k=k,
            cases=some.cases,
            some=some.mean,
            some_low=some.low,
            some_high=some.high,
            every=every.mean,
            every_low=every.low,
            every_high=every.high,
        )

    def _figure(self, estimator: Estimator, k: int) -> _Figure:
        """Return the mean over the cases that were run so often."""
        value = lru_cache(lambda runs, passed: estimator(runs, passed, k))
        units = [_Unit(1, value(*runs), times) for runs, times in self._alone.items() if runs[0] >= k]
        units += filter(None, (_unit(counter, k, value) for counter in self._clusters.values()))
        return _Figure.of(units)


@dataclass(frozen=True, slots=True)
class _Unit:
    cases: int
    total: float
    times: int = 1
    """How many such units there are."""


def _unit(counter: Mapping[Runs, int], k: int, value: Callable[[int, int], float]) -> _Unit | None:
    kept = {runs: times for runs, times in counter.items() if runs[0] >= k}
    if not kept:
        return None
    return _Unit(sum(kept.values()), math.fsum(times * value(*runs) for runs, times in kept.items()))


@dataclass(frozen=True, slots=True)
class _Figure:
    mean: float
    cases: int
    low: float | None
    high: float | None

    @classmethod
    def of(cls, units: Iterable[_Unit]) -> _Figure:
        """Return the mean with Wilson's interval for as many cases as tell as much (Korn & Graubard)."""
        found = list(units)
        cases, count = sum(unit.times * unit.cases for unit in found), sum(unit.times for unit in found)
        mean = math.fsum(unit.times * unit.total for unit in found) / cases
        if count < FEWEST:
            return cls(mean, cases, None, None)
        squares = math.fsum(unit.times * (unit.total - unit.cases * mean) ** 2 for unit in found)
        variance = count / (count - 1) * squares / cases**2
        spread = mean * (1 - mean)
        size = spread / variance if variance > 0 and spread > 0 else float(cases)
        bounds = clustered_rate_interval(mean, min(size, float(cases)), count)
        return cls(mean, cases, *(bounds or (None, None)))
