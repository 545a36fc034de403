"""Anthropic's Claude models, through the messages API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicSettings:
    """How to reach Anthropic."""

    base_url: str | None = option(
        None, doc="Base address of the API; ANTHROPIC_BASE_URL, or Anthropic's own address, unless given."
    )
    api_key_env: str | None = option(
        "ANTHROPIC_API_KEY", doc="Environment variable that holds the key; null for a server that wants none."
    )
    anthropic_version: str = option(
        "2023-06-01", doc="Version of the API; later ones refuse a temperature for every model."
    )
    headers: Mapping[str, str] = option(
        default_factory=dict, doc="Further request headers, such as anthropic-beta.", secret=True
    )
    default_max_tokens: int = option(
        1024, doc="The output limit where max_tokens is not given; the API wants one.", minimum=1
    )


def create(settings: AnthropicSettings, context: PluginContext) -> Provider:
    """Make the provider; its HTTP library is imported only here."""
    from ._anthropic import Anthropic  # noqa: PLC0415 - start-up must not pay for it

    return Anthropic(settings, context)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[AnthropicSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="anthropic",
            summary="Claude models through Anthropic's messages API",
            settings=AnthropicSettings,
            create=create,
        )
    ]
