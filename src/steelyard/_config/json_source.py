"""The value that a JSON text stands for, and where each part of it stands.

The standard decoder reads it. Where something stands is found out by skipping over the text with the same decoder, one
container at a time, when a message needs it.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections.abc import Callable, Iterator, Sequence

from ..api import JsonValue, shown
from ..errors import BenchmarkError, Problem
from .places import Lines, Spot

MAX_DEPTH = 200
"""Levels of nesting, as in YAML."""
MAX_DIGITS = 4300
"""Of an integer, as in YAML."""

_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity|-?\d[\d.eE+-]*', re.DOTALL)

PlaceOf = Callable[[int], str]
"""Gives the place of an offset of the text, for a message."""

_BLANK = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|-?\d+', re.DOTALL)


class _DuplicateKeyError(ValueError):
    """An object has a key twice."""


def _without_duplicates(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKeyError
    return found


class _NoNumberError(ValueError):
    """A number is none that JSON knows, or beyond measure."""


def _refused(constant: str) -> float:
    raise _NoNumberError(constant)


def _measured(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _NoNumberError(digits)
    return value


class JsonReader:
    """Reads JSON texts, short or long. A lone surrogate is kept as it is."""

    def __init__(self, *, finite: bool = False) -> None:
        """Make one.

        Args:
            finite: Refuse NaN, Infinity and 1e999, which JSON does not have; else they are floats.
        """
        self._decode = json.JSONDecoder(
            object_pairs_hook=_without_duplicates,
            parse_constant=_refused if finite else None,
            parse_float=_measured if finite else None,
        ).decode

    def read(self, text: str, place_of: PlaceOf) -> JsonValue:
        """Return the value. Raises ``BenchmarkError`` with every key that is given twice, or what else is wrong."""
        try:
            value: JsonValue = self._decode(text)
        except json.JSONDecodeError as error:
            said = error.msg[:1].lower() + error.msg[1:]
            raise BenchmarkError([Problem(message=f"not valid JSON: {said}", place=place_of(error.pos))]) from error
        except _DuplicateKeyError as error:
            raise BenchmarkError(_duplicates(text, place_of)) from error
        except RecursionError as error:
            raise BenchmarkError([_too_deep(text, place_of)]) from error
        except _NoNumberError as error:
            raise BenchmarkError([_no_number(text, str(error), place_of)]) from error
        except ValueError as error:
            raise BenchmarkError([_too_long(text, place_of)]) from error
        if text.count("[") + text.count("{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
            raise BenchmarkError([_too_deep(text, place_of)])
        return value


class JsonSpots:
    """The places of the values of one JSON text that is known to be right. A start is an offset."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: Lines | None = None
        self._entries: dict[int, Sequence[int]] = {}
        self._skip = json.JSONDecoder().raw_decode

    def top(self) -> int:
        """Return where the value starts."""
        return self._after_blank(0)

    def entry(self, container: JsonValue, start: int, index: int) -> tuple[int, int]:
        """Return where key and value of an entry start."""
        starts = self._entries.get(start)
        if starts is None:
            starts = self._entries[start] = array("Q", self._scan(start, is_mapping=isinstance(container, dict)))
        return starts[2 * index], starts[2 * index + 1]

    def spot(self, start: int) -> Spot:
        """Return line and column."""
        if self._lines is None:
            self._lines = Lines(self._text)
        return self._lines.spot(start)

    def written(self, start: int, value: JsonValue) -> str | None:
        """Return the text of the number, true, false or null that starts here; ``None`` for any other value."""
        if isinstance(value, (str, list, dict)):
            return None
        return self._text[start : self._skip(self._text, start)[1]]

    def _scan(self, start: int, *, is_mapping: bool) -> Iterator[int]:
        position = self._after_blank(start + 1)
        while self._text[position] not in "]}":
            yield position
            if is_mapping:
                colon = self._after_blank(self._skip(self._text, position)[1])
                position = self._after_blank(colon + 1)
            yield position
            position = self._after_blank(self._skip(self._text, position)[1])
            if self._text[position] == ",":
                position = self._after_blank(position + 1)

    def _after_blank(self, position: int) -> int:
        match = _BLANK.match(self._text, position)
        return match.end() if match else position


def _depth(value: JsonValue) -> int:
    depth = 0
    level = [value]
    while level := [entry for entry in level if isinstance(entry, (dict, list))]:
        depth += 1
        below: list[JsonValue] = []
        for container in level:
            below.extend(container.values() if isinstance(container, dict) else container)
        level = below
    return depth


def _duplicates(text: str, place_of: PlaceOf) -> list[Problem]:
    """Find the keys that are given twice. Behind the object that holds the first of them the text may be anything."""
    problems: list[Problem] = []
    above: list[dict[str, int]] = []
    for token in _TOKEN.finditer(text):
        if token[0] in ("[", "{"):
            above.append({})
        elif not above:
            break
        elif token[0] in ("]", "}"):
            above.pop()
        elif token[0][0] == '"' and _is_key(text, token.end()):
            try:
                key = json.loads(token[0])
            except ValueError:
                break
            if key in above[-1]:
                hint = f"first at {place_of(above[-1][key])}; keep one of them"
                problems.append(
                    Problem(message=f"key {shown(key)} is given twice", hint=hint, place=place_of(token.start()))
                )
            above[-1].setdefault(key, token.start())
    return problems


def _is_key(text: str, position: int) -> bool:
    blank = _BLANK.match(text, position)
    return blank is not None and text[blank.end() : blank.end() + 1] == ":"


def _too_deep(text: str, place_of: PlaceOf) -> Problem:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if depth > MAX_DEPTH:
            return Problem(message=f"nested more than {MAX_DEPTH} levels deep", place=place_of(token.start()))
    return Problem(message="nested too deeply", place=place_of(0))


def _no_number(text: str, wrong: str, place_of: PlaceOf) -> Problem:
    found = next((token for token in _NUMBER.finditer(text) if token[0] == wrong), None)
    message = f"not valid JSON: {shown(wrong)} is no number that JSON has"
    return Problem(
        message=message, hint="write null, or quote it if it is text", place=place_of(found.start() if found else 0)
    )


def _too_long(text: str, place_of: PlaceOf) -> Problem:
    longest = max((token for token in _TOKEN.finditer(text) if token[0][-1].isdigit()), key=lambda token: len(token[0]))
    message = f"an integer has more than {MAX_DIGITS} digits"
    return Problem(message=message, hint="quote it if it is text", place=place_of(longest.start()))
