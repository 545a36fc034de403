"""Values that are checked while the command line is read, so that a slip costs nothing: what ``type=`` takes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import click

_ALL_POINTS: Final = 100
_THOUSAND: Final = 1000
_LEAST_SURE: Final = 0.5
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def whole_number(minimum: int | None = None, maximum: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers within bounds, both included."""

    def read(text: str) -> int:
        # int() alone takes underscores and blanks too; eighteen digits fit wherever a number may go from here.
        number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None
        if number is None or not _within(number, minimum, maximum):
            raise click.BadParameter(f"must be a whole number{_bounds(minimum, maximum)}, got {text!r}")
        return number

    return read


def number(minimum: float | None = None, maximum: float | None = None) -> Callable[[str], float]:
    """Return a reader of finite numbers within bounds, both included."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or not _within(value, minimum, maximum):
            raise click.BadParameter(f"must be a number{_bounds(minimum, maximum)}, got {text!r}")
        return value

    return read


def confidence(text: str) -> float:
    """Read how sure something is to be: a share such as ``0.95``."""
    value = float(text) if re.fullmatch(r"0?\.[0-9]{1,6}", text) else None
    if value is None or not _LEAST_SURE <= value < 1:
        raise click.BadParameter(f"must be a share from 0.5 to below 1 such as 0.95, got {text!r}")
    return value


def points(text: str) -> Fraction:
    """Read percentage points, from 0 to 100, exactly."""
    value = Fraction(text) if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,15})?", text) else None
    if value is None or value > _ALL_POINTS:
        raise click.BadParameter(f"must be a number from 0 to 100, got {text!r}")
    return value


def tokens(text: str) -> int:
    """Read a number of tokens: ``131072``, or in thousands ``100k`` and ``8K``."""
    found = re.fullmatch(r"([0-9]{1,12})([kK]?)", text)
    if found is None:
        raise click.BadParameter(f"must be a whole number, or one of thousands such as 100k, got {text!r}")
    return int(found[1]) * (_THOUSAND if found[2] else 1)


def age(text: str) -> float:
    """Read a length of time such as ``30d``, ``12h``, ``90m`` or ``60s``; return seconds."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smhdw])", text.strip().lower())
    if found is None:
        raise click.BadParameter(f"must be a number with a unit (s, m, h, d or w) such as 30d, got {text!r}")
    return float(found[1]) * _SECONDS[found[2]]


def _within(value: float, minimum: float | None, maximum: float | None) -> bool:
    return (minimum is None or value >= minimum) and (maximum is None or value <= maximum)


def _bounds(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f" from {minimum:g} to {maximum:g}"
    if minimum is not None:
        return f" of at least {minimum:g}"
    return f" of at most {maximum:g}" if maximum is not None else ""
