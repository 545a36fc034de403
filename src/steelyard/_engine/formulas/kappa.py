"""How far two raters agree beyond chance.

Sources: Cohen, Educational and Psychological Measurement 20 (1960) 37-46; Cohen, Psychological Bulletin 70 (1968)
213-220, for weights; Fleiss, Cohen & Everitt, Psychological Bulletin 72 (1969) 323-327, for the large-sample error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..statistics import wilson
from .clusters import normal_quantile
from .figure import Figure

Weights = Callable[[int, int], float]
"""How far two categories count as agreement, by their positions: from 0 to 1."""

Table = Sequence[Sequence[int]]
"""Counts: one rater's categories down, the other's across."""

_TINY = 1e-12


def exact(_first: int, _second: int) -> float:
    """Count nothing but the same category as agreement."""
    return float(_first == _second)


def quadratic(categories: int) -> Weights:
    """Count near misses in part, by the square of how far they miss."""
    return lambda first, second: 1 - ((first - second) / (categories - 1)) ** 2


def linear(categories: int) -> Weights:
    """Count near misses in part, by how far they miss."""
    return lambda first, second: 1 - abs(first - second) / (categories - 1)


def kappa(table: Table, weights: Weights = exact, confidence: float = 0.95) -> Figure:
    """Return Cohen's kappa, 1 for full agreement and 0 for what chance gives.

    Unknown when chance alone gives full agreement: both raters use one category throughout.
    """
    shares = _Shares.of(table, weights)
    if shares is None:
        return Figure()
    value, error = shares.kappa, shares.error(weights)
    if error >= _TINY:
        half = normal_quantile(confidence) * error
        return Figure(value, max(-1.0, value - half), min(1.0, value + half))
    if value <= 0:
        return Figure(value)
    # Full agreement leaves no scatter to measure: the share that agreed says how far it may be chance.
    least = wilson(shares.count, shares.count, confidence)[0]
    return Figure(value, (least - shares.expected) / (1 - shares.expected), min(1.0, value))


def kappa_error(table: Table, weights: Weights = exact) -> float | None:
    """Return the large-sample standard error of kappa; ``None`` where kappa is unknown."""
    shares = _Shares.of(table, weights)
    return None if shares is None else shares.error(weights)


@dataclass(frozen=True, slots=True)
class _Shares:
    """A table in shares of all that was rated."""

    count: int
    cells: Sequence[Sequence[float]]
    rows: Sequence[float]
    columns: Sequence[float]
    observed: float
    """Agreement."""
    expected: float
    """Agreement by chance."""

    @classmethod
    def of(cls, table: Table, weights: Weights) -> _Shares | None:
        count, size = sum(map(sum, table)), range(len(table))
        if not count:
            return None
        cells = [[cell / count for cell in row] for row in table]
        rows = [sum(row) for row in cells]
        columns = [sum(row[across] for row in cells) for across in size]
        observed = math.fsum(weights(i, j) * cells[i][j] for i in size for j in size)
        expected = math.fsum(weights(i, j) * rows[i] * columns[j] for i in size for j in size)
        return None if 1 - expected < _TINY else cls(count, cells, rows, columns, observed, expected)

    @property
    def kappa(self) -> float:
        return (self.observed - self.expected) / (1 - self.expected)

    def error(self, weights: Weights) -> float:
        size, unlike = range(len(self.rows)), 1 - self.kappa
        by_row = [sum(self.columns[j] * weights(i, j) for j in size) for i in size]
        by_column = [sum(self.rows[i] * weights(i, j) for i in size) for j in size]
        mean_square = math.fsum(
            self.cells[i][j] * (weights(i, j) - (by_row[i] + by_column[j]) * unlike) ** 2 for i in size for j in size
        )
        variance = mean_square - (self.kappa - self.expected * unlike) ** 2
        # What floating point leaves of full agreement is no scatter.
        return math.sqrt(variance / self.count) / (1 - self.expected) if variance > _TINY else 0.0
