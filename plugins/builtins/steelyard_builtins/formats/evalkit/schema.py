"""The JSON Schema of evalkit suites, for editors.

It describes what evalkit describes; the options of providers are left to the host, which knows what is installed.
"""

from __future__ import annotations

from typing import Any

from steelyard.api import JsonMapping

from .keys import OPTIONS

_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_FROM_0 = {"type": "number", "minimum": 0}
_MAPPING = {"type": "object"}


def schema() -> JsonMapping:
    """Return the schema (2020-12)."""
    graders = {"type": "array", "items": {"$ref": "#/$defs/grader"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "evalkit suite",
        **_closed(
            {
                "version": {"const": 1},
                "name": {"type": "string", "pattern": r"\S"},
                "description": {"type": ["string", "null"]},
                "target": {"$ref": "#/$defs/provider"},
                "judge": {"anyOf": [{"$ref": "#/$defs/provider"}, {"type": "null"}]},
                "system": {"type": ["string", "null"]},
                "prompt": {"type": ["string", "null"]},
                "graders": graders,
                "tasks": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/task"}, "minItems": 1}, _TEXT]},
                "settings": {"$ref": "#/$defs/settings"},
            },
            ["name", "target", "tasks"],
        ),
        "$defs": {
            "provider": {
                "type": "object",
                "properties": {"provider": _TEXT, "model": _TEXT},
                "required": ["provider"],
                "allOf": [{"$ref": "#/$defs/whole_model"}],
            },
            "whole_model": True,
            "grader": {"oneOf": [_grader(kind) for kind in OPTIONS]},
            "task": _closed(
                {
                    "id": {"type": ["string", "null"]},
                    "input": {},
                    "vars": _MAPPING,
                    "expected": {},
                    "graders": graders,
                    "tags": {"type": "array", "items": _TEXT},
                    "metadata": _MAPPING,
                }
            ),
            "settings": _closed(_settings()),
        },
    }


def _closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": {"^(_|x-)": {}},
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _settings() -> dict[str, Any]:
    return {
        "concurrency": {"type": "integer", "minimum": 1, "maximum": 256, "default": 4},
        "repeat": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1},
        "retries": {"type": "integer", "minimum": 0, "maximum": 20, "default": 2},
        "retry_backoff": _FROM_0 | {"default": 0.5},
        "seed": {"type": "integer", "default": 0},
        "cache": _FLAG | {"default": True},
        "cache_path": _TEXT,
        "fail_under": _SHARE | {"default": 1},
        "task_pass_rate": _SHARE | {"default": 1},
    }


def _grader(kind: str) -> dict[str, Any]:
    common = {
        "type": {"const": kind},
        "name": {"type": ["string", "null"]},
        "negate": _FLAG,
        "weight": {"type": "number", "exclusiveMinimum": 0},
    }
    required = {"regex": ["pattern"], "python": ["function"], "llm_judge": ["rubric"]}.get(kind, [])
    return _closed(common | {name: _OPTION_SHAPES[name] for name in sorted(OPTIONS[kind])}, ["type", *required])


_OPTION_SHAPES: dict[str, dict[str, Any]] = {
    "abs_tol": _FROM_0,
    "args": _MAPPING,
    "extract": _FLAG,
    "fullmatch": _FLAG,
    "function": _TEXT,
    "ignore_case": _FLAG,
    "min_score": {"type": ["number", "null"]},
    "mode": {"enum": ["all", "any"]},
    "pattern": _TEXT,
    "pick": {"enum": ["last", "first"]},
    "provider": {"anyOf": [{"$ref": "#/$defs/provider"}, {"type": "null"}]},
    "rel_tol": _FROM_0,
    "rubric": _TEXT,
    "scale": {"type": "integer", "minimum": 2, "maximum": 100},
    "schema": {"type": ["object", "null"]},
    "schema_file": {"type": ["string", "null"]},
    "strip": _FLAG,
    "value": {},
}
