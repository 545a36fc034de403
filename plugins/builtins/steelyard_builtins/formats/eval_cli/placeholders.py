"""``{{key}}`` in the texts of a case that is filled in by the rows of a dataset.

What a row brings in is data and is never filled in again.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping

from steelyard.api import JsonMapping, JsonValue, is_sequence
from steelyard.errors import TemplateError

_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")
_BRACES = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")


def filled(value: JsonValue, row: JsonMapping) -> JsonValue:
    """Return a value with the placeholders in its texts filled in, at any depth. Raises ``TemplateError``."""
    if isinstance(value, str):
        return text_filled(value, row)
    if isinstance(value, Mapping):
        return {key: filled(entry, row) for key, entry in value.items()}
    return [filled(entry, row) for entry in value] if is_sequence(value) else value


def typed_filled(value: JsonValue, row: JsonMapping) -> JsonValue:
    """Do the same, but a text that is exactly one placeholder becomes the row's value, with its type."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        return _value(whole.group(1), row) if whole else text_filled(value, row)
    if isinstance(value, Mapping):
        return {key: typed_filled(entry, row) for key, entry in value.items()}
    return [typed_filled(entry, row) for entry in value] if is_sequence(value) else value


def number_filled(value: JsonValue, row: JsonMapping) -> JsonValue:
    """Do the same where a number is wanted: a text that was filled in and reads as a number becomes that number.

    Each cell of a CSV file is text, and so is what programs write between quotes into JSONL.
    """
    made = typed_filled(value, row)
    if not isinstance(value, str) or not isinstance(made, str) or not has_placeholder(value):
        return made
    text = made.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else made


def text_filled(text: str, row: JsonMapping) -> str:
    """Return a text with its placeholders filled in. Raises ``TemplateError`` for a key that the row does not have."""
    return _PLACEHOLDER.sub(lambda found: written(_value(found.group(1), row)), text)


def has_placeholder(text: str) -> bool:
    """Whether a text depends on the row."""
    return _PLACEHOLDER.search(text) is not None


def not_placeholders(text: str) -> list[str]:
    """Return what stands in double braces and is no placeholder, so that it stays as it stands."""
    return [found for found in dict.fromkeys(_BRACES.findall(text)) if not _PLACEHOLDER.fullmatch(found)]


def written(value: JsonValue) -> str:
    """Return a value as text: text as it is, null as nothing, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=list)


def _value(key: str, row: JsonMapping) -> JsonValue:
    if key in row:
        return row[key]
    close = difflib.get_close_matches(key, list(row), n=1, cutoff=0.6)
    raise TemplateError(f"the row has no {key!r}" + (f"; did you mean {close[0]!r}?" if close else ""))
