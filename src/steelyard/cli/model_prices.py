"""What a catalog says of a model, as the commands that show models take it. Unknown is never free."""

from __future__ import annotations

from ..api import ModelInfo


def is_free(model: ModelInfo) -> bool:
    """Whether both prices are known to be nothing, and no other charge is."""
    return model.pricing.input_per_mtok == 0 and model.pricing.output_per_mtok == 0 and not model.price_note


def takes_and_gives_text(model: ModelInfo) -> bool:
    """Whether it is known to take text, and to give nothing but text: no picture and no sound."""
    return "text" in model.input_modalities and model.output_modalities == ("text",)


def per_mtok(price: float | None, unknown: str) -> str:
    """Return a price in USD per million tokens, with at least two decimals and as many as it has."""
    if price is None:
        return unknown
    exact = f"{price:.10f}".rstrip("0")
    return max(exact, f"{price:.2f}", key=len)
