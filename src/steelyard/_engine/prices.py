"""What a model charges: what the file says, and for the rest what its provider's catalog says.

The catalog is asked at most once for each model, and only when a reply names no cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..api import NO_PRICING, Pricing
from .faults import described, must_pass
from .ledger import filled, is_complete
from .plan import BoundModel


class Prices:
    """The price lists of the models of one run."""

    def __init__(self, *, warn: Callable[[str], None] = lambda _line: None) -> None:
        self._warn = warn
        self._found: dict[BoundModel, Pricing] = {}
        self._lock = asyncio.Lock()
        """Held while a catalog is fetched: a hundred first replies must not fetch it a hundred times."""

    async def of(self, model: BoundModel) -> Pricing:
        """Return the price list of a model; what nobody knows is ``None`` in it."""
        if is_complete(model.pricing) or model.catalog_pricing is None:
            return model.pricing
        if model not in self._found:
            async with self._lock:
                if model not in self._found:
                    self._found[model] = filled(model.pricing, await self._asked(model))
        return self._found[model]

    async def _asked(self, model: BoundModel) -> Pricing:
        if model.catalog_pricing is None:
            return NO_PRICING
        try:
            return await model.catalog_pricing()
        except BaseException as error:
            if must_pass(error):
                raise
            reason = model.redact(described(error, model.blame))
            self._warn(f"model {model.id!r}: its price cannot be looked up, so its cost stays unknown: {reason}")
            return NO_PRICING
