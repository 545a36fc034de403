"""What an unquoted word in a YAML file means.

YAML 1.1 as PyYAML reads it, so that files written for other tools mean the same here, but for dates and clock times:
they stay the text that the file has, because a prompt must show what its author wrote.
"""

from __future__ import annotations

import re

from ..api import JsonValue

BOOLEANS = {
    **dict.fromkeys(("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
NULLS = frozenset(("", "~", "null", "Null", "NULL"))

MAX_DIGITS = 4300
"""Longer integers take quadratic time to read and print; Python's own default bound."""
_TOO_LARGE = 10**MAX_DIGITS

_INTEGER = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?")
_SPECIAL = re.compile(r"(?P<sign>[-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("+-.0123456789")
MAYBE_NOT_TEXT = _NUMBER_STARTS | frozenset("~nNyYtTfFoO")
"""How an unquoted scalar begins that may be something else than text; it may also be empty."""

PREFIX = "tag:yaml.org,2002:"
"""What ``!!`` stands for."""


class TooLongError(ValueError):
    """An integer has more digits than can be handled."""


class NotOfTypeError(ValueError):
    """A scalar is no value of the type that its tag names."""


class UnknownTagError(ValueError):
    """A tag that plain data does not need."""


def plain(text: str) -> str | bool | int | float | None:
    """Return the value of an unquoted scalar. Raises ``TooLongError``."""
    if text in NULLS:
        return None
    if text[0] in _NUMBER_STARTS:
        number = _number(text)
        return text if number is None else number
    return BOOLEANS.get(text, text)


def integer(text: str) -> int | None:
    """Return the value of an integer as YAML 1.1 writes it, ``None`` for anything else. Raises ``TooLongError``."""
    if not _INTEGER.fullmatch(text):
        return None
    digits = text.replace("_", "").lower()
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("+-")
    base = {"0b": 2, "0x": 16}.get(digits[:2], 8 if digits[0] == "0" else 10)
    digits = digits[2:] if base in (2, 16) else digits
    if not digits:
        return None  # "0x_"
    if base == 10 and len(digits) > MAX_DIGITS:  # noqa: PLR2004 - ten
        raise TooLongError
    try:
        value = int(digits, base)
    except ValueError as error:  # a lower bound, set by PYTHONINTMAXSTRDIGITS
        raise TooLongError from error
    if value >= _TOO_LARGE:  # written in another base
        raise TooLongError
    return sign * value


def floating(text: str) -> float | None:
    """Return the value of a float as YAML 1.1 writes it, ``None`` for anything else."""
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    special = _SPECIAL.fullmatch(text)
    if special is None:
        return None
    return float("nan") if special["sign"] is None else float(special["sign"] + "inf")


def tagged(tag: str, text: str) -> JsonValue:
    """Return the value of a scalar with an explicit tag, given in full.

    Raises ``UnknownTagError``, ``NotOfTypeError`` or ``TooLongError``.
    """
    if tag in ("!", PREFIX + "str", PREFIX + "timestamp"):
        return text
    if tag == PREFIX + "null" and text in NULLS:
        return None
    value: bool | int | float | None = None
    if tag == PREFIX + "int":
        value = integer(text)
    elif tag == PREFIX + "float":
        value = _as_float(text)
    elif tag == PREFIX + "bool":
        value = BOOLEANS.get(text)
    elif tag != PREFIX + "null":
        raise UnknownTagError
    if value is None:
        raise NotOfTypeError
    return value


def _as_float(text: str) -> float | None:
    whole = integer(text)
    if whole is None:
        return floating(text)
    try:
        return float(whole)
    except OverflowError as error:
        raise TooLongError from error


def _number(text: str) -> int | float | None:
    whole = integer(text)
    return floating(text) if whole is None else whole
