"""The options that every model has, whatever its provider: what goes into the request, and how it is called."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..api import NOTHING, JsonMapping, Parameters, Pricing, option


@dataclass(frozen=True, kw_only=True)
class RequestOptions:
    """How the model is to answer; wins over the benchmark's ``inference``."""

    temperature: float | None = option(None, doc="Sampling temperature; left out of the request when absent", minimum=0)
    max_tokens: int | None = option(None, doc="Largest number of output tokens, thinking included", minimum=1)
    seed: int | None = option(None, doc="Seed, for providers that take one")
    params: JsonMapping = option(doc="Further fields of the request body", default_factory=lambda: NOTHING)

    def over(self, base: Parameters) -> Parameters:
        """Lay these over the benchmark's parameters."""
        return replace(
            base,
            temperature=base.temperature if self.temperature is None else self.temperature,
            max_tokens=base.max_tokens if self.max_tokens is None else self.max_tokens,
            seed=base.seed if self.seed is None else self.seed,
            params={**base.params, **self.params} if self.params else base.params,
        )


@dataclass(frozen=True, kw_only=True)
class PricingOptions:
    """What a model costs, in USD per million tokens; wins over the provider's catalog."""

    input_per_mtok: float | None = option(None, doc="Price of prompt tokens", minimum=0)
    output_per_mtok: float | None = option(None, doc="Price of output tokens", minimum=0)
    cache_read_per_mtok: float | None = option(None, doc="Price of prompt tokens read from the cache", minimum=0)
    cache_write_per_mtok: float | None = option(None, doc="Price of prompt tokens written to the cache", minimum=0)

    def pricing(self) -> Pricing:
        """Return the prices as the engine takes them."""
        return Pricing(
            input_per_mtok=self.input_per_mtok,
            output_per_mtok=self.output_per_mtok,
            cache_read_per_mtok=self.cache_read_per_mtok,
            cache_write_per_mtok=self.cache_write_per_mtok,
        )


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """How a model is called."""

    timeout: float | None = option(None, doc="Seconds for one attempt, whatever the server sends", above=0)
    retries: int | None = option(None, doc="Attempts after the first", minimum=0, maximum=100)
    retry_backoff: float | None = option(None, doc="Seconds before the second attempt; doubles", minimum=0)
    cache: bool | None = option(None, doc="Whether replies are cached; the provider's own default when absent")
    pricing: PricingOptions = field(
        default_factory=PricingOptions, metadata={"doc": "USD per million tokens, for providers that report no cost"}
    )
