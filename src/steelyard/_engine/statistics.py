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
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate = passed / total
    spread = 1 + z * z / total
    centre = (rate + z * z / (2 * total)) / spread
    half = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total)) / spread
    low = 0.0 if passed == 0 else max(0.0, centre - half)
    high = 1.0 if passed == total else min(1.0, centre + half)
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
