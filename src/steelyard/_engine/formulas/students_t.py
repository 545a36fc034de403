"""Student's t distribution: how far a mean of few values may lie from the truth.

Sources: Student, Biometrika 6 (1908) 1-25. The distribution function is the regularised incomplete beta function
(Abramowitz & Stegun, 26.7.1), which is the continued fraction 26.5.8 there, evaluated by Lentz's method.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_AS_GOOD_AS_NORMAL = 1e7
_CLOSE = 1e-15
_GOOD_ENOUGH = 1e-12
_TINY = 1e-300
_MOST_STEPS = 10_000


def t_two_sided(t: float, df: float) -> float:
    """Return the probability of a value at least as far from 0 as ``t``, with ``df`` degrees of freedom (above 0)."""
    if math.isinf(t):
        return 0.0
    if df > _AS_GOOD_AS_NORMAL:
        return math.erfc(abs(t) / math.sqrt(2))
    return _incomplete_beta(df / (df + t * t), df / 2, 0.5)


def t_quantile(confidence: float, df: float) -> float:
    """Return the distance from 0 within which a value lies with this probability (0.95 for ``t`` at 97.5 %).

    Args:
        confidence: Above 0 and below 1.
        df: Degrees of freedom; above 0.
    """
    outside = 1 - confidence
    t = NormalDist().inv_cdf(0.5 + confidence / 2)
    if df > _AS_GOOD_AS_NORMAL:
        return t
    # Newton's method. t has the heavier tails, so the start is never beyond, and a tail is convex: it gets nearer with
    # every step and never overshoots.
    for _ in range(_MOST_STEPS):
        step = (t_two_sided(t, df) - outside) / (2 * _density(t, df))
        t += step
        if step <= _GOOD_ENOUGH * t:
            break
    return t


def _density(t: float, df: float) -> float:
    log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    return math.exp(log - (df + 1) / 2 * math.log1p(t * t / df))


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function at ``x`` from 0 to 1."""
    if x <= 0 or x >= 1:
        return min(1.0, max(0.0, x))
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x),
    )
    # The fraction converges quickly on one side of the mean only; the other side is its mirror image.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = _inverse(1 + term * d)
            c = 1 + term / c or _TINY
            change = c * d
            value *= change
        if abs(change - 1) < _CLOSE:
            break
    return value


def _inverse(value: float) -> float:
    return 1 / (value or _TINY)
