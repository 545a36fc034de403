"""Filling ``{{ name }}`` in the settings of programs and web services with what a case asks.

Not the language of prompts: only names with dots, no filters and no logic. Filled in one pass, so that a prompt that
holds braces itself stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from steelyard.api import JsonValue, Request
from steelyard.errors import ProviderError

ASKED = frozenset({"input", "messages", "model", "prompt", "repeat", "seed", "system", "vars"})
"""Names that a placeholder may use whatever the case is."""

_PLACEHOLDER = re.compile(r"\{\{\s*([\w-]+(?:\.[\w-]+)*)\s*\}\}")


def variables_of(request: Request) -> Mapping[str, JsonValue]:
    """Return what placeholders may name: the case's variables, and these, which win over variables of the same name.

    ``prompt`` (the last question), ``system``, ``messages`` (the whole conversation), ``vars``, ``input``, ``model``,
    ``seed`` and ``repeat``. Behind the variables come the case's ``id``, ``expected`` and ``metadata``, and the keys of
    an input that is a mapping.
    """
    return {
        **(request.input if isinstance(request.input, Mapping) else {}),
        **request.case,
        **request.variables,
        "prompt": prompt_of(request),
        "system": system_of(request),
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "vars": request.variables,
        "input": prompt_of(request) if request.input is None else request.input,
        "model": request.model,
        "seed": request.parameters.seed,
        "repeat": request.repeat,
    }


def prompt_of(request: Request) -> str:
    """Return the last thing that the user says."""
    return next((message.content for message in reversed(request.messages) if message.role == "user"), "")


def system_of(request: Request) -> str:
    """Return the system text; empty when there is none."""
    return "\n\n".join(message.content for message in request.messages if message.role == "system")


def names_in(template: JsonValue) -> set[str]:
    """Return the first part of every name that a template asks for, in whatever depth."""
    if isinstance(template, str):
        return {match[1].partition(".")[0] for match in _PLACEHOLDER.finditer(template)}
    if isinstance(template, Mapping):
        return set().union(*(names_in(value) for value in template.values()))
    if isinstance(template, Sequence):
        return set().union(*(names_in(value) for value in template))
    return set()


def case_names(template: JsonValue) -> set[str]:
    """Return the names that a template takes from the case, and not from what is asked of every model."""
    if isinstance(template, str):
        found = {match[1].removeprefix("vars.").partition(".")[0] for match in _PLACEHOLDER.finditer(template)}
        return found - ASKED
    inside = template.values() if isinstance(template, Mapping) else template if isinstance(template, Sequence) else ()
    return set().union(*map(case_names, inside))


def filled(template: JsonValue, variables: Mapping[str, JsonValue], where: str) -> JsonValue:
    """Fill every text in a JSON value. A text that is one placeholder, white space aside, becomes the value itself.

    Raises ``ProviderError`` that says ``where`` for a name that nothing has.
    """
    if isinstance(template, str):
        whole = _PLACEHOLDER.fullmatch(template.strip())
        return _found(whole[1], variables, where) if whole else filled_text(template, variables, where)
    if isinstance(template, Mapping):
        return {key: filled(value, variables, where) for key, value in template.items()}
    if isinstance(template, Sequence):
        return [filled(value, variables, where) for value in template]
    return template


def filled_text(
    template: str, variables: Mapping[str, JsonValue], where: str, escape: Callable[[str], str] = str
) -> str:
    """Fill a text as evalkit and prompts do: null is nothing, true is ``True``, lists and mappings stand there as JSON.

    ``escape`` is applied to each value.
    """
    return _PLACEHOLDER.sub(lambda match: escape(_written(_found(match[1], variables, where))), template)


def as_text(value: JsonValue) -> str:
    """Return a value as text: as it is, or as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=_plain)


def _written(value: JsonValue) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, bool) else as_text(value)


def _found(path: str, variables: Mapping[str, JsonValue], where: str) -> JsonValue:
    value: JsonValue = variables
    parts = path.split(".")
    own = variables.get("vars")
    if len(parts) > 1 and parts[0] == "vars" and isinstance(own, Mapping) and parts[1] not in own:
        # Evalkit's programs and services find everything there that a prompt finds at the top.
        parts = parts[1:]
    for part in parts:
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, Sequence) and not isinstance(value, str) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            raise ProviderError(f"{where}: nothing is called {path!r}; known names: {', '.join(sorted(variables))}")
    return value


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, Sequence) else str(value)
