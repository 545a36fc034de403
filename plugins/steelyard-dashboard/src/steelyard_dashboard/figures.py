"""How figures, times and texts are written on every page. ``–`` stands for what is unknown.

Records come from anywhere, so no number is too large and no text too odd to be written.
"""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Final

from steelyard.api import ComboResult, JsonValue, TagResult
from steelyard.text import one_line, printable

UNKNOWN: Final = "–"
MOST_CHARACTERS: Final = 100_000
"""Of one text on a page; the JSON API has all of it."""

_ALL = 100.0
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_COUNTLESS = 10**15
_SMALLEST_USD = 0.000001
_CENTS_FROM_USD = 1.0
_FEW_MS, _SMALLEST_MS = 9.5, 0.001
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86400


def finite(value: float | None) -> float | None:
    """Return a number that can be calculated with, or ``None``."""
    try:
        number = None if value is None else float(value)
    except OverflowError:
        return None
    return number if number is not None and math.isfinite(number) else None


def share_of(part: int, whole: int) -> float | None:
    """Return what part of a whole something is, in per cent; ``None`` when that is no number."""
    try:
        return _ALL * (part / whole)
    except (ZeroDivisionError, OverflowError):
        return None


def percent(score: float | None) -> str:
    """Return per cent with one decimal; rounding never makes it all or nothing."""
    number = finite(score)
    if number is None:
        return UNKNOWN
    rounded = round(number, 1)
    if number < _ALL <= rounded:
        rounded = 99.9
    elif rounded <= 0 < number:
        rounded = 0.1
    return f"{rounded:.1f}%" if abs(rounded) < 1e6 else f"{rounded:.0e}%"  # noqa: PLR2004 - beyond any score


def interval(low: float | None, high: float | None) -> str:
    """Return a 95 % interval in per cent; empty when unknown."""
    first, last = finite(low), finite(high)
    return "" if first is None or last is None else f"{first:.1f}–{last:.1f}"


def points(delta: float | None) -> str:
    """Return a difference in points with its sign."""
    number = finite(delta)
    if number is None:
        return UNKNOWN
    rounded = round(number, 1)
    return "±0.0" if rounded == 0 else f"{rounded:+.1f}".replace("-", "−")


def share(value: float | None) -> str:
    """Return a score from 0 to 1."""
    number = finite(value)
    return UNKNOWN if number is None else f"{number:.2f}"


def money(usd: float | None) -> str:
    """Return dollars with as many digits as tell something."""
    number = finite(usd)
    if number is None:
        return UNKNOWN
    size = abs(number)
    if size == 0:
        return "$0"
    if size < _SMALLEST_USD:
        return "<$0.000001"
    if size >= _CENTS_FROM_USD:
        return f"${number:,.2f}"
    digits = min(2 - math.floor(math.log10(size)), 6)
    return f"${number:.{digits}f}"


def count(value: int | None) -> str:
    """Return a whole number with thousands set apart."""
    if value is None:
        return UNKNOWN
    return f"{value:,}".replace(",", "\u2009") if abs(value) < _COUNTLESS else "countless"


def number_of(value: int | None, noun: str) -> str:
    """Return a whole number of something: ``1 error``, ``2 errors``."""
    return f"{count(value)} {noun}" if value == 1 else f"{count(value)} {noun}s"


def of_cases(result: ComboResult | TagResult) -> str:
    """Return what a score is of: ``38 of 40``, ``38 of 40, 2 errors``."""
    errors = f", {number_of(result.errors, 'error')}" if result.errors else ""
    return f"{count(result.passed)} of {count(result.passed + result.failed)}{errors}"


def milliseconds(value: float | None) -> str:
    """Return a latency: ``0.25 ms``, ``512 ms``, ``1.2 s``."""
    number = finite(value)
    if number is None:
        return UNKNOWN
    if 0 < abs(number) < _FEW_MS:
        return f"{number:.2g} ms" if abs(number) >= _SMALLEST_MS else f"<{_SMALLEST_MS} ms"
    if abs(number) < 999.5:  # noqa: PLR2004 - a second, rounded
        return f"{number:.0f} ms"
    return duration(number / 1000) if number >= 1000 * _MINUTE_S else f"{number / 1000:.1f} s"


def duration(seconds: float | None) -> str:
    """Return a length of time: ``15 s``, ``2 min 5 s``, ``1 h 4 min``, ``3 d 2 h``."""
    number = finite(seconds)
    if number is None:
        return UNKNOWN
    whole = max(round(number), 0)
    if whole >= _DAY_S:
        return f"{whole // _DAY_S:,} d {whole % _DAY_S // _HOUR_S} h"
    if whole >= _HOUR_S:
        return f"{whole // _HOUR_S} h {whole % _HOUR_S // _MINUTE_S} min"
    return f"{whole // _MINUTE_S} min {whole % _MINUTE_S} s" if whole >= _MINUTE_S else f"{whole} s"


def probability(value: float | None) -> str:
    """Return a p value."""
    number = finite(value)
    if number is None:
        return UNKNOWN
    return "p < 0.001" if number < 0.001 else f"p = {number:.3f}"  # noqa: PLR2004 - as journals write it


def moment(timestamp: str) -> str:
    """Return the date and time of an ISO 8601 text, in the zone that it names; the text itself when it is none."""
    try:
        return datetime.fromisoformat(timestamp).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return one_line(timestamp, 40) or UNKNOWN


def day(timestamp: str) -> str:
    """Return the day and month for the axis of a chart: ``12 Jun``."""
    try:
        when = datetime.fromisoformat(timestamp)
    except ValueError:
        return ""
    return f"{when.day} {_MONTHS[when.month - 1]}"


def line(text: str, limit: int = 200) -> str:
    """Return any text as one line that shows what it holds and obeys none of it."""
    return one_line(text, limit)


def block(text: str) -> str:
    """Return any text as a block in which control and direction characters are written out."""
    return printable(text[:MOST_CHARACTERS], newlines=True)


def beyond(text: str) -> int:
    """Return how many characters :func:`block` leaves out."""
    return max(len(text) - MOST_CHARACTERS, 0)


def value(data: JsonValue) -> str:
    """Return text as it is, and any other value as JSON over several lines."""
    if isinstance(data, str):
        return data
    try:
        return json.dumps(data, ensure_ascii=False, indent=2, default=dict)
    except (RecursionError, TypeError, ValueError):
        return "a value that is nested too deeply to be shown"


def heat(score: float | None) -> str:
    """Return the style class of a cell of a heat map: one of eleven steps."""
    number = finite(score)
    if number is None:
        return "heat-none"
    return f"heat-{min(max(int(min(max(number, 0.0), _ALL) // 10), 0), 10)}"
