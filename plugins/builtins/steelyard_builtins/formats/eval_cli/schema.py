"""The JSON Schema of suites of the eval tool, for editors."""

from __future__ import annotations

from typing import Any

from steelyard.api import JsonMapping

from .criteria import ISOLATIONS, LANGUAGES
from .keys import CRITERIA, PRICING

_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_COUNT = {"type": "integer", "minimum": 1}


def schema() -> JsonMapping:
    """Return the schema (2020-12)."""
    own: dict[str, Any] = {
        "type": "object",
        "properties": {"type": {"type": "string", "not": {"enum": list(CRITERIA)}}},
    }
    turn: dict[str, Any] = {
        "role": {"enum": ["user", "assistant"]},
        "content": {"type": ["string", "null"], "description": "null in a turn of the assistant: the model answers"},
    }
    case: dict[str, Any] = {
        "id": _TEXT,
        "prompt": _TEXT,
        "turns": {"type": "array", "items": {"type": "object", "properties": turn, "required": ["role", "content"]}},
        "criteria": {"type": "array", "items": {"$ref": "#/$defs/criterion"}, "minItems": 1},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eval suite",
        "type": "object",
        "properties": _top(),
        "required": ["name", "cases"],
        "$defs": {
            "case": {
                "type": "object",
                "properties": case,
                "required": ["criteria"],
                "oneOf": [{"required": ["prompt"]}, {"required": ["turns"]}],
            },
            "criterion": {"oneOf": [*(_criterion(kind) for kind in CRITERIA), own | {"required": ["type"]}]},
        },
    }


def _top() -> dict[str, Any]:
    return {
        "name": {"type": "string", "pattern": r"\S"},
        "description": _TEXT,
        "provider": _TEXT,
        "model": _TEXT,
        "system_prompt": _TEXT,
        "temperature": {"type": "number", "minimum": 0, "maximum": 2},
        "max_tokens": _COUNT | {"default": 1024},
        "pricing": {
            "type": "object",
            "description": "what the model costs, in USD per million tokens",
            "properties": {key: {"type": "number", "minimum": 0} for key in sorted(PRICING)},
            "additionalProperties": False,
        },
        "dataset": _TEXT,
        "dataset_limit": _COUNT,
        "dataset_sample": _COUNT,
        "cases": {"type": "array", "items": {"$ref": "#/$defs/case"}, "minItems": 1},
    }


def _criterion(kind: str) -> dict[str, Any]:
    shapes: dict[str, Any] = {
        "case_sensitive": _FLAG | {"default": False},
        "expected_output": _TEXT,
        "flags": _TEXT,
        "isolation": {"enum": list(ISOLATIONS), "default": "auto"},
        "language": {"enum": list(LANGUAGES)},
        "model": _TEXT,
        # A row may fill a number in.
        "pass_threshold": {"anyOf": [{"type": "number", "minimum": 1, "maximum": 5}, _TEXT], "default": 3},
        "rubric": _TEXT,
        "test_code": _TEXT,
        "timeout_ms": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, _TEXT], "default": 10000},
        "type": {"const": kind},
        "value": {"anyOf": [{"type": "integer", "minimum": 0}, _TEXT]} if kind == "max_words" else {},
    }
    required = {"llm_judge": "rubric", "code_execution": "language"}.get(kind, "value")
    properties = {key: shapes[key] for key in sorted(CRITERIA[kind])}
    return {"type": "object", "properties": properties, "required": ["type", required]}
