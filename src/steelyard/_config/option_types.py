"""How a type that no option can have is said: as its author wrote it, and with one that could stand in its place.

What a file gives is text, numbers, booleans, null, lists and mappings. Whatever else a component wants, it makes of
them when it is created.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..api import shown

_MODULES = re.compile(r"\b(?:[A-Za-z_]\w*\.|<locals>\.)+(?=\w)")

_AS_TEXT = "use str, and convert it in 'create'"


class OptionTypeError(TypeError):
    """A settings dataclass has a field of a type that no option can have."""


def unsupported(hint: Any, supported: Callable[[Any], bool]) -> OptionTypeError:
    """Return the error for a type; ``supported`` says whether what it is made of could be an option."""
    return OptionTypeError(f"an option cannot be of the type {spelled(hint)}; {_advice(hint, supported)}")


def spelled(hint: Any) -> str:
    """Return a type as it is written in a module that imports its parts by name."""
    if hint is type(None):
        return "None"
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else _MODULES.sub("", repr(hint))


def _advice(hint: Any, supported: Callable[[Any], bool]) -> str:
    kind = typing.get_origin(hint) or hint
    parts = [part for part in typing.get_args(hint) if part is not ...]
    if kind is object:
        return "use JsonValue"
    if not isinstance(kind, type) or issubclass(kind, (bytes, bytearray, memoryview)):
        return _AS_TEXT
    if issubclass(kind, Mapping) and not typing.is_typeddict(kind):
        return f"use Mapping[str, {_either(parts[1:], supported, 'JsonValue')}]"
    if issubclass(kind, Iterable) and not typing.is_typeddict(kind) and not hasattr(kind, "_fields"):
        return f"use tuple[{_either(parts, supported, 'str')}, ...]"
    return _instead_of_class(kind)


def _instead_of_class(kind: type[Any]) -> str:
    if dataclasses.is_dataclass(kind):
        return "make the dataclass frozen"
    if typing.is_typeddict(kind) or hasattr(kind, "_fields"):
        return "make it a frozen dataclass"
    if issubclass(kind, enum.Enum):
        return f"use Literal[{', '.join(shown(one.value) for one in kind)}], and convert it in 'create'"
    return _AS_TEXT


def _either(parts: list[Any], supported: Callable[[Any], bool], otherwise: str) -> str:
    usable = dict.fromkeys(spelled(part) for part in parts if supported(part))
    return " | ".join(usable) if parts and all(map(supported, parts)) else otherwise
