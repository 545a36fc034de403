"""What a count says about the rate behind it.

Formulas with published values to check them against: Wilson (1927) as in Newcombe, Statistics in Medicine 17 (1998)
857-872, method 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist


def wilson(passed: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided Wilson interval of a rate, from 0 to 1; the ends are exact where all or none passed.

    Args:
        passed: How many passed.
        total: Of how many; above 0.
        confidence: The share of such intervals that hold the true rate; above 0 and below 1.
    """
    return score_interval(passed / total, total, NormalDist().inv_cdf(0.5 + confidence / 2))


def score_interval(rate: float, size: float, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a rate from a sample of any size, whole or effective, for a given quantile.

    Args:
        rate: From 0 to 1.
        size: How many independent values it comes from; above 0.
        z: How many standard errors to either side.
    """
    spread = 1 + z * z / size
    centre = (rate + z * z / (2 * size)) / spread
    half = z * math.sqrt(rate * (1 - rate) / size + z * z / (4 * size * size)) / spread
    low = 0.0 if rate <= 0 else max(0.0, centre - half)
    high = 1.0 if rate >= 1 else min(1.0, centre + half)
    return low, high


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Return the nearest-rank percentile: the smallest value that at least this share of all values do not exceed.

    Args:
        ordered: The values, smallest first.
        share: Above 0 and at most 1: 0.95 for the 95th percentile.
    """
    if not ordered:
        return None
    return ordered[max(0, math.ceil(exactly(share) * len(ordered)) - 1)]


def exactly(number: float) -> Fraction:
    """Return a number as it was written: 0.7 is seven tenths, not the float beside it."""
    return Fraction(repr(number))
