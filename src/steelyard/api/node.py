"""Reading a suite file's tree: each value together with where it stands, so that it is read and blamed in one place."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from ..errors import Problem, Severity
from .values import JsonMapping, JsonValue

_EXPONENT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+")
_SIMPLE = re.compile(r"[\w.][\w./:-]{0,40}")
"""Text that may stand in a list as it is."""

Locate = Callable[[tuple[str | int, ...], bool], str]
"""Gives ``file:line:column`` of a path of keys: of the value, or of its key when the second argument is true."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a suite file, together with where it stands: read it and complain about it in one place.

    The reading methods return ``None`` (or the default) after reporting a problem, so that a format goes on and every
    problem of a file is found in one go.
    """

    value: JsonValue
    path: tuple[str | int, ...]
    """The keys that lead here from the top of the file."""
    locate: Locate = field(repr=False)
    report: Callable[[Problem], None] = field(repr=False)

    @property
    def place(self) -> str:
        """``file:line:column`` of this value."""
        return self.locate(self.path, False)  # noqa: FBT003 - the protocol of Locate is positional

    def written(self) -> str | None:
        """Return an unquoted number, true, false or null as the file writes it: ``0123``, ``1.10``, ``~``.

        ``None`` for everything else, and where the file's text is not known: in rows of data files.
        """
        written: str | None = getattr(self.locate, "written", _unknown)(self.path)
        return written

    @property
    def keys(self) -> str:
        """The path as text: ``test_cases[3].expected_output``; empty at the top."""
        text = ""
        for part in self.path:
            text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
        return text

    def error(self, message: str, hint: str = "", *, key: str | None = None, at_key: bool = False) -> None:
        """Report an error about this value, or about its entry ``key``."""
        self._say("error", message, hint, key, at_key=at_key)

    def warning(self, message: str, hint: str = "", *, key: str | None = None, at_key: bool = False) -> None:
        """Report something that does not stop the run."""
        self._say("warning", message, hint, key, at_key=at_key)

    def _say(self, severity: Severity, message: str, hint: str, key: str | None, *, at_key: bool) -> None:
        node = self if key is None else self.child(key)
        place = node.locate(node.path, at_key)
        self.report(Problem(severity=severity, message=message, hint=hint, place=place, path=node.keys))

    def child(self, key: str | int) -> Node:
        """Return the entry ``key``; its value is ``None`` when there is none."""
        value: JsonValue = None
        if isinstance(self.value, Mapping) and isinstance(key, str):
            value = self.value.get(key)
        elif is_sequence(self.value) and isinstance(key, int) and key < len(self.value):
            value = self.value[key]
        return Node(value, (*self.path, key), self.locate, self.report)

    def has(self, key: str) -> bool:
        """Whether this is a mapping with the key ``key``."""
        return isinstance(self.value, Mapping) and key in self.value

    def get(self, key: str) -> Node | None:
        """Return the entry ``key``, or ``None`` when the mapping has none or its value is null."""
        return self.child(key) if self.has(key) and self.child(key).value is not None else None

    def entries(self) -> Iterator[Node]:
        """Go through the elements of a list or the values of a mapping; nothing for anything else."""
        if isinstance(self.value, Mapping):
            yield from (self.child(key) for key in self.value)
        elif is_sequence(self.value):
            yield from (self.child(index) for index in range(len(self.value)))

    def is_mapping(self) -> bool:
        """Whether this is a mapping; reports an error when it is not."""
        if isinstance(self.value, Mapping):
            return True
        self.error(f"must be a mapping, got {shown(self.value)}")
        return False

    def is_list(self) -> bool:
        """Whether this is a list; reports an error when it is not."""
        if is_sequence(self.value):
            return True
        self.error(f"must be a list, got {shown(self.value)}", self._as_list())
        return False

    def _as_list(self) -> str:
        if isinstance(self.value, Mapping):
            return "begin each element with '- '"
        return f"write a list: [{self.value}]" if _SIMPLE.fullmatch(str(self.value)) else ""

    def check_keys(self, known: Collection[str], *, severity: Severity = "error") -> None:
        """Report unknown keys of this mapping, with a suggestion. ``_`` and ``x-`` keys are the user's."""
        if not isinstance(self.value, Mapping):
            return
        for key in self.value:
            if key in known or key.startswith(("_", "x-")):
                continue
            close = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
            hint = f"did you mean {close[0]!r}?" if close else f"known keys: {', '.join(sorted(known))}"
            self._say(severity, f"unknown key {key!r}", hint, key, at_key=True)

    def text(self, key: str, *, required: bool = False, allow_empty: bool = True) -> str | None:
        """Return the text under ``key``; ``None`` when it is absent or wrong."""
        node = self._wanted(key, required)
        if node is None:
            return None
        if not isinstance(node.value, str):
            quote = "; quote it" if isinstance(node.value, (bool, int, float)) else ""
            node.error(f"must be text, got {shown(node.value)}{quote}")
            return None
        if not allow_empty and not node.value.strip():
            node.error("must not be empty")
            return None
        return node.value

    def number(
        self,
        key: str,
        *,
        minimum: float | None = None,
        maximum: float | None = None,
        above: float | None = None,
        required: bool = False,
    ) -> float | None:
        """Return the finite number under ``key``; ``None`` when it is absent or wrong."""
        node = self._wanted(key, required)
        if node is None:
            return None
        value = finite(written_number(node.value))
        if value is None or not within(value, minimum, maximum, above):
            node.error(f"must be a number{bounds(minimum, maximum, above)}, got {shown(node.value)}")
            return None
        return value

    def whole(
        self, key: str, *, minimum: int | None = None, maximum: int | None = None, required: bool = False
    ) -> int | None:
        """Return the whole number under ``key``; ``None`` when it is absent or wrong.

        Wrong are 100.0, true, and what is too large for a float.
        """
        node = self._wanted(key, required)
        if node is None:
            return None
        value = node.value
        is_whole = isinstance(value, int) and finite(value) is not None
        if not is_whole or not isinstance(value, int) or not within(value, minimum, maximum, None):
            node.error(f"must be a whole number{bounds(minimum, maximum, None)}, got {shown(value)}")
            return None
        return value

    def flag(self, key: str, default: bool | None = None) -> bool | None:
        """Return the true or false under ``key``; the default when it is absent or wrong."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, bool):
            node.error(f"must be true or false, got {shown(node.value)}")
            return default
        return node.value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts under ``key``; empty when it is absent, without what is wrong."""
        node = self.get(key)
        if node is None or not node.is_list():
            return ()
        found = []
        for entry in node.entries():
            if isinstance(entry.value, str):
                found.append(entry.value)
            else:
                entry.error(f"must be text, got {shown(entry.value)}; quote it")
        return tuple(found)

    def mapping(self, key: str) -> JsonMapping:
        """Return the mapping under ``key``; empty when it is absent or wrong."""
        node = self.get(key)
        if node is None or not node.is_mapping() or not isinstance(node.value, Mapping):
            return {}
        return node.value

    def _wanted(self, key: str, required: bool) -> Node | None:
        node = self.get(key)
        if node is None and required:
            self.error(f"{key!r} is required", at_key=True)
        return node


