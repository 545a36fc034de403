"""JSON Schemas as tables of keys: what a suite file may hold, and where."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .markup import anchor, code, heading, table
from .prose import one_line

_WORDS = {
    "string": "text",
    "object": "mapping",
    "array": "list",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
}


def key_parts(schema: Mapping[str, Any], level: int, *, prefix: str = "") -> Iterator[str]:
    """Give the table of the keys of a schema, a section for each mapping in it, and one for each definition."""
    yield from _section(schema, level, prefix)
    for name, definition in schema.get("$defs", {}).items():
        if isinstance(definition, bool):  # a place that is left open: what may stand there has a page of its own
            continue
        yield heading(level, prefix + name.replace("_", " "))
        yield one_line(definition.get("description"))
        kinds = [one for one in _choices(definition) if "properties" in one]
        for one in kinds if len(kinds) > 1 else [_mapping_of(definition)]:
            yield _label(one) if len(kinds) > 1 else ""
            yield from _section(one, level, prefix)


def _section(schema: Mapping[str, Any], level: int, prefix: str) -> Iterator[str]:
    required = schema.get("required", ())
    properties = {name: {} if one is True else one for name, one in schema.get("properties", {}).items()}
    yield table(
        ("key", "type", "meaning"),
        [(_key(name, name in required), _type(one, name, prefix), _meaning(one)) for name, one in properties.items()],
    )
    for name, one in properties.items():
        inner = _mapping_of(one.get("items", one))
        if inner.get("properties"):
            yield heading(level, prefix + code(name))
            yield one_line(inner.get("description"))
            yield from _section(inner, level, prefix)


def _mapping_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return that choice of a schema which is a mapping with known keys."""
    return next((choice for choice in _choices(schema) if "properties" in choice), schema)


def _choices(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]


def _label(schema: Mapping[str, Any]) -> str:
    """Name one of several kinds of mapping by the value that tells it from the others."""
    telling = [one for one in schema["properties"].values() if "const" in one]
    return f"**{code(str(telling[0]['const']))}**" if telling else "**otherwise**"


def _key(name: str, required: bool) -> str:
    return f"{code(name)}, required" if required else code(name)


def _meaning(schema: Mapping[str, Any]) -> str:
    said = one_line(schema.get("description"))
    if "default" in schema:
        said += f" (default {code(json.dumps(schema['default'], ensure_ascii=False))})"
    return said


def _type(schema: Mapping[str, Any], name: str, prefix: str) -> str:
    if "$ref" in schema:
        title = str(schema["$ref"]).rpartition("/")[2].replace("_", " ")
        return f"[{title}](#{anchor(prefix + title)})"
    if "properties" in schema:
        return f"[mapping](#{anchor(prefix + name)})"
    for choice in ("anyOf", "oneOf"):
        if choice in schema and all({"type", "$ref", "enum", "const"} & one.keys() for one in schema[choice]):
            kinds = list(dict.fromkeys(_type(one, name, prefix) for one in schema[choice]))
            return ("; or " if kinds[0].startswith("list") else " or ").join(kinds)
    if "enum" in schema:
        return " or ".join(code(json.dumps(one)) for one in schema["enum"])
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return " or ".join(_with_details(kind, schema, name, prefix) for kind in kinds) or "any value"


def _with_details(kind: str, schema: Mapping[str, Any], name: str, prefix: str) -> str:
    if kind == "array" and schema.get("items"):
        return f"list of: {_type(schema['items'], name, prefix)}"
    if kind in ("integer", "number"):
        return _WORDS[kind] + _bounds(schema)
    return _WORDS[kind]


def _bounds(schema: Mapping[str, Any]) -> str:
    words = {"minimum": "of at least", "exclusiveMinimum": "above", "maximum": "at most"}
    said = [f"{word} {schema[name]:g}" for name, word in words.items() if name in schema]
    return f" {' and '.join(said)}" if said else ""
