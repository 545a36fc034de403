"""Intervals from resampling: for figures without a formula, and to check a formula where cases are few.

Sources: Efron, Annals of Statistics 7 (1979) 1-26, for the bootstrap; Efron, Journal of the American Statistical
Association 82 (1987) 171-185, for the interval that corrects bias and skewness (BCa). What is drawn are cases or
clusters, never single runs of a case. The seed is the caller's, so the same data give the same interval.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")

RESAMPLES = 2000
_NORMAL = NormalDist()


def bca_interval(
    values: Sequence[T],
    statistic: Callable[[Sequence[T]], float],
    *,
    seed: int,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Return the BCa interval of a figure.

    Args:
        values: The independent values; at least two.
        statistic: Works the figure out from as many values.
        seed: Which resamples are drawn.
        confidence: Above 0 and below 1.
        resamples: How many are drawn.
    """
    drawn = _resampled(values, statistic, seed, resamples)
    found = statistic(values)
    below = sum(one < found for one in drawn) + 0.5 * sum(one == found for one in drawn)
    # A share of 0 or 1 has no normal quantile: as many resamples as there are tell no more than this.
    share = min(max(below / resamples, 0.5 / resamples), 1 - 0.5 / resamples)
    bias, skew = _NORMAL.inv_cdf(share), _acceleration(values, statistic)
    ends = (_NORMAL.inv_cdf(0.5 - confidence / 2), _NORMAL.inv_cdf(0.5 + confidence / 2))
    low, high = (_NORMAL.cdf(bias + (bias + z) / (1 - skew * (bias + z))) for z in ends)
    return quantile(drawn, low), quantile(drawn, high)


def percentile_interval(
    values: Sequence[T],
    statistic: Callable[[Sequence[T]], float],
    *,
    seed: int,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Return the percentile interval of a figure; the arguments are those of :func:`bca_interval`."""
    drawn = _resampled(values, statistic, seed, resamples)
    return quantile(drawn, 0.5 - confidence / 2), quantile(drawn, 0.5 + confidence / 2)


def _resampled(values: Sequence[T], statistic: Callable[[Sequence[T]], float], seed: int, count: int) -> list[float]:
    choose = random.Random(seed).choices  # noqa: S311 - for chance that can be repeated, not for secrets
    return sorted(statistic(choose(values, k=len(values))) for _ in range(count))


def _acceleration(values: Sequence[T], statistic: Callable[[Sequence[T]], float]) -> float:
    """Return how the error changes with the figure itself, from leaving out one value after the other."""
    without = [statistic([*values[:index], *values[index + 1 :]]) for index in range(len(values))]
    mean = sum(without) / len(without)
    squares = sum((mean - one) ** 2 for one in without)
    cubes = sum((mean - one) ** 3 for one in without)
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which this share of the others lies, between two of them where it falls there.

    Args:
        ordered: The values, smallest first; at least one.
        share: From 0 to 1.
    """
    position = share * (len(ordered) - 1)
    below = min(int(position), len(ordered) - 2) if len(ordered) > 1 else 0
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
