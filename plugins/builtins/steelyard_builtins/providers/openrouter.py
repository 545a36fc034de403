"""OpenRouter: one key for the models of many makers, with the cost of every call in its reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRouterSettings:
    """How to reach OpenRouter."""

    base_url: str | None = option(
        None, doc="Base address of the API; OPENROUTER_BASE_URL, or the public v1 address, unless given."
    )
    api_key_env: str | None = option(
        "OPENROUTER_API_KEY", doc="Environment variable that holds the key; null for a server that wants none."
    )
    headers: Mapping[str, str] = option(
        default_factory=dict, doc="Further request headers, such as X-OpenRouter-Title.", secret=True
    )


def create(settings: OpenRouterSettings, context: PluginContext) -> Provider:
    """Make the provider; its HTTP library is imported only here."""
    from ._openrouter import OpenRouter  # noqa: PLC0415 - start-up must not pay for it

    return OpenRouter(
        base_url=settings.base_url, key_variable=settings.api_key_env, headers=settings.headers, context=context
    )


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[OpenRouterSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="openrouter",
            summary="Models of many makers through OpenRouter",
            settings=OpenRouterSettings,
            create=create,
            usage_required=True,
            title="OpenRouter",
        )
    ]
