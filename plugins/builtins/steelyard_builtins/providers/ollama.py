"""Models that run on one's own machine, through Ollama."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaSettings:
    """How to reach Ollama."""

    base_url: str | None = option(
        None, doc="Where Ollama listens, with or without http:// and port; OLLAMA_HOST, or this machine, unless given."
    )
    api_key_env: str | None = option(None, doc="Environment variable that holds a key; only a hosted Ollama wants one.")
    headers: Mapping[str, str] = option(default_factory=dict, doc="Further request headers.", secret=True)


def create(settings: OllamaSettings, context: PluginContext) -> Provider:
    """Make the provider; its HTTP library is imported only here."""
    from ._ollama import Ollama  # noqa: PLC0415 - start-up must not pay for it

    return Ollama(settings, context)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[OllamaSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="ollama", summary="Models on one's own machine, through Ollama", settings=OllamaSettings, create=create
        )
    ]
