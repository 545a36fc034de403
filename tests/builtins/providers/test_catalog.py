"""OpenRouter's list of models: which prices can be used in a sum, and that nothing in the list does harm."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from steelyard_builtins.providers._catalog import price_per_mtok
from steelyard_builtins.providers.openrouter import OpenRouterSettings, create

from steelyard.api import ModelInfo, Pricing
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, catalog_entry, failure


def models(api: FakeAPI, context: Any, base_url: str | None = None) -> dict[str, ModelInfo]:
    provider: Any = create(OpenRouterSettings(base_url=base_url or api.base_url), context({}))

    async def fetch() -> list[ModelInfo]:
        try:
            return list(await provider.models())
        finally:
            await provider.close()

    return {model.id: model for model in asyncio.run(fetch())}


@pytest.fixture
def listed(api: FakeAPI, context: Any, catalog_sample: Any) -> dict[str, ModelInfo]:
    api.catalog(Reply(body=catalog_sample))
    return models(api, context)


@pytest.mark.parametrize(
    ("value", "price"),
    [
        ("0.000001", 1.0),
        ("0.0000001", 0.1),
        ("0.00000008333333333333334", 0.08333333333333334),
        ("0", 0.0),
        ("0.0006", 600.0),
        (1e-07, 0.1),
        ("1e-6", 1.0),
        (0, 0.0),
        (" 0.000001 ", 1.0),
    ],
)
def test_a_price_per_token_becomes_one_per_million(value: Any, price: float) -> None:
    assert price_per_mtok(value) == price


@pytest.mark.parametrize(
    "value",
    [
        "-1",
        -1,
        "",
        " ",
        "n/a",
        "NaN",
        "Infinity",
        "inf",
        "-0.1",
        "$0.000002",
        "0,000004",
        "1_0",
        "1e99",
        "9" * 5000,
        None,
        True,
        float("nan"),
        float("inf"),
        [],
        {},
        "\u0661",
    ],
)
def test_a_price_that_is_none_is_unknown(value: Any) -> None:
    assert price_per_mtok(value) is None


def test_a_model_is_listed_with_prices_limits_and_abilities(listed: dict[str, ModelInfo]) -> None:
    assert listed["acme/writer-2"] == ModelInfo(
        id="acme/writer-2",
        name="Acme: acme/writer-2",
        pricing=Pricing(input_per_mtok=1.0, output_per_mtok=10.0, cache_read_per_mtok=0.1, cache_write_per_mtok=1.25),
        context_length=131072,
        max_output_tokens=16384,
        input_modalities=("text",),
        output_modalities=("text",),
        supported_parameters=("max_tokens", "temperature", "seed"),
    )


def test_a_free_model_costs_nothing_and_a_router_costs_nobody_knows_what(listed: dict[str, ModelInfo]) -> None:
    assert listed["acme/writer-2:free"].pricing == Pricing(input_per_mtok=0.0, output_per_mtok=0.0)
    assert listed["openrouter/auto"].pricing == Pricing()


@pytest.mark.parametrize(
    ("model", "pricing"),
    [
        ("odd/words", Pricing()),
        ("odd/not-finite", Pricing()),
        ("odd/numbers", Pricing(input_per_mtok=0.1, output_per_mtok=1.0)),
        ("odd/half-negative", Pricing(input_per_mtok=1.0)),
        ("odd/currency", Pricing()),
        ("odd/no-completion", Pricing(input_per_mtok=1.0)),
        ("odd/null-parts", Pricing()),
        ("odd/bare", Pricing()),
    ],
)
def test_of_odd_prices_the_sound_part_stays(model: str, pricing: Pricing, listed: dict[str, ModelInfo]) -> None:
    assert listed[model].pricing == pricing


@pytest.mark.parametrize(
    ("model", "note"),
    [
        ("acme/long", "another price above 200000 prompt tokens"),
        ("acme/night", "another price at certain hours"),
        ("acme/toll", "a charge for each request"),
        ("acme/writer-2", ""),
    ],
)
def test_what_the_price_per_token_leaves_out_is_said(model: str, note: str, listed: dict[str, ModelInfo]) -> None:
    assert listed[model].price_note == note


@pytest.mark.parametrize(
    ("model", "context_length", "max_output_tokens"),
    [
        ("acme/mismatch", 32000, None),
        ("acme/no-context", None, None),
        ("odd/text-numbers", None, 8192),
        ("odd/null-parts", 131072, None),
        ("odd/bare", None, None),
    ],
)
def test_the_smaller_limit_counts_and_nonsense_is_unknown(
    model: str, context_length: int | None, max_output_tokens: int | None, listed: dict[str, ModelInfo]
) -> None:
    assert (listed[model].context_length, listed[model].max_output_tokens) == (context_length, max_output_tokens)


def test_a_date_on_which_a_model_goes_is_kept_and_nonsense_is_not(listed: dict[str, ModelInfo]) -> None:
    assert (listed["acme/going"].expires, listed["odd/date"].expires) == ("2030-12-11", None)


def test_names_are_one_printable_line(listed: dict[str, ModelInfo]) -> None:
    assert all(model.name.isprintable() for model in listed.values())
    assert listed["odd/control"].name == "\\x1b[31mred\\x1b[0m =1+1"


def test_an_entry_without_an_id_is_left_out_and_of_a_repeated_one_the_first_counts(
    listed: dict[str, ModelInfo],
) -> None:
    assert "" not in listed
    assert listed["odd/twice"].pricing.input_per_mtok == 1.0


def test_the_catalog_is_asked_without_a_key(api: FakeAPI, context: Any) -> None:
    provider: Any = create(OpenRouterSettings(base_url=api.base_url), context())

    async def fetch() -> None:
        await provider.models()
        await provider.close()

    asyncio.run(fetch())
    assert "authorization" not in api.requests[0].headers


def page(number: int, following: str | None) -> Reply:
    entry = catalog_entry(f"acme/{number}", input_per_mtok=1, output_per_mtok=1)
    return Reply(body={"data": [entry], "links": {"next": following}})


def test_every_page_is_fetched(api: FakeAPI, context: Any) -> None:
    pages = {
        "": page(0, "/v1/models?offset=1"),
        "offset=1": page(1, f"{api.base_url}/models?offset=2"),
        "offset=2": page(2, None),
    }
    api.route("/v1/models", lambda request: pages[request.query])

    assert list(models(api, context)) == ["acme/0", "acme/1", "acme/2"]


@pytest.mark.parametrize("following", ["/v1/models", "http://elsewhere.test/models", "//elsewhere.test/models"])
def test_a_next_page_that_goes_in_a_circle_or_elsewhere_is_not_fetched(
    following: str, api: FakeAPI, context: Any
) -> None:
    api.route("/v1/models", lambda request: page(0, following))

    assert list(models(api, context)) == ["acme/0"]
    assert api.count == 1


def test_pages_without_end_come_to_an_end(api: FakeAPI, context: Any) -> None:
    def endless(request: FakeRequest) -> Reply:
        return page(request.number, f"/v1/models?offset={request.number + 1}")

    api.route("/v1/models", endless)

    assert len(models(api, context)) == 50


@pytest.mark.parametrize(
    "reply", [failure(503, "down"), Reply(body="{}"), Reply(body="[]"), Reply(body='{"data": {}}')]
)
def test_a_catalog_that_cannot_be_read_is_an_error(reply: Reply, api: FakeAPI, context: Any) -> None:
    api.catalog(reply)

    with pytest.raises(ProviderError):
        models(api, context)
