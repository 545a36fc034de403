"""Settings dataclasses as tables: each option with its type and bounds, its default and what it is for."""

from __future__ import annotations

import dataclasses
import inspect
import json
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Union

from steelyard._config.option_plans import JSON_VALUE, fields_of, limits_of
from steelyard._config.options import canonical
from steelyard.api import bounds

from .markup import anchor, code, heading, table
from .prose import one_line, prose

_SIMPLE = {str: "text", bool: "true or false", types.NoneType: "null", Any: "any value"}


def option_parts(settings: type[Any], level: int) -> Iterator[str]:
    """Give the table of a settings dataclass, then a section for each dataclass that its options hold."""
    rows = [_row(field, hint) for field, hint in fields_of(settings)]
    yield table(("option", "type", "default", "meaning"), rows)
    for nested in _nested_in(settings):
        yield heading(level, code(nested.__name__))
        yield prose(inspect.getdoc(nested))
        yield from option_parts(nested, level)


def _row(field: dataclasses.Field[Any], hint: Any) -> tuple[str, str, str, str]:
    meaning = one_line(field.metadata.get("doc"))
    if field.metadata.get("secret"):
        meaning += " *Secret: shown nowhere, kept nowhere.*"
    if field.metadata.get("deprecated"):
        meaning += f" *Deprecated: {one_line(field.metadata['deprecated'])}.*"
    return code(field.name), type_words(hint, tuple(limits_of(field))), _default(field), meaning


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
        if dataclasses.is_dataclass(value):
            return "–"
    else:
        return "**required**"
    return "–" if value is None else code(json.dumps(canonical(value), ensure_ascii=False))


def type_words(hint: Any, limits: tuple[float | None, ...] = (None, None, None)) -> str:  # noqa: PLR0911 - one for each kind
    """Say what values an option takes."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if frozenset(arguments) == JSON_VALUE:
        return _SIMPLE[Any]
    if hint in (int, float):
        return ("whole number" if hint is int else "number") + bounds(*limits)
    if origin is Literal:
        return _either([code(str(choice)) for choice in arguments])
    if origin in (Union, types.UnionType):
        kinds = [type_words(one, limits) for one in arguments if one is not types.NoneType]
        return _either(["number" + bounds(*limits)] if {int, float} <= set(arguments) and len(kinds) == 2 else kinds)  # noqa: PLR2004
    if origin is Mapping:
        inside = type_words(arguments[1])
        return "mapping" if inside == _SIMPLE[Any] else f"mapping to {inside}"
    if origin in (tuple, Sequence):
        return f"list of {type_words(arguments[0], limits)}"
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return f"[{code(hint.__name__)}](#{anchor(hint.__name__)})"
    return _SIMPLE[hint]


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _nested_in(settings: type[Any]) -> list[type[Any]]:
    """Return the dataclasses that the options of a dataclass hold, each once."""
    found: dict[type[Any], None] = {}
    for _field, hint in fields_of(settings):
        waiting = [hint]
        while waiting:
            one = waiting.pop()
            if dataclasses.is_dataclass(one) and isinstance(one, type):
                found[one] = None
            waiting += [inner for inner in typing.get_args(one) if frozenset(typing.get_args(one)) != JSON_VALUE]
    return list(found)
