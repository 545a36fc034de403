"""A format's JSON Schema, completed by the options of the components that are installed.

A format leaves places for them in ``$defs``; what it leaves no place for is not added:

======================  =======================================================================================
``scorer_options``      a scorer as a mapping: its options, by its ``type``
``provider_options``    a model as a mapping: the options of every model, and those of its ``provider``
``options_by_provider``  a mapping from providers' names to options
``whole_model``         the same where nothing about the model stands elsewhere: what is required must be there, and
                        what its ``provider`` does not have must not; null says nothing
======================  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._config.option_schema import USER_KEYS, schema_of
from .._host.registry import Registry
from ..api import JsonMapping, ProviderSpec
from .model_options import CallOptions, RequestOptions

_FROM_ENVIRONMENT = {"type": "string", "pattern": r"\$\{"}
"""A value that is filled in from the environment, whatever type it is to have then."""


def completed(schema: JsonMapping, registry: Registry) -> JsonMapping:
    """Return the schema with the places filled that it leaves."""
    places = schema.get("$defs")
    if not isinstance(places, Mapping):
        return schema
    fill = {
        "scorer_options": _scorer_options,
        "provider_options": _provider_options,
        "options_by_provider": _options_by_provider,
        "whole_model": _whole_model,
    }
    filled = {name: fill[name](registry) if name in fill else part for name, part in places.items()}
    return {**schema, "$defs": filled}


def _scorer_options(registry: Registry) -> dict[str, Any]:
    offers = registry.specs("scorer")
    return {
        "properties": {"type": {"anyOf": [{"enum": [offer.name for offer in offers]}, {"type": "string"}]}},
        "allOf": [_where("type", offer.name, _properties(offer.spec.settings)) for offer in offers],
    }


def _provider_options(registry: Registry) -> dict[str, Any]:
    offers = registry.specs("provider")
    own = [_where("provider", offer.name, _expandable(_properties(offer.spec.settings))) for offer in offers]
    return {
        "properties": {
            "provider": {"anyOf": [{"enum": [offer.name for offer in offers]}, {"type": "string"}]},
            **_of_every_model(),
        },
        "allOf": own,
    }


def _options_by_provider(registry: Registry) -> dict[str, Any]:
    return {
        "properties": {
            offer.name: {
                "type": ["object", "null"],
                "description": offer.spec.summary,
                "properties": {**_of_every_model(), **_expandable(_properties(offer.spec.settings))},
            }
            for offer in registry.specs("provider")
        }
    }


def _whole_model(registry: Registry) -> dict[str, Any]:
    offers = registry.specs("provider")
    return {
        "properties": {"provider": {"anyOf": [{"enum": [offer.name for offer in offers]}, {"type": "string"}]}},
        "allOf": [
            {
                "if": {"properties": {"provider": {"const": offer.name}}, "required": ["provider"]},
                "then": _closed(offer.spec),
            }
            for offer in offers
        ],
    }


def _closed(spec: ProviderSpec[Any]) -> dict[str, Any]:
    """Return the schema of a model that says everything itself."""
    found: Any = schema_of(spec.settings).get("required", [])
    required = [*(["model"] if spec.needs_model else []), *found]
    options = {**_of_every_model(), **_expandable(_properties(spec.settings))}
    optional = {name: _or_null(part) for name, part in options.items() if name not in required}
    return {
        "properties": {"provider": {"type": "string"}, "model": {"type": "string"}, **options, **optional},
        "required": required,
        "patternProperties": {USER_KEYS: True},
        "additionalProperties": False,
    }


def _of_every_model() -> dict[str, Any]:
    return _expandable({**_properties(RequestOptions), **_properties(CallOptions)})


def _where(key: str, value: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rule that these options go with this value. What is required may stand elsewhere in the file."""
    return {
        "if": {"properties": {key: {"const": value}}, "required": [key]},
        "then": {"properties": dict(properties)},
    }


def _properties(settings: type[Any]) -> dict[str, Any]:
    properties = schema_of(settings)["properties"]
    return dict(properties) if isinstance(properties, Mapping) else {}


def _expandable(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _or_from_environment(part) for name, part in properties.items()}


def _or_from_environment(part: Mapping[str, Any]) -> dict[str, Any]:
    about = {key: part[key] for key in ("description", "default", "writeOnly") if key in part}
    rest = {key: value for key, value in part.items() if key not in about}
    return {**about, "anyOf": [rest, _FROM_ENVIRONMENT]}


def _or_null(part: Mapping[str, Any]) -> dict[str, Any]:
    return {**part, "anyOf": [*part["anyOf"], {"type": "null"}]}
