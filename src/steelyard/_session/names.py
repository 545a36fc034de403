"""Which provider a model's name means.

``PROVIDER:MODEL`` splits at the first colon, but only if what stands before it is a registered provider's name, which
never holds a slash; so ``vendor/model:free`` stays whole.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import fields, replace

from ..api import JsonMapping, JsonValue, ModelUse
from ..errors import UsageError
from .model_options import CallOptions, RequestOptions

NEARLY = 0.85
"""How alike a prefix and a provider's name must be to be a slip: a missing letter is one, another word is not."""


def with_provider(use: ModelUse, known: Collection[str], default: str | None, aside: Collection[str] = ()) -> ModelUse:
    """Return a model with its provider filled in.

    Args:
        use: The model, as the file names it.
        known: Names of the providers in use.
        default: The provider of a model that names none.
        aside: Names that are some provider's without being in use: contested ones, and plugins that are blocked or
            broken. A model must never go to another address because its own provider is missing.

    Raises ``UsageError`` when there is no provider to fall back on, and for a prefix that is nearly one's name.
    """
    if use.provider is not None:
        return use
    head, colon, rest = use.model.partition(":")
    if colon and "/" not in head:
        if head in known or head in aside:
            return replace(use, provider=head, model=rest)
        near = next(iter(difflib.get_close_matches(head, known, n=1, cutoff=NEARLY)), None)
        if near is not None:
            raise UsageError(
                f"no provider {head!r}; did you mean {f'{near}:{rest}'!r}? for a model that is really called "
                f"{use.model!r} write {{id: …, provider: …, model: {use.model!r}}}"
            )
    if default is None:
        choice = ", ".join(sorted(known)) or "none is installed"
        if colon and head and "/" not in head:
            raise UsageError(f"model {use.id!r}: no provider {head!r}, and none is the default; those in use: {choice}")
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
