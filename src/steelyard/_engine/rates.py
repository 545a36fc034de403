"""Rates with their intervals, counted as results come in: a rate of cases, or of runs of cases.

What does not stand for itself is counted by its unit: the runs of a case by the case, the cases of a cluster by the
cluster. Only whole sums are kept, so that a million cases take no room and the order in which they finish leaves no
trace; clusters are kept by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .formulas.clusters import FEWEST, clustered_rate_interval
from .statistics import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A rate and how far it can be relied on."""

    passed: int
    count: int
    low: float | None
    """Of the interval, from 0 to 1; ``None`` when everything belongs to one unit."""
    high: float | None
    units: int
    """What is independent of each other: clusters, cases."""
    size: float | None
    """How many independent values tell as much; ``None`` with one unit."""

    @property
    def per_cent(self) -> float:
        """The rate from 0 to 100."""
        return 100 * self.passed / self.count


class RateTally:
    """Counts what passed, by units."""

    __slots__ = ("_clusters", "_count", "_passed", "_squares", "_units")

    def __init__(self) -> None:
        self._clusters: dict[str, list[int]] = {}
        self._count = self._passed = self._units = 0
        self._squares = (0, 0, 0)
        """Over the units without a cluster: the sums of passed², passed · count and count²."""

    def add(self, passed: int, count: int = 1, cluster: str | None = None) -> None:
        """Count a case, or its runs.

        Args:
            passed: How many of them passed.
            count: How many there are.
            cluster: What the case shares with others; ``None`` when it stands for itself.
        """
        self._count += count
        self._passed += passed
        if cluster is None:
            self._units += 1
            self._squares = _with(self._squares, passed, count)
            return
        found = self._clusters.setdefault(cluster, [0, 0])
        found[0] += passed
        found[1] += count

    @property
    def count(self) -> int:
        """How many were counted."""
        return self._count

    @property
    def clustered(self) -> bool:
        """Whether any two cases share a cluster, or any unit has several runs."""
        return self._count > self._units + len(self._clusters)

    def rate(self, confidence: float = 0.95) -> Rate | None:
        """Return the rate; ``None`` when nothing was counted."""
        count, passed = self._count, self._passed
        if not count:
            return None
        units = self._units + len(self._clusters)
        if not self.clustered:
            bounds: tuple[float, float] | None = wilson(passed, count, confidence)
            size: float | None = float(count)
        else:
            size = self._size(units)
            bounds = None if size is None else clustered_rate_interval(passed / count, size, units, confidence)
        low, high = (None, None) if bounds is None else bounds
        return Rate(passed=passed, count=count, low=low, high=high, units=units, size=size)

    def _size(self, units: int) -> float | None:
        """Return the effective size, in whole numbers until the end: see :mod:`.formulas.clusters`."""
        if units < FEWEST:
            return None
        count, passed = self._count, self._passed
        squares = self._squares
        for of_passed, of_count in self._clusters.values():
            squares = _with(squares, of_passed, of_count)
        passed2, both, count2 = squares
        deviations = count**2 * passed2 - 2 * count * passed * both + passed**2 * count2
        spread = passed * (count - passed)
        if not deviations or not spread:
            return float(count)
        # rate (1 - rate) over C / (C - 1) · Σ (passed - rate · count)² / count²
        return min(float(count), float(Fraction(spread * (units - 1) * count**2, units * deviations)))


def _with(squares: tuple[int, int, int], passed: int, count: int) -> tuple[int, int, int]:
    return squares[0] + passed * passed, squares[1] + passed * count, squares[2] + count * count
