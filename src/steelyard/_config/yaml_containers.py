"""A list or a mapping that is being read from YAML: which key comes next, which is there already, what is merged in."""

from __future__ import annotations

from typing import Final, Protocol

from ..api import JsonValue, shown
from .yaml_spots import YamlSpots, unpacked


class Complain(Protocol):
    """Takes what is wrong, the packed start of it, and what to do."""

    def __call__(self, message: str, start: int, hint: str = "") -> None:
        """Remember the problem; reading goes on."""


class _NoKey:
    """Stands where a key would."""


EXPECTED: Final = _NoKey()
"""A key comes next."""
_SKIPPED: Final = _NoKey()
"""The next value belongs to a key that is wrong."""
_MERGE: Final = _NoKey()
"""The next value belongs to ``<<``."""


class OpenList:
    """A list that is being read."""

    __slots__ = ("anchor", "seen", "start", "starts", "value")

    def __init__(self, start: int, anchor: str | None, seen: int) -> None:
        self.value: list[JsonValue] = []
        self.start = start
        self.starts: list[int] = []
        self.anchor = anchor
        self.seen = seen
        """How many values were read before it."""

    def close(self, spots: YamlSpots) -> None:
        """Note where everything stands."""
        spots.note(self.value, self.starts)


class OpenMapping:
    """A mapping that is being read."""

    __slots__ = ("_complain", "_key", "_key_start", "_merged", "anchor", "seen", "start", "starts", "value")

    def __init__(self, start: int, anchor: str | None, seen: int, complain: Complain) -> None:
        self.value: dict[str, JsonValue] = {}
        self.start = start
        self.starts: list[int] = []
        self.anchor = anchor
        self.seen = seen
        self._complain = complain
        self._key: str | _NoKey = EXPECTED
        self._key_start = 0
        self._merged: list[JsonValue] | None = None

    @property
    def expects_key(self) -> bool:
        """Whether a key comes next."""
        return self._key is EXPECTED

    def add_key(self, key: str, start: int) -> None:
        """Take a key that is text."""
        self._key_start = start
        self._key = key
        if key in self.value:
            first = self.starts[2 * list(self.value).index(key)]
            hint = f"first in line {unpacked(first)[0]}; keep one of them"
            self._complain(f"key {shown(key)} is given twice", start, hint)
            self._key = _SKIPPED

    def add_merge_key(self, start: int) -> None:
        """Take the key ``<<``."""
        self._key = _MERGE
        if self._merged is not None:
            self._complain("key '<<' is given twice", start, "merge a list: <<: [*a, *b]")
            self._key = _SKIPPED
        else:
            self._merged = []

    def skip_key(self) -> None:
        """Leave out the entry whose key was wrong."""
        self._key = _SKIPPED

    def add_value(self, value: JsonValue, start: int) -> None:
        """Take the value of the key before it, or refuse a key that is no scalar."""
        key, self._key = self._key, EXPECTED
        if isinstance(key, str):
            self.value[key] = value
            self.starts += (self._key_start, start)
        elif key is _MERGE:
            self._to_merge(value, start)
        elif key is EXPECTED:
            self._container_as_key(value, start)

    def close(self, spots: YamlSpots) -> None:
        """Note where everything stands, after adding what is merged in: what the mapping has itself wins."""
        for source in self._merged or ():
            assert isinstance(source, dict)  # noqa: S101 - _to_merge saw to it
            starts = spots.starts(source)
            for index, (key, value) in enumerate(source.items()):
                if key not in self.value:
                    self.value[key] = value
                    self.starts += starts[2 * index : 2 * index + 2]
        spots.note(self.value, self.starts)

    def _to_merge(self, value: JsonValue, start: int) -> None:
        sources = value if isinstance(value, list) else [value]
        if all(isinstance(source, dict) for source in sources):
            self._merged = sources
        else:
            self._complain(f"'<<' takes a mapping or a list of mappings, got {shown(value)}", start)

    def _container_as_key(self, value: JsonValue, start: int) -> None:
        if isinstance(value, str):  # by an alias
            self.add_key(value, start)
            return
        template = isinstance(value, dict)
        hint = 'quote a text that begins with "{{"' if template else "quote it"
        self._complain(f"a key must be text, got {shown(value)}", start, hint)
        self._key = _SKIPPED
