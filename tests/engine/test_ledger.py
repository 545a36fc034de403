from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from steelyard._engine.faults import NotMadeError
from steelyard._engine.ledger import Ledger, filled, price
from steelyard.api import Pricing, Usage

PRICES = Pricing(input_per_mtok=2.5, output_per_mtok=10.0, cache_read_per_mtok=1.25)


def test_cached_and_thinking_tokens_are_charged_once() -> None:
    usage = Usage(prompt_tokens=2000, completion_tokens=100, cache_read_tokens=1500, reasoning_tokens=60)
    # 500 × 2.5e-6 + 1500 × 1.25e-6 + 100 × 1e-5
    assert price(usage, PRICES) == 0.004125


def test_without_a_cache_price_cached_tokens_cost_what_the_others_do() -> None:
    usage = Usage(prompt_tokens=2000, completion_tokens=100, cache_read_tokens=1500)
    assert price(usage, Pricing(input_per_mtok=2.5, output_per_mtok=10.0)) == 0.006


def test_tokens_written_to_the_cache_have_their_own_price() -> None:
    usage = Usage(prompt_tokens=1000, completion_tokens=0, cache_read_tokens=200, cache_write_tokens=300)
    pricing = Pricing(input_per_mtok=1.0, output_per_mtok=5.0, cache_read_per_mtok=0.1, cache_write_per_mtok=1.25)
    # 500 × 1 + 200 × 0.1 + 300 × 1.25 = 895 millionths
    assert price(usage, pricing) == 0.000895


def test_more_cached_tokens_than_prompt_tokens_never_make_a_cost_negative() -> None:
    usage = Usage(prompt_tokens=100, completion_tokens=0, cache_read_tokens=900, cache_write_tokens=900)
    assert price(usage, PRICES) == 0.000125


@pytest.mark.parametrize(
    "usage",
    [
        Usage(),
        Usage(prompt_tokens=12),
        Usage(completion_tokens=12),
    ],
)
def test_a_missing_count_leaves_the_cost_unknown(usage: Usage) -> None:
    assert price(usage, PRICES) is None


@pytest.mark.parametrize("rate", [None, -1.0, math.nan, math.inf])
def test_a_missing_or_impossible_price_leaves_the_cost_unknown(rate: float | None) -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=10)
    assert price(usage, Pricing(input_per_mtok=rate, output_per_mtok=1.0)) is None


def test_a_free_model_is_free_even_when_it_counts_no_tokens() -> None:
    assert price(Usage(), Pricing(input_per_mtok=0.0, output_per_mtok=0.0)) == 0.0


def test_no_output_costs_nothing_whatever_its_price() -> None:
    assert price(Usage(prompt_tokens=1_000_000, completion_tokens=0), Pricing(input_per_mtok=3.0)) == 3.0


def test_the_file_wins_over_the_catalog_and_the_catalog_fills_its_gaps() -> None:
    catalog = Pricing(input_per_mtok=9.0, output_per_mtok=9.0, cache_read_per_mtok=1.0)
    assert filled(Pricing(input_per_mtok=1.0), catalog) == Pricing(
        input_per_mtok=1.0, output_per_mtok=9.0, cache_read_per_mtok=1.0
    )
    whole = Pricing(input_per_mtok=1.0, output_per_mtok=2.0)
    assert filled(whole, catalog) == whole


def spend(bench: Any, limit: float | None, costs: list[float | None], at_least: float = 0.0) -> tuple[int, Ledger]:
    """Make one call after another until the budget refuses one; return how many were made."""
    ledger, model = Ledger(limit), bench.model()

    async def go() -> int:
        for made, cost in enumerate(costs):
            try:
                await ledger.reserve(model, at_least)
            except NotMadeError:
                return made
            ledger.settle(model, cost_usd=cost)
        return len(costs)

    return asyncio.run(go()), ledger


def test_the_call_that_would_pass_the_budget_is_not_made(bench: Any) -> None:
    # 0.1 + 0.1 + 0.1 is 0.30000000000000004 in floating point and still fits 0.3.
    made, ledger = spend(bench, 0.3, [0.1] * 10)
    assert made == 3
    assert ledger.refused
    assert ledger.spent_usd == pytest.approx(0.3)


def test_without_a_budget_every_call_is_made(bench: Any) -> None:
    assert spend(bench, None, [1000.0] * 5)[0] == 5


def test_a_first_call_whose_prompt_alone_passes_the_budget_is_not_made(bench: Any) -> None:
    assert spend(bench, 0.01, [0.001] * 5, at_least=0.02)[0] == 0
    assert spend(bench, 0.0, [0.001] * 5, at_least=0.0001)[0] == 0


def test_free_calls_are_made_after_the_budget_is_spent(bench: Any) -> None:
    assert spend(bench, 0.0, [0.0] * 5)[0] == 5


def test_calls_of_unknown_cost_are_counted_and_take_nothing_from_the_budget(bench: Any) -> None:
    made, ledger = spend(bench, 0.01, [None] * 5)
    assert made == 5
    assert ledger.unknown == 5
    assert ledger.unpriced() == ("m",)


def test_calls_in_flight_are_counted_at_the_average_of_those_that_came_back(bench: Any) -> None:
    ledger, model = Ledger(0.5), bench.model()

    async def go() -> int:
        await ledger.reserve(model)
        ledger.settle(model, cost_usd=0.1)
        in_flight = 0
        try:
            while True:
                await ledger.reserve(model)
                in_flight += 1
        except NotMadeError:
            return in_flight

    assert asyncio.run(go()) == 4


def test_under_a_budget_nothing_else_is_asked_until_the_first_reply_tells_what_a_model_costs(bench: Any) -> None:
    ledger, model = Ledger(1.0), bench.model()

    async def go() -> tuple[bool, bool]:
        await ledger.reserve(model)
        second = asyncio.ensure_future(ledger.reserve(model))
        await asyncio.sleep(0)
        held = not second.done()
        ledger.settle(model, cost_usd=0.1)
        await second
        return held, second.done()

    assert asyncio.run(go()) == (True, True)


def test_a_first_call_that_fails_lets_the_next_one_try(bench: Any) -> None:
    ledger, model = Ledger(1.0), bench.model()

    async def go() -> None:
        await ledger.reserve(model)
        second = asyncio.ensure_future(ledger.reserve(model))
        await asyncio.sleep(0)
        ledger.release(model)
        await asyncio.wait_for(second, 1)

    asyncio.run(go())
