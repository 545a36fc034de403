"""OpenRouter's list of models: prices per token as text, turned into prices per million tokens or "unknown".

A price that is negative, empty, not a number or not finite is a way of saying "it depends" and must never be used in a
sum. Nothing that the list holds raises: an entry that makes no sense loses what makes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from urllib.parse import urljoin, urlsplit

from steelyard.api import ModelInfo, Pricing
from steelyard.text import one_line

from ._json import at, count_of, list_of, mapping_of, text_of

TOKENS_PER_PRICE = 1_000_000
DEAREST_PER_MTOK = 1e9
"""A higher price is a mistake in the list."""

_PRICE = re.compile(r"\d+(\.\d*)?([eE][+-]?\d{1,2})?|\.\d+([eE][+-]?\d{1,2})?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def models_in(body: object) -> Iterable[ModelInfo]:
    """Read one page of the list."""
    for entry in list_of(at(body, "data")):
        model = mapping_of(entry)
        if text_of(model.get("id")).strip():
            yield _model(model)


def next_page(body: object, url: str) -> str | None:
    """Return the address of the next page; ``None`` after the last, and for one on another server."""
    link = text_of(at(body, "links", "next"))
    if not link:
        return None
    address = urljoin(url, link)
    here, there = urlsplit(url), urlsplit(address)
    return address if (here.scheme, here.netloc) == (there.scheme, there.netloc) else None


def price_per_mtok(value: object) -> float | None:
    """Return a price per million tokens from one per token; ``None`` when it is unknown."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = str(value).strip()
    if not _PRICE.fullmatch(text) or len(text) > 40:  # noqa: PLR2004 - the longest real price has 22 characters
        return None
    # Decimal, so that 0.0000001 per token is 0.1 per million and not 0.09999999999999999.
    price = float(Decimal(text) * TOKENS_PER_PRICE)
    return price if price <= DEAREST_PER_MTOK else None


def _model(model: Mapping[str, object]) -> ModelInfo:
    pricing = mapping_of(model.get("pricing"))
    parameters = model.get("supported_parameters")
    expires = text_of(model.get("expiration_date"))
    limits = (model.get("context_length"), at(model, "top_provider", "context_length"))
    contexts = [length for length in map(count_of, limits) if length]
    return ModelInfo(
        id=one_line(text_of(model.get("id"))),
        name=one_line(text_of(model.get("name")), 200),
        pricing=_pricing(pricing),
        # What is listed is the model's; what counts is what the endpoint behind it takes.
        context_length=min(contexts, default=None),
        max_output_tokens=count_of(at(model, "top_provider", "max_completion_tokens")) or None,
        input_modalities=_texts(at(model, "architecture", "input_modalities")),
        output_modalities=_texts(at(model, "architecture", "output_modalities")),
        supported_parameters=_texts(parameters) if isinstance(parameters, list) else None,
        expires=expires if _DATE.fullmatch(expires) else None,
        price_note=_price_note(pricing),
    )


def _pricing(pricing: Mapping[str, object]) -> Pricing:
    return Pricing(
        input_per_mtok=price_per_mtok(pricing.get("prompt")),
        output_per_mtok=price_per_mtok(pricing.get("completion")),
        cache_read_per_mtok=price_per_mtok(pricing.get("input_cache_read")),
        cache_write_per_mtok=price_per_mtok(pricing.get("input_cache_write")),
    )


def _price_note(pricing: Mapping[str, object]) -> str:
    """Say what the prices per token leave out."""
    notes = []
    for override in list_of(pricing.get("overrides")):
        above = count_of(at(override, "min_prompt_tokens"))
        if above is not None:
            notes.append(f"another price above {above} prompt tokens")
        elif at(override, "utc_start") is not None or at(override, "utc_days") is not None:
            notes.append("another price at certain hours")
    if price_per_mtok(pricing.get("request")):
        notes.append("a charge for each request")
    return "; ".join(dict.fromkeys(notes))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one_line(text) for text in map(text_of, list_of(value)) if text)
