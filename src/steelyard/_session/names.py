"""Which provider a model's name means.

``PROVIDER:MODEL`` splits at the first colon, but only if what stands before it is a registered provider's name, which
never holds a slash; so ``vendor/model:free`` stays whole.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace

from ..api import JsonMapping, JsonValue, ModelUse
from ..errors import UsageError
from .model_options import CallOptions, RequestOptions


def with_provider(use: ModelUse, known: Collection[str], default: str | None) -> ModelUse:
    """Return a model with its provider filled in. Raises ``UsageError`` when there is none to fall back on."""
    if use.provider is not None:
        return use
    head, colon, rest = use.model.partition(":")
    if colon and "/" not in head and head in known:
        return replace(use, provider=head, model=rest)
    if default is None:
        choice = ", ".join(sorted(known)) or "none is installed"
        raise UsageError(
            f"model {use.id!r}: no provider is named and none is the default; write PROVIDER:MODEL (one of {choice})"
        )
    return replace(use, provider=default)


REQUEST_OPTIONS = frozenset(field.name for field in fields(RequestOptions))
CALL_OPTIONS = frozenset(field.name for field in fields(CallOptions))


def split_options(options: JsonMapping) -> tuple[dict[str, JsonValue], dict[str, JsonValue], dict[str, JsonValue]]:
    """Part a model's options into request parameters, call options and the provider's own settings."""
    request = {key: value for key, value in options.items() if key in REQUEST_OPTIONS}
    call = {key: value for key, value in options.items() if key in CALL_OPTIONS}
    own = {key: value for key, value in options.items() if key not in REQUEST_OPTIONS | CALL_OPTIONS}
    return request, call, own
