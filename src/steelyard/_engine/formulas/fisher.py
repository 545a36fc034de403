"""Whether something is more frequent in one group than in another, for groups of any size.

Sources: Fisher, Statistical Methods for Research Workers (1934), section 21.02, for the exact test; Newcombe,
Statistics in Medicine 17 (1998) 873-890, method 10, for the interval of the difference of two rates.
"""

from __future__ import annotations

import math

from ..statistics import wilson

_ROUNDING = 1 + 1e-7
"""Tables as probable as the one that was seen count as extreme too, whatever floating point makes of them."""


def fisher_exact(first: int, first_of: int, second: int, second_of: int) -> float:
    """Return the two-sided exact p value for two rates being the same.

    Args:
        first: How often in the first group.
        first_of: Of how many.
        second: How often in the second group.
        second_of: Of how many.
    """
    hits, total = first + second, first_of + second_of
    least, most = max(0, hits - second_of), min(hits, first_of)
    logs = {
        count: _log_choose(first_of, count) + _log_choose(second_of, hits - count) for count in range(least, most + 1)
    }
    whole = _log_choose(total, hits)
    seen = math.exp(logs[first] - whole)
    return min(1.0, math.fsum(p for log in logs.values() if (p := math.exp(log - whole)) <= seen * _ROUNDING))


def rate_difference(
    first: int, first_of: int, second: int, second_of: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of (first rate - second rate), from -1 to 1; both groups must not be empty."""
    one, other = first / first_of, second / second_of
    low, high = wilson(first, first_of, confidence)
    other_low, other_high = wilson(second, second_of, confidence)
    down = math.hypot(one - low, other_high - other)
    up = math.hypot(high - one, other - other_low)
    return one - other - down, one - other + up


def _log_choose(of: int, count: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(count + 1) - math.lgamma(of - count + 1)
