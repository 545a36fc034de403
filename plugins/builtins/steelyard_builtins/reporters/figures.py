"""How figures are written in every report: scores, intervals, money, time. ``-`` stands for what is unknown."""

from __future__ import annotations

import math

UNKNOWN = "-"

_TAG_LIMIT = 70.0
_SMALLEST_USD = 1e-6
_MOST_DIGITS = 10


def percent(score: float | None, digits: int = 1, *, threshold: float | None = None) -> str:
    """Return per cent; rounding never makes it all, nothing, or as good as the limit of tag warnings.

    With a gate's ``threshold`` it gets as many digits as it takes to show on which side of that it lies.
    """
    if score is None:
        return UNKNOWN
    text = _rounded(score, digits)
    if threshold is None:
        return f"{text}%"
    side = (score > threshold) - (score < threshold)
    closer = (text, *(f"{score:.{more}f}" for more in range(digits + 1, _MOST_DIGITS)))
    return next((f"{text}%" for text in closer if _side(text, threshold) == side), f"{text}%")


def _side(text: str, threshold: float) -> int:
    return (float(text) > threshold) - (float(text) < threshold)


def _rounded(score: float, digits: int) -> str:
    rounded = round(score, digits)
    if any(score < limit <= rounded for limit in (_TAG_LIMIT, 100.0)):
        digits = max(digits, 1)
        rounded = math.floor(score * 10**digits) / 10**digits
    elif rounded <= 0 < score:
        digits = max(digits, 1)
        rounded = max(round(score, digits), 10**-digits)
    return f"{rounded:.{digits}f}"


def interval(low: float | None, high: float | None) -> str:
    """Return a 95 % interval in per cent: ``75.8–94.3%``."""
    return UNKNOWN if low is None or high is None else f"{low:.1f}–{high:.1f}%"


def money(usd: float | None, digits: int = 6) -> str:
    """Return dollars; what would be rounded to nothing gets more digits."""
    if usd is None:
        return UNKNOWN
    if 0 < usd < 0.5 * 10**-digits:
        return "<$0.000001" if usd < _SMALLEST_USD else f"${usd:.6f}"
    return f"${usd:.{digits}f}"


def count(value: int | None) -> str:
    """Return a count of tokens or calls."""
    return UNKNOWN if value is None else str(value)


def milliseconds(value: float | None) -> str:
    """Return a latency: ``512 ms``, ``1.2 s``."""
    if value is None:
        return UNKNOWN
    return f"{value:.0f} ms" if value < 999.5 else f"{value / 1000:.1f} s"  # noqa: PLR2004 - a second


def duration(seconds: float) -> str:
    """Return a time to wait: ``15 s``, ``2 min 5 s``, ``1 h 4 min``."""
    whole = max(round(seconds), 0)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def score(value: float | None) -> str:
    """Return a case's score, 0 to 1."""
    return UNKNOWN if value is None else f"{value:.4f}"
