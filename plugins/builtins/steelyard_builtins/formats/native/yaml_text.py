"""Values as YAML for people: blocks and lists by indentation, text of several lines as a block.

Whatever could be read as something else than the text it is, is quoted the way JSON does it, which is YAML too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from steelyard.api import JsonValue, is_sequence

_INDENT = "  "
_LINE = 60
"""The most characters of a list that is written on one line."""
# Begins with a letter, so that it is no number and no date; ends with none of the signs that mean something.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?<![./-])")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_NOT_IN_A_BLOCK = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_WITHOUT_POINT = re.compile(r"^(-?\d+)(e[+-]\d+)$")


def yaml_of(value: Mapping[str, JsonValue]) -> str:
    """Return a mapping as the text of a YAML file."""
    return "\n".join(_mapping(value, "")) + "\n"


def _mapping(value: Mapping[str, JsonValue], indent: str) -> Iterator[str]:
    for key, entry in value.items():
        head = f"{indent}{_scalar_text(key)}:"
        if isinstance(entry, Mapping) and entry:
            yield head
            yield from _mapping(entry, indent + _INDENT)
        elif is_sequence(entry) and entry and not _is_short(entry):
            yield head
            yield from _sequence(entry, indent + _INDENT)
        else:
            yield from _leaf(head, entry, indent + _INDENT)


def _sequence(value: JsonValue, indent: str) -> Iterator[str]:
    if not is_sequence(value):
        return
    for entry in value:
        if isinstance(entry, Mapping) and entry:
            yield from _itemised(_mapping(entry, indent + _INDENT), indent)
        elif is_sequence(entry) and entry and not _is_short(entry):
            yield from _itemised(_sequence(entry, indent + _INDENT), indent)
        else:
            yield from _leaf(f"{indent}-", entry, indent + _INDENT)


def _itemised(lines: Iterator[str], indent: str) -> Iterator[str]:
    """Put the dash of a list before the first of the lines, which are all one step further in."""
    yield f"{indent}- {next(lines).removeprefix(indent + _INDENT)}"
    yield from lines


def _leaf(head: str, value: JsonValue, indent: str) -> Iterator[str]:
    if isinstance(value, str) and _is_block(value):
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent}{line}" if line else ""
    else:
        yield f"{head} {_scalar(value)}"


def _is_short(value: Sequence[JsonValue]) -> bool:
    """Whether a list fits on a line: a few plain values."""
    if any(isinstance(entry, Mapping) or is_sequence(entry) for entry in value):
        return False
    return sum(len(_scalar(entry)) + 2 for entry in value) <= _LINE


def _is_block(text: str) -> bool:
    """Whether a text can stand as a block as it is: nothing invisible, nothing that YAML would take for indentation."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) == 1 or _NOT_IN_A_BLOCK.search(text):
        return False
    return not lines[0].startswith(" ") and bool(lines[0]) and bool(lines[-1])


def _scalar(value: JsonValue) -> str:
    if isinstance(value, str):
        return _scalar_text(value)
    if isinstance(value, float):
        # YAML 1.1 takes 1e-05 for text.
        return _WITHOUT_POINT.sub(r"\1.0\2", repr(value))
    if isinstance(value, Mapping):
        return "{}"
    if is_sequence(value):
        return f"[{', '.join(_scalar(entry) for entry in value)}]"
    return json.dumps(value)


def _scalar_text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))
