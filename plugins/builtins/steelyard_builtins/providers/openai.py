"""OpenAI, and any server that speaks the chat completions API: vLLM, llama.cpp, LM Studio, Mistral, gateways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """How to reach the server."""

    base_url: str | None = option(
        None,
        doc="Base address of the API, with or without /v1; OPENAI_BASE_URL, or OpenAI's own address, unless given.",
    )
    api_key_env: str | None = option(
        "OPENAI_API_KEY", doc="Environment variable that holds the key; null for a server that wants none."
    )
    headers: Mapping[str, str] = option(
        default_factory=dict, doc="Further request headers, such as OpenAI-Organization.", secret=True
    )
    max_tokens_field: Literal["auto", "max_tokens", "max_completion_tokens"] = option(
        "auto",
        doc="What the server calls max_tokens; auto is max_completion_tokens for OpenAI, Azure and OpenAI's reasoning "
        "models, and max_tokens for every other server.",
    )


def create(settings: OpenAISettings, context: PluginContext) -> Provider:
    """Make the provider; its HTTP library is imported only here."""
    from ._openai import OpenAI  # noqa: PLC0415 - start-up must not pay for it

    return OpenAI(settings, context)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[OpenAISettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="openai",
            summary="OpenAI, and any server that speaks its chat completions API",
            settings=OpenAISettings,
            create=create,
        )
    ]
