"""The JSON Schema of options says what filling accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from steelyard._config.option_schema import schema_of
from steelyard.api import JsonMapping, JsonValue, NoSettings, option


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A part of the settings."""

    unit: str = option(doc="What it is for.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSettings:
    """One field of each kind."""

    model: str = option(doc="Which model.")
    retries: int = option(3, doc="How often.", minimum=0, maximum=5)
    share: float = option(0.5, doc="How much.", above=0)
    strict: bool = option(default=False, doc="Whether.")
    mode: Literal["on", "off"] = option("on", doc="How.")
    value: str | tuple[str, ...] | None = option(None, doc="One or several.")
    anything: JsonValue = option(None, doc="Whatever.")
    params: JsonMapping = option(default_factory=dict, doc="Further fields.")
    headers: Mapping[str, str] = option(default_factory=dict, doc="Sent along.")
    price: Price | None = option(None, doc="What it costs.")
    api_key: str | None = option(None, doc="The key.", secret=True)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("model", {"type": "string", "description": "Which model."}),
        ("retries", {"type": "integer", "minimum": 0, "maximum": 5, "description": "How often.", "default": 3}),
        ("share", {"type": "number", "exclusiveMinimum": 0, "description": "How much.", "default": 0.5}),
        ("strict", {"type": "boolean", "description": "Whether.", "default": False}),
        ("mode", {"enum": ["on", "off"], "description": "How.", "default": "on"}),
        (
            "value",
            {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                "description": "One or several.",
                "default": None,
            },
        ),
        ("anything", {"description": "Whatever.", "default": None}),
        ("params", {"type": "object", "additionalProperties": {}, "description": "Further fields.", "default": {}}),
        (
            "headers",
            {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Sent along.",
                "default": {},
            },
        ),
        ("api_key", {"type": ["string", "null"], "description": "The key.", "writeOnly": True}),
    ],
)
def test_an_option_is_described_by_type_bounds_default_and_documentation(name: str, wanted: object) -> None:
    assert schema_of(ProbeSettings)["properties"][name] == wanted  # type: ignore[call-overload, index]


def test_unknown_keys_are_refused_but_for_the_users_own() -> None:
    schema = schema_of(NoSettings)

    assert schema == {
        "type": "object",
        "properties": {},
        "patternProperties": {"^(_|x-)": True},
        "additionalProperties": False,
    }


def test_only_options_without_a_default_are_required_also_in_a_part() -> None:
    schema = schema_of(ProbeSettings)

    assert schema["required"] == ["model"]
    assert schema["properties"]["price"]["anyOf"][0]["required"] == ["unit"]  # type: ignore[call-overload, index]
