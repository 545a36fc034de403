"""Strict JSON of any value, and tolerant reading of JSON that others wrote.

Writing never refuses: what JSON does not have is kept as near to it as can be, because a record that cannot be written
loses a run that was paid for. Reading takes a value of the wrong type for an absent one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, cast

import msgspec

from ..api import NOTHING, JsonMapping

Fields = dict[str, Any]
"""One object of the file; ``Any`` because its fields differ in type and go straight to the encoder."""

_DEEPEST = 64
_SIMPLE_DEPTH = 3
_LARGEST = 10**100
"""JSON has no largest number, but a sum or a square of larger ones would be an ``OverflowError``."""
ROUNDING = 1e-9
"""How far beyond 0 and 1 a share may be by the errors of floating point."""


def compact(value: object) -> bytes:
    """Return a value as one line of UTF-8 without a line end."""
    return _utf8(_encoded(value, _COMPACT))


def foreign(value: object) -> object:
    """Return a value of any type such that :func:`quick` writes it as :func:`compact` does."""
    return value if _is_simple(value) else msgspec.Raw(compact(value))


def _is_simple(value: object, depth: int = 0) -> bool:
    """Whether both encoders write a value alike beyond doubt: texts, truths, and few mappings of them."""
    if value is None or value.__class__ in (str, bool):
        return True
    if value.__class__ is not dict or depth == _SIMPLE_DEPTH:
        return False
    for key, entry in cast(dict[object, object], value).items():
        if key.__class__ is not str or not _is_simple(entry, depth + 1):
            return False
    return True


def quick(fields: Fields) -> bytes:
    """Return an object as :func:`compact` does, several times as fast.

    What it holds must be texts, numbers, lists and mappings of them, or have gone through :func:`foreign`. Raises
    ``TypeError`` or ``ValueError`` where the slow way has to be gone, as for half a surrogate pair.
    """
    return _QUICK(fields)


def parsed(data: bytes) -> Any:
    """Return the value that JSON describes, as the standard library reads it. Raises ``ValueError``."""
    try:
        return _PARSE(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # NaN, numbers beyond measure, half surrogate pairs: read them as ever, or complain as ever.
        return json.loads(data)


def pretty(value: object, indent: int = 0) -> bytes:
    """Return a value over several lines, for people; ``indent`` spaces stand before all lines but the first."""
    # Inside strings line ends are escaped, so each one stands between two lines of the layout.
    return _utf8(_encoded(value, _PRETTY).replace("\n", "\n" + " " * indent))


def text_of(data: Mapping[str, Any], key: str, default: str = "") -> str:
    """Return the text under ``key``."""
    value = data.get(key)
    return value if isinstance(value, str) else default


def optional_text_of(data: Mapping[str, Any], key: str) -> str | None:
    """Return the text under ``key``, or ``None``."""
    value = data.get(key)
    return value if isinstance(value, str) else None


def number_of(data: Mapping[str, Any], key: str) -> float | None:
    """Return the number under ``key``, or ``None``; one that cannot be calculated with is none."""
    value = data.get(key)
    # False for what is not a number at all, too.
    return value if value.__class__ in (float, int) and -_LARGEST < value < _LARGEST else None


def share_of(data: Mapping[str, Any], key: str) -> float | None:
    """Return the number from 0 to 1 under ``key``, or ``None``; errors of floating point are taken away."""
    value = number_of(data, key)
    if value is None or not -ROUNDING <= value <= 1 + ROUNDING:
        return None
    return value if 0 <= value <= 1 else min(1.0, max(0.0, value))


def per_cent_of(data: Mapping[str, Any], key: str) -> float | None:
    """Return the number from 0 to 100 under ``key``, or ``None``."""
    value = number_of(data, key)
    return value if value is not None and -ROUNDING <= value <= 100 + ROUNDING else None


def amount_of(data: Mapping[str, Any], key: str) -> float | None:
    """Return the number under ``key`` that is 0 or more, or ``None``: nothing costs or takes less than nothing."""
    value = number_of(data, key)
    return value if value is not None and value >= 0 else None


def count_of(data: Mapping[str, Any], key: str) -> int | None:
    """Return the whole number under ``key`` that is 0 or more, or ``None``."""
    value = whole_of(data, key)
    return value if value is not None and value >= 0 else None


def whole_of(data: Mapping[str, Any], key: str) -> int | None:
    """Return the whole number under ``key``, or ``None``; one that cannot be calculated with is none."""
    value = data.get(key)
    return value if value.__class__ is int and -_LARGEST < value < _LARGEST else None


def mapping_of(data: Mapping[str, Any], key: str) -> JsonMapping:
    """Return the mapping under ``key``, or an empty one."""
    value = data.get(key)
    return value if value and isinstance(value, dict) else NOTHING


def objects_of(data: Mapping[str, Any], key: str) -> list[Fields]:
    """Return the objects in the list under ``key``."""
    value = data.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def texts_of(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the texts in the list under ``key``."""
    value = data.get(key)
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def _encoded(value: object, encode: Callable[[object], str]) -> str:
    try:
        return encode(value)
    except (ValueError, TypeError, RecursionError):
        return encode(_plain(value))


def _utf8(text: str) -> bytes:
    # The only characters that UTF-8 cannot hold are lone surrogates, and they become '?' inside their string.
    return text.encode("utf-8", "replace")


def _plain(value: object, depth: int = 0) -> object:
    """Return the nearest value that JSON has."""
    if depth > _DEEPEST:
        return "nested too deeply to be kept"
    if isinstance(value, Mapping):
        return {str(key): _plain(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, Sequence | Set) and not isinstance(value, str | bytes):
        return [_plain(entry, depth + 1) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    try:
        text = str(value)
    except ValueError:
        return "a number too large to be kept"
    return value if value is None or isinstance(value, bool | int | str) else text


def _unusual(value: object) -> object:
    """Turn a value that the encoder does not know into one that it does."""
    return dict(value) if isinstance(value, Mapping) else _plain(value)


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_unusual).encode
_PRETTY = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2, default=_unusual).encode
_QUICK = msgspec.json.Encoder().encode
_PARSE = msgspec.json.Decoder().decode
