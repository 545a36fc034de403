"""Whether a difference between two runs of the same cases is real.

Sources: McNemar, Psychometrika 12 (1947) 153-157, in its exact form; Newcombe, Statistics in Medicine 17 (1998)
2635-2650, method 10, for the interval of a difference of paired proportions.
"""

from __future__ import annotations

import math
from fractions import Fraction

from .statistics import wilson


def mcnemar_exact(lost: int, won: int) -> float:
    """Return the two-sided exact p value of so many losses against so many wins; 1 when there are none.

    Computed in whole numbers, so that no count is too large for it.
    """
    total = lost + won
    if total == 0:
        return 1.0
    tail, term = 0, 1
    for wins in range(min(lost, won) + 1):
        tail += term
        term = term * (total - wins) // (wins + 1)
    return min(1.0, float(Fraction(2 * tail, 2**total)))


def paired_interval(
    both_passed: int, lost: int, won: int, both_failed: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of (rate after - rate before), from -1 to 1, for a fourfold table of pairs.

    Newcombe's method 10: the Wilson intervals of both rates, joined with their correlation.
    """
    total = both_passed + lost + won + both_failed
    before, after = (both_passed + lost) / total, (both_passed + won) / total
    low_before, high_before = wilson(both_passed + lost, total, confidence)
    low_after, high_after = wilson(both_passed + won, total, confidence)
    phi = _correlation(both_passed, lost, won, both_failed)
    down = _spread(after - low_after, high_before - before, phi)
    up = _spread(high_after - after, before - low_before, phi)
    difference = after - before
    return max(-1.0, difference - down), min(1.0, difference + up)


def _spread(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _correlation(a: int, b: int, c: int, d: int) -> float:
    """Phi of the table, with Newcombe's continuity correction where it is positive."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    excess: float = a * d - b * c
    if excess > 0:
        excess = max(0.0, excess - (a + b + c + d) / 2)
    return excess / math.sqrt(margins)
