"""What filters and methods may be asked for: whatever could make much of little is looked at before it is called.

Each guard gets the arguments, the value itself first, and returns them, changed when an iterator had to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .limits import RefusedError, brace_format, expect, measure, percent_format, small_numbers

Arguments = tuple[Any, ...]
Options = Mapping[str, Any]
Guard = Callable[[Arguments, Options], Arguments]

_MAX_COPIES = 50_000_000
_MAX_COPIED_CHARACTERS = 20_000_000_000


def as_text(arguments: Arguments, _options: Options) -> Arguments:
    """For what turns its value into text."""
    if not isinstance(arguments[0], str):
        measure(arguments[0])
    return arguments


def padding(arguments: Arguments, options: Options) -> Arguments:
    """For what adds as much as a number says, or a text for each line."""
    given = (*arguments[1:], *options.values())
    small_numbers(given)
    value = arguments[0]
    if isinstance(value, (str, bytes)):
        text = value if isinstance(value, str) else value.decode("latin-1")
        widest = max((value if isinstance(value, int) else _length(value) for value in given), default=8)
        expect(len(text) + (1 + text.count("\n") + text.count("\t")) * widest)
    return as_text(arguments, options)


def joining(arguments: Arguments, options: Options) -> Arguments:
    """For the filter ``join``: the value is what is joined."""
    items = list(arguments[0])
    glue = max((_length(value) for value in (*arguments[1:], *options.values())), default=0)
    expect(measure(items).characters + glue * len(items))
    return (items, *arguments[1:])


def joining_method(arguments: Arguments, _options: Options) -> Arguments:
    """For the method ``join``: the value is what stands between."""
    if len(arguments) != 2:  # noqa: PLR2004 - wrong anyway, and Python says so
        return arguments
    items = list(arguments[1])
    expect(measure(items).characters + _length(arguments[0]) * len(items))
    return (arguments[0], items)


def replacing(arguments: Arguments, options: Options) -> Arguments:
    """For replacing one text by another."""
    value, old, new = (*arguments, *(options[name] for name in ("old", "new") if name in options), "", "")[:3]
    if isinstance(value, bytes):
        many = value.count(old) if isinstance(old, bytes) else 0
        expect(len(value) + many * _length(new))
    else:
        text = _text(value)
        expect(len(text) + text.count(_text(old)) * len(_text(new)))
    return arguments


def translating(arguments: Arguments, _options: Options) -> Arguments:
    """For ``str.translate``: any character may become any text."""
    table = arguments[1] if len(arguments) > 1 else None
    longest = max((_length(value) for value in table.values()), default=1) if isinstance(table, Mapping) else 1
    expect(_length(arguments[0]) * max(longest, 1))
    return arguments


def wrapping(arguments: Arguments, options: Options) -> Arguments:
    """For ``wordwrap``: a text at the end of each line."""
    text = as_text(arguments, options)[0]
    given = (*arguments[1:], *options.values())
    widths = [value for value in given if isinstance(value, int) and not isinstance(value, bool) and value > 0]
    longest = max((len(value) for value in given if isinstance(value, str)), default=1)
    expect(_length(text) + (_length(text) // min(widths, default=79) + 1) * longest)
    return arguments


def chunking(arguments: Arguments, options: Options) -> Arguments:
    """For ``batch`` and ``slice``: a number of elements, filled up with one value."""
    given = (*arguments[1:], *options.values())
    small_numbers(given)
    if any(isinstance(value, (list, tuple, dict)) for value in given):
        raise RefusedError("lists cannot be filled up with lists or mappings")
    most = max((value for value in given if isinstance(value, int)), default=1)
    expect(most * max(map(_length, given), default=0))
    return arguments


def percents(arguments: Arguments, options: Options) -> Arguments:
    """For the filter ``format``."""
    percent_format(_text(arguments[0]), options or arguments[1:])
    return arguments


def braces(arguments: Arguments, options: Options) -> Arguments:
    """For the method ``format``."""
    brace_format(arguments[0], arguments[1:], options)
    return arguments


def braces_of_mapping(arguments: Arguments, _options: Options) -> Arguments:
    """For the method ``format_map``."""
    given = arguments[1] if len(arguments) > 1 else None
    brace_format(arguments[0], (), given if isinstance(given, Mapping) else {})
    return arguments


def summing(arguments: Arguments, options: Options) -> Arguments:
    """For ``sum``, which joins lists by copying the sum each time."""
    items = list(arguments[0])
    starts = (*arguments[2:], *options.values())
    joins_lists = any(isinstance(value, (list, tuple)) for value in starts)
    if joins_lists and len(items) * measure(items).values > _MAX_COPIES:
        raise RefusedError("adds up too many lists")
    return (items, *arguments[1:])


def stripping(arguments: Arguments, _options: Options) -> Arguments:
    """For ``striptags``, which copies the whole text for each tag."""
    text = _text(arguments[0])
    if text.count("<") * len(text) > _MAX_COPIED_CHARACTERS:
        raise RefusedError("takes tags out of too long a text")
    return arguments


def encoding(arguments: Arguments, options: Options) -> Arguments:
    """For ``str.encode``: some encodings take quadratic time."""
    names = [str(value).lower().replace("-", "_") for value in (*arguments[1:], *options.values())]
    if "idna" in names or "punycode" in names:
        raise RefusedError("the encodings idna and punycode are not available")
    return arguments


_TO_TEXT = (
    *("capitalize", "e", "escape", "forceescape", "lower", "pprint", "safe", "string", "title", "trim", "truncate"),
    *("upper", "urlencode", "urlize", "wordcount", "xmlattr"),
)
FILTERS: Mapping[str, Guard] = {
    **dict.fromkeys(_TO_TEXT, as_text),
    **dict.fromkeys(("center", "indent", "round", "tojson"), padding),
    **dict.fromkeys(("batch", "slice"), chunking),
    "format": percents,
    "join": joining,
    "replace": replacing,
    "striptags": stripping,
    "sum": summing,
    "wordwrap": wrapping,
}
METHODS: Mapping[str, Guard] = {
    **dict.fromkeys(("center", "expandtabs", "ljust", "rjust", "to_bytes", "zfill"), padding),
    "encode": encoding,
    "format": braces,
    "format_map": braces_of_mapping,
    "join": joining_method,
    "replace": replacing,
    "translate": translating,
}
HOLDING = frozenset(("append", "extend", "fromkeys", "insert", "setdefault", "update"))
"""Methods that put their arguments into a list or mapping."""
AT_ONCE = frozenset(("count", "d", "default", "first", "last", "length", "random"))
"""Filters that do not go through their value."""


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    measure(value)
    return str(value)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (str, bytes)) else 0
