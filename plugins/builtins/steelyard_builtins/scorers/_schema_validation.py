"""Validating a value against a JSON Schema with the ``jsonschema`` package. Slow to import: only ``create`` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jsonschema
import jsonschema.validators
import regex
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from steelyard.api import JsonValue, shown
from steelyard.errors import UsageError
from steelyard.text import one_line

PATTERN_LIMIT_S = 2.0
"""Seconds that one ``pattern`` may take on one text."""


class SchemaValidation:
    """A compiled schema.

    Args:
        schema: The schema.
        formats: Whether ``format`` is checked.

    Raises ``UsageError`` when it is none.
    """

    def __init__(self, schema: object, *, formats: bool = True) -> None:
        plain: Any = _plain(schema)
        if not isinstance(plain, dict):
            raise UsageError(f"json_schema: a schema must be a mapping, got {shown(plain)}")
        kind: Any = jsonschema.validators.validator_for(plain, default=jsonschema.Draft202012Validator)
        try:
            kind.check_schema(plain)
        except jsonschema.SchemaError as error:
            place = error.json_path
            raise UsageError(f"json_schema: the schema is wrong at {place}: {one_line(error.message, 200)}") from error
        extend: Any = jsonschema.validators.extend
        # A registry of its own: the default one fetches what a reference names from the network.
        self._validator = extend(kind, {"pattern": _pattern})(
            plain, registry=EMPTY_REGISTRY, format_checker=kind.FORMAT_CHECKER if formats else None
        )

    def problem(self, value: JsonValue) -> str | None:
        """Return what is wrong with a value, or ``None``.

        Raises ``LookupError`` for a reference that leads nowhere and ``TimeoutError`` for a pattern without end.
        """
        try:
            error = jsonschema.exceptions.best_match(self._validator.iter_errors(value))
        except Unresolvable as unresolvable:
            raise LookupError(str(unresolvable)) from unresolvable
        return None if error is None else f"{error.json_path}: {error.message}"


def _pattern(validator: Any, pattern: str, instance: object, schema: object) -> Iterator[jsonschema.ValidationError]:
    del schema
    if not validator.is_type(instance, "string") or not isinstance(instance, str):
        return
    try:
        found = regex.search(pattern, instance, timeout=PATTERN_LIMIT_S)
    except TimeoutError as error:
        raise TimeoutError(f"pattern {shown(pattern)} took longer than its limit of {PATTERN_LIMIT_S:g} s") from error
    if not found:
        yield jsonschema.ValidationError(f"{shown(instance)} does not match {shown(pattern)}")


def _plain(value: object) -> object:
    """Return mappings and sequences of any kind as dicts and lists, which is what the package knows as JSON."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inside) for key, inside in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inside) for inside in value]
    return value
