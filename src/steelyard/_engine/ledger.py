"""What calls cost: what was paid now, what is unknown, and whether the next call still fits the budget.

Unknown is never free: a cost that nobody can tell stays ``None`` wherever it is added up.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from decimal import Decimal

from ..api import Pricing, Usage
from .faults import NotMadeError
from .plan import BoundModel

PER_MTOK = Decimal(1_000_000)
ROUNDING = 1e-9
"""How far sums of floats may miss a budget by before it counts as passed."""


def price(usage: Usage, pricing: Pricing) -> float | None:
    """Return what a call costs in USD, or ``None`` when a count or a price that matters is unknown.

    Tokens read from or written to the server's cache are part of ``prompt_tokens`` and are charged once, at their own
    price where there is one. Tokens spent on thinking are part of ``completion_tokens``.
    """
    read = _count(usage.cache_read_tokens)
    written = _count(usage.cache_write_tokens)
    fresh = usage.prompt_tokens
    if fresh is not None:
        # A server that reports more cached tokens than prompt tokens must not make the rest negative.
        read = min(read, fresh)
        written = min(written, fresh - read)
        fresh -= read + written
    input_rate = pricing.input_per_mtok
    parts = (
        _part(fresh, input_rate),
        _part(read, input_rate if pricing.cache_read_per_mtok is None else pricing.cache_read_per_mtok),
        _part(written, input_rate if pricing.cache_write_per_mtok is None else pricing.cache_write_per_mtok),
        _part(usage.completion_tokens, pricing.output_per_mtok),
    )
    total = Decimal(0)
    for part in parts:
        if part is None:
            return None
        total += part
    return float(total / PER_MTOK)


def _count(tokens: int | None) -> int:
    return 0 if tokens is None else max(0, tokens)


def _part(tokens: int | None, rate: float | None) -> Decimal | None:
    if tokens == 0:
        return Decimal(0)
    # Catalogs write -1 for "unknown": used as a price it would make a run look cheaper than it is.
    if rate is None or not math.isfinite(rate) or rate < 0:
        return None
    if rate == 0:
        return Decimal(0)
    return None if tokens is None else tokens * Decimal(repr(rate))


def is_complete(pricing: Pricing) -> bool:
    """Whether a price list tells what any call costs."""
    return pricing.input_per_mtok is not None and pricing.output_per_mtok is not None


def filled(pricing: Pricing, catalog: Pricing) -> Pricing:
    """Return ``pricing`` with its gaps filled from a catalog."""
    if is_complete(pricing):
        return pricing
    return Pricing(
        input_per_mtok=_either(pricing.input_per_mtok, catalog.input_per_mtok),
        output_per_mtok=_either(pricing.output_per_mtok, catalog.output_per_mtok),
        cache_read_per_mtok=_either(pricing.cache_read_per_mtok, catalog.cache_read_per_mtok),
        cache_write_per_mtok=_either(pricing.cache_write_per_mtok, catalog.cache_write_per_mtok),
    )


def _either(first: float | None, second: float | None) -> float | None:
    return second if first is None else first


def added(first: float | None, second: float | None) -> float | None:
    """Add two costs; unknown stays unknown."""
    return None if first is None or second is None else first + second


@dataclass(slots=True)
class _Account:
    """What one model has cost so far."""

    in_flight: int = 0
    known: int = 0
    spent: float = 0.0
    unknown: int = 0
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    """Calls held back until the first reply tells what the model costs."""

    @property
    def expected(self) -> float:
        """What the next call will probably cost: the average of those that are known."""
        return self.spent / self.known if self.known else 0.0

    @property
    def unheard(self) -> bool:
        """Whether no call has come back yet."""
        return not self.known and not self.unknown


class Ledger:
    """What a run has paid, and whether it may go on paying."""

    def __init__(self, max_cost_usd: float | None = None) -> None:
        self.max_cost_usd = max_cost_usd
        self.spent_usd = 0.0
        """What is known to have been paid."""
        self.unknown = 0
        """Calls that were paid without anybody telling how much."""
        self.refused = False
        """Whether a call was left out for the budget."""
        self._accounts: dict[BoundModel, _Account] = {}

    def carry_over(self, spent_usd: float | None) -> None:
        """Book what an earlier part of the run paid."""
        self._book(spent_usd)

    async def reserve(self, model: BoundModel, at_least_usd: float = 0.0) -> None:
        """Set aside what a call will probably cost. Raises ``NotMadeError`` when the budget does not hold it.

        While nobody knows what a model costs, its calls are made one at a time: a whole volley could pass the budget.

        Args:
            model: Who is to be asked.
            at_least_usd: What the prompt alone costs, as an estimate for as long as no call has been paid.
        """
        account = self._accounts.setdefault(model, _Account())
        if self.max_cost_usd is not None:
            while account.unheard and account.in_flight:
                first_reply = asyncio.get_running_loop().create_future()
                account.waiting.append(first_reply)
                await first_reply
            self._refuse_unless_it_fits(account, at_least_usd, self.max_cost_usd)
        account.in_flight += 1

    def _refuse_unless_it_fits(self, account: _Account, at_least_usd: float, limit_usd: float) -> None:
        in_flight = sum(one.in_flight * one.expected for one in self._accounts.values())
        expected = account.expected if account.known else at_least_usd
        limit = limit_usd * (1 + ROUNDING)
        # Once the whole sum is spent nothing is left, even for a call that is expected to cost next to nothing.
        used_up = 0 < limit_usd <= self.spent_usd * (1 + ROUNDING) and not (account.known and expected == 0)
        if used_up or self.spent_usd + in_flight + expected > limit:
            self.refused = True
            raise NotMadeError(f"not asked: max_cost_usd ({limit_usd:g}) leaves no room for another call")

    def settle(self, model: BoundModel, *, cost_usd: float | None) -> None:
        """Book the cost of a call that was answered or may have been, in place of what was set aside for it."""
        account = self._accounts[model]
        if cost_usd is None:
            account.unknown += 1
        else:
            account.known += 1
            account.spent += cost_usd
        self._book(cost_usd)
        self.release(model)

    def release(self, model: BoundModel) -> None:
        """Give back what was set aside for a call that came to nothing."""
        account = self._accounts[model]
        account.in_flight -= 1
        for waiting in account.waiting:
            if not waiting.done():
                waiting.set_result(None)
        account.waiting.clear()

    def unpriced(self) -> tuple[str, ...]:
        """Return the labels of models with replies of unknown cost, in the order of their first call."""
        return tuple(model.id for model, account in self._accounts.items() if account.unknown)

    def _book(self, cost_usd: float | None) -> None:
        if cost_usd is None:
            self.unknown += 1
        else:
            self.spent_usd += cost_usd
