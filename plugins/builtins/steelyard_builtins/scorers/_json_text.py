"""Where the JSON is in what a model wrote, and what it says.

Models put JSON between sentences and into code fences, write braces that are no JSON, and nest without end. So
brackets are matched with an eye on strings, nesting and total work are bounded, and what looks like JSON but is broken
is never taken apart to find something valid inside: half an answer is no answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from steelyard.api import JsonValue

MAX_DEPTH = 100
"""How deep JSON may be nested. Nobody writes more by hand, and recursion on it stays far from Python's limit."""

MAX_WORK = 20
"""How often, on average, one character may be looked at before the search is given up."""

Parse = Callable[[str], JsonValue]

# Possessive, so that no text makes them go back: the work is linear.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|,(?=\s*+[}\]])', re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_LOOKS_LIKE_JSON = re.compile(r'\{\s*+["}]|\[\s*+[\[{"\]]')
# A bracket that a sentence names: 'Begin with "{" and then'.
_QUOTED_ALONE = re.compile(r'(?<=")[{\[]"(?=[\s,.;:)!?]|$)')
_CLOSES = {"}": "{", "]": "["}


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON object or list in a text."""

    value: JsonValue
    start: int
    end: int
    """The position after it."""
    doubtful: bool
    """Whether it stands after a bracket of JSON that is never closed, so that it may be a part of something cut off."""


def parse(text: str) -> JsonValue:
    """Read a text that is JSON from start to end, apart from white space and a byte order mark.

    Raises ``ValueError`` with the reason, also for NaN, infinity, a key that stands twice, and too much nesting.
    """
    return _parse(text, forgiving=False)


def parse_forgiving(text: str) -> JsonValue:
    """Read as :func:`parse`, but let line ends in strings and commas before a closing bracket pass."""
    try:
        return _parse(text, forgiving=True)
    except json.JSONDecodeError:
        without = _TRAILING_COMMA.sub(lambda match: match[1] or "", text)
        return _parse(without, forgiving=True)


def find(text: str, parse: Parse = parse) -> Iterator[Found]:
    """Go through the objects and lists of a text, from left to right, without those inside others.

    What looks like JSON and cannot be read is passed over whole. Stops early when a text is made to be slow.
    """
    ends: dict[int, tuple[int, int] | None] = {}
    work = MAX_WORK * len(text)
    position, doubtful = 0, False
    while work > 0 and (opening := _OPENING.search(text, position)):
        start = opening.start()
        if start not in ends:
            work -= _match_brackets(text, start, ends)
        closed, position = ends[start], start + 1
        looks_like_json = _LOOKS_LIKE_JSON.match(text, start) is not None
        if closed is None:
            doubtful = doubtful or (looks_like_json and _QUOTED_ALONE.match(text, start) is None)
            continue
        end, height = closed
        work -= end - start
        try:
            value = parse(text[start:end])
        except ValueError:
            position = end if looks_like_json or height > MAX_DEPTH else position
        else:
            yield Found(value, start, end, doubtful)
            position = end


def _match_brackets(text: str, start: int, ends: dict[int, tuple[int, int] | None]) -> int:
    """Note, for the bracket at ``start`` and those inside it, where it closes and how high the nesting in it is.

    ``None`` stands for a bracket that does not close. Returns how many characters were looked at.
    """
    stack: list[list[int]] = []
    looked_at = len(text)
    for token in _TOKEN.finditer(text, start):
        character = token[0]
        if character in ("{", "["):
            stack.append([token.start(), 1])
        elif character in ("}", "]"):
            if text[stack[-1][0]] != _CLOSES[character]:
                looked_at = token.end()
                break
            opened, height = stack.pop()
            ends[opened] = (token.end(), height)
            if not stack:
                return token.end() - start
            stack[-1][1] = max(stack[-1][1], height + 1)
        elif character == '"':  # a string that does not end
            break
    ends.update((opened, None) for opened, _height in stack)
    return looked_at - start


def _parse(text: str, *, forgiving: bool) -> JsonValue:
    stripped = text.strip().removeprefix("\ufeff").strip()
    _bound_depth(stripped)
    return cast(
        JsonValue,
        json.loads(
            stripped,
            strict=not forgiving,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique,
        ),
    )


def _bound_depth(text: str) -> None:
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
        elif token[0] in ("}", "]"):
            depth -= 1


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _value in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return found
