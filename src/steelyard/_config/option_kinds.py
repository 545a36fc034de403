"""The kinds of values that an option may have: how each is checked and converted, and what messages call it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._suggest import closest
from ..api import bounds, finite, is_sequence, shown, within, written_number

Path = tuple[str | int, ...]


class Fault(NamedTuple):
    """What is wrong with an option."""

    path: Path
    message: str
    hint: str = ""
    at_key: bool = False
    """Whether the key itself is wrong, rather than its value."""


WRONG = object()
"""What a reader returns for a value that it has found a fault in."""

Read = Callable[[Any, Path, list[Fault]], Any]
"""Makes a field's value of what the file gives, or adds to the faults and returns ``WRONG``."""


class Limits(NamedTuple):
    """The bounds of numbers, as ``api.option`` declares them."""

    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Kind:
    """A type, as it is read and as messages name it."""

    read: Read
    noun: str
    """``text``, ``a whole number above 0``, ``a list of texts``."""
    accepts: Callable[[Any], bool]
    """Whether a value has the right outer type, so that faults inside it are worth saying."""


def must_be(noun: str, value: Any, path: Path) -> Fault:
    """Return the fault that a value is not what it must be."""
    quote = "text" in noun and isinstance(value, (bool, int, float))
    return Fault(path, f"must be {noun}, got {shown(value)}", "quote it" if quote else "")


def of_type(noun: str, accepts: Callable[[Any], bool]) -> Kind:
    """Values that are taken as they are."""

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        if accepts(value):
            return value
        faults.append(must_be(noun, value, path))
        return WRONG

    return Kind(read, noun, accepts)


TEXT = of_type("text", lambda value: isinstance(value, str))
FLAG = of_type("true or false", lambda value: isinstance(value, bool))
NULL = of_type("null", lambda value: value is None)


def _read_anything(value: Any, path: Path, faults: list[Fault]) -> Any:
    waiting = [(path, value)]
    while waiting:
        inner_path, inner = waiting.pop()
        if isinstance(inner, float) and not math.isfinite(inner):
            faults.append(Fault(inner_path, f"must be a finite number, got {shown(inner)}"))
            return WRONG
        if isinstance(inner, Mapping):
            waiting.extend(((*inner_path, key), entry) for key, entry in inner.items())
        elif is_sequence(inner):
            waiting.extend(((*inner_path, index), entry) for index, entry in enumerate(inner))
    return value


ANYTHING = Kind(_read_anything, "anything", lambda _value: True)
"""Any JSON value; numbers in it must be finite."""


def number(limits: Limits, *, whole: bool) -> Kind:
    noun = ("a whole number" if whole else "a number") + bounds(*limits)

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        number = finite(value if whole else written_number(value))
        if number is None or (whole and not isinstance(value, int)) or not within(value if whole else number, *limits):
            faults.append(must_be(noun, value, path))
            return WRONG
        return value if whole else number

    def accepts(value: Any) -> bool:
        return isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)

    return Kind(read, noun, accepts)


def literal(choices: tuple[Any, ...]) -> Kind:
    noun = f"one of {', '.join(shown(choice) for choice in choices)}" if len(choices) > 1 else shown(choices[0])
    names = [choice for choice in choices if isinstance(choice, str)]

    def accepts(value: Any) -> bool:
        return any(value == choice and type(value) is type(choice) for choice in choices)

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        if accepts(value):
            return value
        near = closest(value, names) if isinstance(value, str) else None
        hint = f"did you mean {near!r}?" if near else ""
        if isinstance(value, bool) and names:
            hint = "quote it"  # YAML reads on, off, yes and no as booleans
        faults.append(Fault(path, f"must be {noun}, got {shown(value)}", hint))
        return WRONG

    return Kind(read, noun, accepts)


def union(kinds: list[Kind]) -> Kind:
    noun = _either([kind.noun for kind in kinds])

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        fitting = [kind for kind in kinds if kind.accepts(value)]
        if not fitting:  # where text is taken too, 1e3 is one
            fitting = [kind for kind in kinds if kind.accepts(written_number(value))]
        for kind in fitting:
            found: list[Fault] = []
            result = kind.read(value, path, found)
            if not found:
                return result
        if len(fitting) == 1:
            faults.extend(found)
        else:
            faults.append(must_be(noun, value, path))
        return WRONG

    return Kind(read, noun, lambda value: any(kind.accepts(value) for kind in kinds))


def _either(nouns: list[str]) -> str:
    others = list(dict.fromkeys(noun for noun in nouns if noun != "null"))
    others += ["null"] if "null" in nouns and len(others) > 1 else []
    return " or ".join(others) if len(others) < 3 else f"{', '.join(others[:-1])} or {others[-1]}"  # noqa: PLR2004


def mapping(entry: Kind) -> Kind:
    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        if not isinstance(value, Mapping):
            faults.append(must_be("a mapping", value, path))
            return WRONG
        before = len(faults)
        result = {key: entry.read(inner, (*path, key), faults) for key, inner in value.items()}
        return WRONG if len(faults) > before else result

    return Kind(read, "a mapping", lambda value: isinstance(value, Mapping))


def listing(entry: Kind) -> Kind:
    noun = f"a list of {entry.noun}s" if entry.noun == "text" else "a list"

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        if not is_sequence(value):
            faults.append(must_be(noun, value, path))
            return WRONG
        before = len(faults)
        result = tuple(entry.read(inner, (*path, index), faults) for index, inner in enumerate(value))
        return WRONG if len(faults) > before else result

    return Kind(read, noun, is_sequence)
