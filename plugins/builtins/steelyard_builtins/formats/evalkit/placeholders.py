"""Evalkit's placeholders: ``{{ name }}`` and dotted paths, nothing else.

A path starts at one of the task's parts (``id``, ``input``, ``expected``, ``metadata``, ``vars``), at a key of ``vars``
or at a key of an ``input`` that is a mapping, in this order. What it brings in is data and is never filled in again.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.api import Case, JsonValue, is_sequence
from steelyard.errors import TemplateError

# Evalkit's own rule: letters of any script after the first character, and dots anywhere, which may lead nowhere.
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")
_BRACES = re.compile(r"\{\{.*?\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Variables:
    """What the placeholders of a task can reach."""

    case: Case

    def get(self, path: str) -> JsonValue:
        """Return what a dotted path leads to. Raises ``TemplateError``."""
        first, *rest = path.split(".")
        found, value = self._start(first)
        for part in rest:
            if not found:
                break
            found, value = _step(value, part)
        if not found:
            raise TemplateError(self._unknown(path, first))
        return value

    def _start(self, name: str) -> tuple[bool, JsonValue]:
        parts = self._parts()
        if name in parts:
            return True, parts[name]
        for mapping in (self.case.variables, self.case.input):
            if isinstance(mapping, Mapping) and name in mapping:
                return True, mapping[name]
        return False, None

    def _parts(self) -> dict[str, JsonValue]:
        case = self.case
        return {
            "id": case.id,
            "input": case.input,
            "expected": case.expected,
            "metadata": case.metadata,
            "vars": case.variables,
        }

    def _unknown(self, path: str, first: str) -> str:
        known = [*self._parts(), *self.case.variables]
        known += list(self.case.input) if isinstance(self.case.input, Mapping) else []
        close = difflib.get_close_matches(first, known, n=1, cutoff=0.6)
        hint = f"; did you mean {close[0]!r}?" if close and close[0] != first else ""
        return f"unknown variable {path!r}{hint}"


def filled(text: str, variables: Variables) -> str:
    """Return a text with its placeholders filled in. Raises ``TemplateError``."""
    return _PLACEHOLDER.sub(lambda found: written(variables.get(found.group(1))), text)


def resolved(text: str, variables: Variables) -> JsonValue:
    """Do the same, but keep the value's type when the text is one placeholder, apart from white space around it."""
    whole = _PLACEHOLDER.fullmatch(text.strip())
    return variables.get(whole.group(1)) if whole else filled(text, variables)


def is_template(text: str) -> bool:
    """Whether a text holds a placeholder."""
    return _PLACEHOLDER.search(text) is not None


def not_placeholders(text: str) -> list[str]:
    """Return what stands in double braces and is no placeholder, so that it is sent as it stands."""
    return [found for found in dict.fromkeys(_BRACES.findall(text)) if not is_template(found)]


def written(value: JsonValue) -> str:
    """Return a value as a prompt shows it: text as it is, null as nothing, lists and mappings as JSON."""
    if value is None:
        return ""
    return str(value) if isinstance(value, (str, bool, int, float)) else as_json(value)


def as_json(value: JsonValue) -> str:
    """Return a value as JSON, text as it is: what a grader compares with."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]


def _step(value: JsonValue, part: str) -> tuple[bool, JsonValue]:
    if isinstance(value, Mapping):
        return part in value, value.get(part)
    if is_sequence(value) and part.isdecimal() and int(part) < len(value):
        return True, value[int(part)]
    return False, None
