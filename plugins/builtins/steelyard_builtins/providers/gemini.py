"""Google's Gemini models, through generateContent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiSettings:
    """How to reach Gemini."""

    base_url: str | None = option(
        None, doc="Base address of the API; GEMINI_BASE_URL, or Google's own address, unless given."
    )
    api_key_env: str | None = option(
        "GEMINI_API_KEY", doc="Environment variable that holds the key; null for a server that wants none."
    )
    headers: Mapping[str, str] = option(default_factory=dict, doc="Further request headers.", secret=True)


def create(settings: GeminiSettings, context: PluginContext) -> Provider:
    """Make the provider; its HTTP library is imported only here."""
    from ._gemini import Gemini  # noqa: PLC0415 - start-up must not pay for it

    return Gemini(settings, context)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[GeminiSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="gemini", summary="Gemini models through Google's API", settings=GeminiSettings, create=create
        )
    ]
