"""How closely two series of values go together.

Sources: Pearson, Proceedings of the Royal Society 58 (1895) 240-242; Spearman, American Journal of Psychology 15 (1904)
72-101; Fisher, Metron 1 (1921) 3-32, for the interval by the inverse hyperbolic tangent; Bonett & Wright, Psychometrika
65 (2000) 23-28, for the error of Spearman's coefficient on that scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .clusters import normal_quantile
from .figure import Figure

_FEWEST = 2
_FEWEST_FOR_INTERVAL = 4
_WHOLLY = 1 - 1e-12


def pearson(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Figure:
    """Return Pearson's coefficient; unknown when a series never varies."""
    value = _coefficient(first, second)
    return _with_interval(value, len(first), 1.0, confidence)


def spearman(first: Sequence[float], second: Sequence[float], confidence: float = 0.95) -> Figure:
    """Return Spearman's rank coefficient, equal values sharing their mean rank; unknown when a series never varies."""
    value = _coefficient(ranks(first), ranks(second))
    return _with_interval(value, len(first), 1.0 if value is None else 1 + value * value / 2, confidence)


def ranks(values: Sequence[float]) -> list[float]:
    """Return the ranks of values from 1, equal ones with the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for index in order[start : end + 1]:
            found[index] = (start + end) / 2 + 1
        start = end + 1
    return found


def _coefficient(first: Sequence[float], second: Sequence[float]) -> float | None:
    count = len(first)
    if count < _FEWEST:
        return None
    means = math.fsum(first) / count, math.fsum(second) / count
    both = math.fsum((a - means[0]) * (b - means[1]) for a, b in zip(first, second, strict=True))
    squares = math.fsum((a - means[0]) ** 2 for a in first), math.fsum((b - means[1]) ** 2 for b in second)
    if not squares[0] or not squares[1]:
        return None
    return max(-1.0, min(1.0, both / math.sqrt(squares[0] * squares[1])))


def _with_interval(value: float | None, count: int, inflation: float, confidence: float) -> Figure:
    if value is None or count < _FEWEST_FOR_INTERVAL or abs(value) > _WHOLLY:
        # Fisher's scale has no place for a perfect correlation, nor for fewer than four pairs.
        return Figure(value)
    half = normal_quantile(confidence) * math.sqrt(inflation / (count - 3))
    centre = math.atanh(value)
    return Figure(value, math.tanh(centre - half), math.tanh(centre + half))
