"""Where the values of a YAML text stand: for each container the starts of its entries, packed into integers."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any

from ..api import JsonValue
from .places import Spot
from .yaml_scalars import plain

# What YAML 1.1 takes for the end of a line, and what may stand in a number or in null.
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_PLAIN = re.compile(r"[^\s,\[\]{}#:]*(?::[^\s,\[\]{}#:]+)*")
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1


def packed(mark: Any) -> int:
    """Return a parser's mark (line and column from 0) as one integer."""
    return packed_at(mark.line, mark.column)


def packed_at(line: int, column: int) -> int:
    """Return line and column, from 0, as one integer."""
    return line << _SHIFT | column


def unpacked(start: int) -> Spot:
    """Return line and column, from 1."""
    return (start >> _SHIFT) + 1, (start & _MASK) + 1


class YamlSpots:
    """The places of the values of one YAML text."""

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._lines: list[str] | None = None
        self._top = 0
        self._by_container: dict[int, Sequence[int]] = {}

    def top(self) -> int:
        """Return where the document starts."""
        return self._top

    def entry(self, container: JsonValue, start: int, index: int) -> tuple[int, int]:  # noqa: ARG002 - protocol
        """Return where key and value of an entry start. Containers are known by identity."""
        starts = self._by_container[id(container)]
        if isinstance(container, dict):
            return starts[2 * index], starts[2 * index + 1]
        return starts[index], starts[index]

    def spot(self, start: int) -> Spot:
        """Return line and column of a packed mark."""
        return unpacked(start)

    def written(self, start: int, value: JsonValue) -> str | None:
        """Return the text of the number, true, false or null that starts here; ``None`` for any other value."""
        if isinstance(value, (str, list, dict)):
            return None
        if self._lines is None:
            self._lines = _BREAK.split(self._text)
        line, column = unpacked(start)
        found = _PLAIN.match(self._lines[line - 1], column - 1) if line <= len(self._lines) else None
        text = found[0] if found else ""
        # Not where an alias, an anchor or a tag stands instead.
        return text if plain(text) == value else None

    def note_top(self, start: int) -> None:
        """Remember where the document starts."""
        self._top = start

    def note(self, container: JsonValue, starts: list[int]) -> None:
        """Remember where the entries of a container start; of a mapping, key and value in turn."""
        self._by_container[id(container)] = array("Q", starts)

    def starts(self, container: JsonValue) -> Sequence[int]:
        """Return what was noted for a container."""
        return self._by_container[id(container)]
