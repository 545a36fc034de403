"""The values of secret options: in what a file gives, and in settings that were made of it.

A secret option may hold text, or settings and lists of texts: each text of it is a secret. In a mapping, such as
headers or environment variables, it is what stands under a name that a secret would have: to take every ``MODE:
production`` for a secret would spoil answers that say ``production``, and with them their scores.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..api import JsonMapping, is_sequence
from .option_plans import fields_of

_SECRET_NAME = re.compile(r"auth|credential|cookie|key|passw|secret|session|signature|token", re.IGNORECASE)


def secrets_given(settings_type: type[Any], options: JsonMapping) -> tuple[str, ...]:
    """Return the secrets among options as a file gives them, right or wrong. Types that cannot be read have none."""
    return tuple(_given(settings_type, options)) if _any_secret(settings_type) else ()


def secrets_of(settings: Any) -> tuple[str, ...]:
    """Return the secrets in settings, defaults included."""
    return tuple(_made(settings)) if _any_secret(type(settings)) else ()


def _any_secret(settings_type: type[Any]) -> bool:
    return _has_secret(settings_type)  # type: ignore[arg-type] # a class is hashable


@functools.lru_cache(maxsize=1024)
def _has_secret(settings_type: type[Any]) -> bool:
    # Looked up once: rows that fill in options make settings by the thousand, and hardly any have a secret.
    try:
        fields = fields_of(settings_type)
        nested = [one for _, hint in fields for one in _dataclasses_in(hint)]
        return any(field.metadata.get("secret") for field, _ in fields) or any(_any_secret(one) for one in nested)
    except Exception:  # annotations are foreign code; whoever fills the settings says what is wrong
        return False


def _given(settings_type: type[Any], options: Mapping[str, Any]) -> Iterator[str]:
    for field, hint in fields_of(settings_type):
        value = options.get(field.name)
        if field.metadata.get("secret"):
            yield from _texts(value)
        elif value is not None:
            for nested in _dataclasses_in(hint):
                for part in _mappings(value):
                    yield from _given(nested, part)


def _made(settings: Any) -> Iterator[str]:
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        for field in dataclasses.fields(settings):
            value = getattr(settings, field.name, None)
            yield from _texts(value) if field.metadata.get("secret") else _made(value)
    else:
        for part in _parts(settings):
            yield from _made(part)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _texts(getattr(value, field.name, None))
    elif isinstance(value, Mapping):
        for name, part in value.items():
            if _SECRET_NAME.search(str(name)):
                yield from _texts(part)
    else:
        for part in _parts(value):
            yield from _texts(part)


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
    for part in _parts(value):
        yield from _mappings(part)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if is_sequence(value) else ()


def _dataclasses_in(hint: Any) -> Iterator[type[Any]]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for argument in getattr(hint, "__args__", ()):
        yield from _dataclasses_in(argument)
