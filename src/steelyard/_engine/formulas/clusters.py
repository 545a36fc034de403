"""Means of values that come in groups: values of one group resemble each other, and tell less than as many others.

Sources: Liang & Zeger, Biometrika 73 (1986) 13-22, for the variance from the sums of groups, with the factor
C / (C - 1) for few groups; Miller, "Adding Error Bars to Evals" (2024), arXiv:2411.00640, section 2.2, for its use on
cases that share a text; Korn & Graubard, Survey Methodology 24 (1998) 193-201, for the effective size of a sample of
rates, and Franco, Little, Louis & Slud, Journal of Survey Statistics and Methodology 7 (2019) 334-364, for its use in
Wilson's interval.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ..statistics import score_interval
from .students_t import t_quantile, t_two_sided

FEWEST = 2
"""From fewer groups or values nothing can be said about how they scatter."""


@dataclass(slots=True)
class Group:
    """What one group adds: how many values, and their sum."""

    count: int = 0
    total: float = 0.0

    def add(self, value: float) -> None:
        """Take a value in."""
        self.count += 1
        self.total += value


def grouped(values: Iterable[tuple[Hashable, float]]) -> dict[Hashable, Group]:
    """Return the groups of values that come with the key of their group."""
    groups: dict[Hashable, Group] = {}
    for key, value in values:
        groups.setdefault(key, Group()).add(value)
    return groups


def clustered_variance(groups: Mapping[Hashable, Group] | Sequence[Group], *, corrected: bool = True) -> float | None:
    """Return the variance of the mean over all values, robust against likeness within groups.

    Args:
        groups: The groups, by any key.
        corrected: Whether to multiply by C / (C - 1), C being the number of groups.

    ``None`` for fewer than two groups: one group says nothing about how groups differ.
    """
    found = list(groups.values()) if isinstance(groups, Mapping) else groups
    if len(found) < FEWEST:
        return None
    count = sum(group.count for group in found)
    mean = math.fsum(group.total for group in found) / count
    squares = math.fsum((group.total - group.count * mean) ** 2 for group in found)
    factor = len(found) / (len(found) - 1) if corrected else 1.0
    return factor * squares / count**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean with what is known about its error."""

    mean: float
    count: int
    """Independent values, or groups where there are any."""
    error: float
    """The standard error."""
    low: float
    high: float
    p_value: float
    """Two-sided, for the mean being 0."""


def mean_estimate(groups: Mapping[Hashable, Group] | Sequence[Group], confidence: float = 0.95) -> Estimate | None:
    """Return the mean over all values with its t interval; ``None`` for fewer than two groups.

    With one value in each group this is the usual interval of a mean: its error is sd / sqrt(n), with n - 1 degrees of
    freedom.
    """
    found = list(groups.values()) if isinstance(groups, Mapping) else groups
    variance = clustered_variance(found)
    if variance is None:
        return None
    mean = math.fsum(group.total for group in found) / sum(group.count for group in found)
    error = math.sqrt(variance)
    df = len(found) - 1
    half = t_quantile(confidence, df) * error
    p_value = t_two_sided(mean / error, df) if error else float(mean == 0)
    return Estimate(mean=mean, count=len(found), error=error, low=mean - half, high=mean + half, p_value=p_value)


def effective_size(groups: Mapping[Hashable, Group] | Sequence[Group]) -> float | None:
    """Return how many independent values would tell a rate as well; ``None`` for fewer than two groups.

    Where all values are alike nothing shows how alike groups are, and every value counts.
    """
    found = list(groups.values()) if isinstance(groups, Mapping) else groups
    variance = clustered_variance(found)
    if variance is None:
        return None
    count = sum(group.count for group in found)
    rate = math.fsum(group.total for group in found) / count
    spread = rate * (1 - rate)
    return min(float(count), spread / variance) if variance > 0 and spread > 0 else float(count)


def clustered_rate_interval(
    rate: float, size: float, groups: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Return Wilson's interval of a rate, from 0 to 1, for a sample in groups; ``None`` for fewer than two groups.

    Args:
        rate: The share that passed.
        size: The effective size, see :func:`effective_size`.
        groups: How many groups there are: the interval widens with few of them (t with one degree of freedom less).
        confidence: Above 0 and below 1.
    """
    if groups < FEWEST:
        return None
    return score_interval(rate, size, t_quantile(confidence, groups - 1))


def normal_quantile(confidence: float) -> float:
    """Return the distance from 0 within which a standard normal value lies with this probability."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)