def _unknown(_path: tuple[str | int, ...]) -> None:
    return None


def is_sequence(value: JsonValue) -> TypeGuard[Sequence[JsonValue]]:
    """Whether a value is a list, as opposed to text."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def finite(value: JsonValue) -> float | None:
    """Return a number as a finite float; ``None`` for anything else (booleans, NaN, infinity, integers too large)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def written_number(value: JsonValue) -> JsonValue:
    """Return the number that ``1e-6`` is where a number is wanted; anything else as it is.

    YAML 1.1 has an exponent only after a point, and so reads a text there.
    """
    return float(value) if isinstance(value, str) and _EXPONENT.fullmatch(value) else value


def within(value: float, minimum: float | None, maximum: float | None, above: float | None) -> bool:
    """Whether a number keeps its bounds."""
    if minimum is not None and value < minimum:
        return False
    if maximum is not None and value > maximum:
        return False
    return above is None or value > above


def bounds(minimum: float | None, maximum: float | None, above: float | None) -> str:
    """Say bounds in words: `` from 1 to 100``, `` above 0``, or nothing."""
    if minimum is not None and maximum is not None:
        return f" from {minimum:g} to {maximum:g}"
    if minimum is not None:
        return f" of at least {minimum:g}"
    if above is not None:
        return f" above {above:g}" + (f" and at most {maximum:g}" if maximum is not None else "")
    return f" of at most {maximum:g}" if maximum is not None else ""


def shown(value: object, limit: int = 60) -> str:
    """Return a value as a message quotes it: one line, cut when long; null, true and false as in the file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= limit else text[: limit - 1] + "…"
