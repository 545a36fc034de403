"""The JSON Schema of a component's options, for editors and for the reference pages."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from ..api import JsonMapping, JsonValue
from .option_kinds import NO_LIMITS, Limits
from .option_plans import JSON_VALUE, fields_of, limits_of
from .options import canonical

_SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", types.NoneType: "null"}
USER_KEYS = "^(_|x-)"
"""Keys that belong to the user, wherever keys are checked."""


def schema_of(settings_type: type[Any]) -> JsonMapping:
    """Return the JSON Schema (2020-12) of a settings dataclass: types, bounds, defaults and documentation.

    Raises ``TypeError`` for a field whose type no option can have.
    """
    properties: dict[str, JsonValue] = {}
    required: list[JsonValue] = []
    for field, hint in fields_of(settings_type):
        properties[field.name] = _property(field, hint)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            required.append(field.name)
    schema: dict[str, JsonValue] = {"type": "object", "properties": properties, "patternProperties": {USER_KEYS: True}}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def _property(field: dataclasses.Field[Any], hint: Any) -> JsonMapping:
    schema = dict(_schema(hint, limits_of(field)))
    doc = field.metadata.get("doc")
    if doc:
        schema["description"] = doc
    if field.metadata.get("deprecated"):
        schema["deprecated"] = True
    if field.metadata.get("secret"):
        schema["writeOnly"] = True
    elif field.default is not dataclasses.MISSING:
        schema["default"] = canonical(field.default)
    elif field.default_factory is not dataclasses.MISSING:
        schema["default"] = canonical(field.default_factory())
    return schema


def _schema(hint: Any, limits: Limits = NO_LIMITS) -> JsonMapping:  # noqa: PLR0911 - one return for each kind
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or frozenset(arguments) == JSON_VALUE:
        return {}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint], **(_bounds(limits) if hint in (int, float) else {})}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _any_of([_schema(argument, limits) for argument in arguments])
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return schema_of(hint)
    if origin is Mapping and arguments[0] is str:
        return {"type": "object", "additionalProperties": _schema(arguments[1], limits)}
    if origin in (tuple, Sequence) and arguments[1:] in ((), (...,)):
        return {"type": "array", "items": _schema(arguments[0], limits)}
    raise TypeError(f"type {hint!r} is not supported for an option")


def _any_of(schemas: list[JsonMapping]) -> JsonMapping:
    kinds = [schema["type"] for schema in schemas if schema.keys() == {"type"}]
    if len(kinds) == len(schemas):
        return {"type": kinds}
    return {"anyOf": list(schemas)}


def _bounds(limits: Limits) -> JsonMapping:
    named = {"minimum": limits.minimum, "maximum": limits.maximum, "exclusiveMinimum": limits.above}
    return {name: canonical(bound) for name, bound in named.items() if bound is not None}
