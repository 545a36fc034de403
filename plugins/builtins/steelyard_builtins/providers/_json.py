"""Reading and writing JSON that a stranger sent: whatever it holds, nothing here raises more than ``BadJsonError``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from steelyard.text import one_line

LARGEST_COUNT = 1_000_000_000_000
"""A larger number of tokens is a mistake of whoever counted."""

EMPTY: Mapping[str, object] = MappingProxyType({})


class BadJsonError(ValueError):
    """What should be JSON is none; the message says what it looks like."""


def read_json(body: bytes) -> object:
    """Read a body as JSON. White space around it, a byte order mark and bytes that are no UTF-8 do not matter.

    Raises ``BadJsonError`` for anything that cannot be read, also for numbers or nesting beyond all measure.
    """
    text = body.decode("utf-8-sig", "replace").strip()
    try:
        value: object = json.loads(text)
    except ValueError:
        raise BadJsonError(_looks_like(text)) from None
    except RecursionError:
        raise BadJsonError("it is nested too deeply") from None
    return value


def write_json(value: object, *, sort_keys: bool = False) -> str:
    """Write a value as JSON text, with each lone half of a surrogate pair replaced by ``?``.

    Raises ``BadJsonError`` for what JSON cannot hold, such as NaN.
    """
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys, separators=(",", ":"), default=_plain
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise BadJsonError(str(error)) from None
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def mapping_of(value: object) -> Mapping[str, object]:
    """Return the value when it is an object, else an empty one."""
    return value if isinstance(value, dict) else EMPTY


def list_of(value: object) -> Sequence[object]:
    """Return the value when it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def text_of(value: object) -> str:
    """Return the value when it is text, else an empty one."""
    return value if isinstance(value, str) else ""


def at(value: object, *keys: str) -> object:
    """Walk into nested objects; ``None`` where the way ends."""
    for key in keys:
        value = mapping_of(value).get(key)
    return value


def count_of(value: object) -> int | None:
    """Return a number of tokens; ``None`` for anything that cannot be one (true, 1.5, -3, "12", 1e300)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if 0 <= value <= LARGEST_COUNT else None


def amount_of(value: object) -> float | None:
    """Return a sum of money; ``None`` for anything that cannot be one (true, -1, NaN, "0.1")."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LARGEST_COUNT:
        return None
    return float(value)


def _plain(value: object) -> object:
    """Turn the read-only mappings and sequences that cross the plugin boundary into what ``json`` knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"a {type(value).__name__} is no JSON")


def _looks_like(text: str) -> str:
    if not text:
        return "it is empty"
    if text[:200].lower().startswith(("<!doctype html", "<html")):
        return f"it is a web page: {_title(text)}"
    return f"it begins with {one_line(text[:400], 80)!r}"


def _title(page: str) -> str:
    """Return what a web page calls itself, which is where proxies put the reason."""
    start, end = page.lower().find("<title>"), page.lower().find("</title>")
    title = page[start + len("<title>") : end] if 0 <= start < end else page[:400]
    return repr(one_line(title, 80))
