"""Plain values that cross the plugin boundary: JSON, messages, request parameters, token counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias, Union

JsonValue: TypeAlias = Union[bool, int, float, str, Sequence["JsonValue"], Mapping[str, "JsonValue"], None]  # noqa: UP007 - recursive
"""What a benchmark file may hold. Dates stay the text that the file has."""

JsonMapping: TypeAlias = Mapping[str, JsonValue]
"""A read-only mapping from text to JSON values."""

NOTHING: JsonMapping = MappingProxyType({})
"""The empty mapping, shared because it cannot change."""

Role = Literal["system", "user", "assistant"]
"""Who says a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """How a model is to answer. What is ``None`` is left out of the request: the server's default applies."""

    temperature: float | None = None
    max_tokens: int | None = None
    """The largest number of output tokens, thinking included."""
    seed: int | None = None
    params: JsonMapping = field(default_factory=lambda: NOTHING)
    """Further fields of the request body, passed on as they are (``{"top_p": 0.9}``)."""


NO_PARAMETERS = Parameters()
"""Everything is left to the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one call, in one meaning for every provider. ``None`` is unknown, never 0."""

    prompt_tokens: int | None = None
    """The whole prompt, with what was read from or written to the server's prompt cache."""
    completion_tokens: int | None = None
    """The whole output, with what was spent on thinking."""
    cache_read_tokens: int | None = None
    """The part of ``prompt_tokens`` that was read from the server's prompt cache."""
    cache_write_tokens: int | None = None
    """The part of ``prompt_tokens`` that was written to the server's prompt cache."""
    reasoning_tokens: int | None = None
    """The part of ``completion_tokens`` that was spent on thinking."""


NO_USAGE = Usage()
"""Nothing is known about the tokens of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """What a model costs, in USD per million tokens. ``None`` is unknown; 0 is free."""

    input_per_mtok: float | None = None
    output_per_mtok: float | None = None
    cache_read_per_mtok: float | None = None
    """Prompt tokens read from the server's cache; the input price when unknown."""
    cache_write_per_mtok: float | None = None
    """Prompt tokens written to the server's cache; the input price when unknown."""


NO_PRICING = Pricing()
"""Nothing is known about what a model costs."""
