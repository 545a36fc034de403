"""How many cases it takes to show a difference, and which difference so many cases can show.

Source: Miller, "Adding Error Bars to Evals" (2024), arXiv:2411.00640, section 5, for two combos on the same cases: the
variance of a paired difference is that between cases plus what remains of the chance in single answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """What makes a paired difference scatter; scores from 0 to 1."""

    between: float
    """The variance over cases of the true difference (ω²)."""
    within: float
    """The variance of single answers to the same case, of both combos together (σ² of one plus σ² of the other)."""

    def variance(self, repeat: int) -> float:
        """Return the variance of a case's difference when each combo answers it so many times."""
        return self.between + self.within / repeat


UNKNOWN_SPREAD = Spread(between=1 / 9, within=2 / 6)
"""What the source assumes where nothing is known."""


def cases_needed(difference: float, variance: float, *, confidence: float = 0.95, power: float = 0.8) -> int:
    """Return how many cases show a difference.

    Args:
        difference: The true difference of the rates; above 0 and at most 1.
        variance: Of the difference of one case.
        confidence: 0.95 calls equals different in 5 % of comparisons.
        power: The share of comparisons in which the difference is found.
    """
    return max(2, math.ceil(_quantiles(confidence, power) ** 2 * variance / difference**2 - 1e-9))


def detectable(cases: int, variance: float, *, confidence: float = 0.95, power: float = 0.8) -> float:
    """Return the smallest true difference of rates that so many cases show; more than 1 is never shown."""
    return _quantiles(confidence, power) * math.sqrt(variance / cases)


def _quantiles(confidence: float, power: float) -> float:
    normal = NormalDist()
    return normal.inv_cdf(0.5 + confidence / 2) + normal.inv_cdf(power)
