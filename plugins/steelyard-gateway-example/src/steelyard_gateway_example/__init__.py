"""The door: what the provider is called, its options, and how the host makes one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """How to reach the gateway, and who pays."""

    cost_centre: str = option(doc="Who pays: sent with every call as X-Cost-Centre.")
    base_url: str = option("https://models.example.org/v1", doc="Base address of the gateway.")
    token_url: str = option("https://login.example.org/oauth/token", doc="Where tokens are fetched.")
    client_id_env: str = option("GATEWAY_CLIENT_ID", doc="Environment variable with the client's id.")
    client_secret_env: str = option("GATEWAY_CLIENT_SECRET", doc="Environment variable with the client's secret.")


def create(settings: GatewaySettings, context: PluginContext) -> Provider:
    """Make the provider. It needs no key yet, and its HTTP library is imported only now."""
    from .gateway import Gateway  # noqa: PLC0415 - start-up must not pay for it

    return Gateway(settings, context)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[GatewaySettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="gateway-example",
            summary="Models through an organisation's gateway, with tokens and a cost centre",
            settings=GatewaySettings,
            create=create,
        )
    ]
