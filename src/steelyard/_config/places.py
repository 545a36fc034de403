"""Where a value stands in a file, looked up when a message needs it.

A source notes at most one number per value; a path of keys is followed only when somebody asks, so a file without
mistakes pays next to nothing for its line numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Protocol

from ..api import JsonValue, is_sequence

Spot = tuple[int, int]
"""Line and column, from 1."""


class Spots(Protocol):
    """What a source knows of where values start; a *start* is a number that only the source understands."""

    def top(self) -> int:
        """Return the start of the whole value."""

    def entry(self, container: JsonValue, start: int, index: int) -> tuple[int, int]:
        """Return the starts of key and value of the entry number ``index`` of a container, itself at ``start``.

        For a list both are that of the element.
        """

    def spot(self, start: int) -> Spot:
        """Return line and column of a start."""

    def written(self, start: int, value: JsonValue) -> str | None:
        """Return the text of the number, true, false or null that starts here; ``None`` for any other value."""


class Locator:
    """Gives ``file:line:column`` for a path of keys; of the nearest value that exists when the path leads nowhere."""

    def __init__(self, name: str, value: JsonValue, spots: Spots) -> None:
        self._name = name
        self._value = value
        self._spots = spots

    def __call__(self, path: tuple[str | int, ...], at_key: bool) -> str:
        """Return the place of the value at ``path``, or of its key."""
        value, key_start = self._value, self._spots.top()
        start = key_start
        for part in path:
            found = _entry(value, part)
            if found is None:
                break
            index, entry = found
            key_start, start = self._spots.entry(value, start, index)
            value = entry
        line, column = self._spots.spot(key_start if at_key else start)
        return f"{self._name}:{line}:{column}"

    def written(self, path: tuple[str | int, ...]) -> str | None:
        """Return the number, true, false or null at ``path`` as the file writes it, unquoted; ``None`` otherwise."""
        value, start = self._value, self._spots.top()
        for part in path:
            found = _entry(value, part)
            if found is None:
                return None
            index, entry = found
            start = self._spots.entry(value, start, index)[1]
            value = entry
        return self._spots.written(start, value)


class Lines:
    """Line and column of each offset of a text."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def spot(self, offset: int) -> Spot:
        """Return line and column, from 1."""
        line = bisect_right(self._ends, offset - 1)
        return line + 1, offset - (self._ends[line - 1] if line else -1)


def _entry(value: JsonValue, part: str | int) -> tuple[int, JsonValue] | None:
    if isinstance(value, Mapping):
        if isinstance(part, str) and part in value:
            return next(index for index, key in enumerate(value) if key == part), value[part]
    elif is_sequence(value) and isinstance(part, int) and 0 <= part < len(value):
        return part, value[part]
    return None
