"""Kind 8: a cost is what was charged, or what the counts and prices make it, or unknown; it is never made up."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.testing.fake_api import Reply, catalog_entry

PRICES = {"prompt": "0.0000025", "completion": "0.00001", "input_cache_read": "0.00000125"}
USAGE = {
    "prompt_tokens": 2000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 1500},
    "completion_tokens_details": {"reasoning_tokens": 60},
}


def suite(models: list[Any], count: int = 1, **keys: Any) -> dict[str, Any]:
    cases = [
        {"id": f"c{n}", "variables": {"n": f"{n:03}"}, "scorers": [{"type": "max_words", "value": 9}]}
        for n in range(count)
    ]
    prompt = {"id": "p", "template": keys.pop("template", "Case {{ n }}")}
    return {"name": "costs", "models": models, "prompts": [prompt], "test_cases": cases, "retries": 0, **keys}


def costs(online: Any, *arguments: str) -> list[float | None]:
    done = online("run", "b.json", "--no-cache", *arguments)
    assert online.records(), done.said
    return [combo["total_cost"] for combo in online.record()["results"]]


# H39


def test_cached_tokens_are_charged_once_and_thinking_is_a_part_of_the_output(online: Any, api: Any) -> None:
    with_price = catalog_entry("a/with", input_per_mtok=0, output_per_mtok=0, pricing=PRICES)
    plain = {key: value for key, value in PRICES.items() if key != "input_cache_read"}
    api.catalog([with_price, catalog_entry("a/without", input_per_mtok=0, output_per_mtok=0, pricing=plain)])
    api.reply(Reply("ok", usage=USAGE))
    in_file = {"input_per_mtok": 2.5, "output_per_mtok": 10, "cache_read_per_mtok": 1.25}
    models = [
        "a/with",
        "a/without",
        {"id": "in-file", "provider": "openai", "model": "m", "pricing": in_file},
        {"id": "no-price", "provider": "openai", "model": "m"},
    ]
    online.write("b.json", suite(models))
    # 500 x 2.5e-6 + 1500 x 1.25e-6 + 100 x 1e-5, and 2000 x 2.5e-6 + 100 x 1e-5.
    assert costs(online) == [pytest.approx(0.004125), pytest.approx(0.006), pytest.approx(0.004125), None]


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        # 500 x 2.5e-6 + 1500 x 1.25e-6 + 100 x 1e-5, counted at the top as DeepSeek and Moonshot do.
        ({"prompt_tokens": 2000, "completion_tokens": 100, "prompt_cache_hit_tokens": 1500}, 0.004125),
        ({"prompt_tokens": 2000, "completion_tokens": 100, "cached_tokens": 1500}, 0.004125),
        # Nothing that contradicts itself makes a cost negative: 100 x 1.25e-6 + 10 x 1e-5.
        ({"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 1500}}, 0.000225),
        ({"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": -5}}, 0.00035),
        ({"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": None}, 0.00035),
        ({"prompt_tokens": -100, "completion_tokens": 10}, None),
        ({"prompt_tokens": 12.5, "completion_tokens": 10}, None),
        ({"prompt_tokens": "many", "completion_tokens": 10}, None),
        ({"prompt_tokens": 10**30, "completion_tokens": 10}, None),
        ({"prompt_tokens": True, "completion_tokens": 10}, None),
        ({"total_tokens": 110}, None),
        ({}, None),
        ([], None),
    ],
)
def test_counts_that_are_none_make_a_cost_unknown_and_never_negative(
    online: Any, api: Any, usage: Any, wanted: float | None
) -> None:
    api.reply(Reply("ok", usage=usage))
    price = {"input_per_mtok": 2.5, "output_per_mtok": 10, "cache_read_per_mtok": 1.25}
    online.write("b.json", suite([{"id": "m", "provider": "openai", "model": "m", "pricing": price}]))
    assert costs(online) == [None if wanted is None else pytest.approx(wanted)]
    assert online.cases()["c0"]["status"] == "scored"


def test_a_price_for_writing_a_cache_is_charged_once_and_counts_of_a_judge_may_be_unknown(
    online: Any, api: Any
) -> None:
    price = {"input_per_mtok": 2.5, "output_per_mtok": 10, "cache_read_per_mtok": 1.25, "cache_write_per_mtok": 5}
    usage = {"input_tokens": 500, "cache_read_input_tokens": 1500, "cache_creation_input_tokens": 1000}
    api.reply(Reply("ok", usage={**usage, "output_tokens": 100}))
    online.write("b.json", suite([{"id": "m", "provider": "anthropic", "model": "m", "pricing": price}]))
    # 500 x 2.5e-6 + 1500 x 1.25e-6 + 1000 x 5e-6 + 100 x 1e-5.
    assert costs(online) == [pytest.approx(0.009125)]
    api.answer(
        lambda request: (
            Reply('{"score": 5}', usage="missing")
            if request.model == "judge"
            else Reply("ok", usage={"prompt_tokens": 10, "completion_tokens": 1})
        )
    )
    online.write(
        "b.json",
        suite(
            [{"id": "m", "provider": "openai", "model": "m", "pricing": price}],
            evaluation={"judge_model": "openai:judge"},
            test_cases=[{"id": "c", "variables": {"n": 1}, "evaluation": "llm_judge", "criteria": "Is it ok?"}],
        ),
    )
    assert costs(online) == [None]
    case = online.cases()["c"]
    assert (case["cost"], case["judge_cost"], case["total_cost"]) == (pytest.approx(35e-6), None, None)


def test_what_was_charged_wins_over_what_prices_make_of_it(online: Any, api: Any) -> None:
    api.catalog([catalog_entry("a/b", input_per_mtok=1000, output_per_mtok=1000)])
    api.reply(Reply("ok", usage={**USAGE, "cost": 0.0123}))
    online.write("b.json", suite(["a/b"]))
    assert costs(online) == [pytest.approx(0.0123)]


@pytest.mark.parametrize("cost", [-1, float("nan"), "free", True, None, [], 1e400])
def test_a_charge_that_is_none_is_worked_out_from_prices(online: Any, api: Any, cost: Any) -> None:
    api.catalog([catalog_entry("a/b", input_per_mtok=1, output_per_mtok=2)])
    api.reply(Reply("ok", usage={"prompt_tokens": 1000, "completion_tokens": 500, "cost": cost}))
    online.write("b.json", suite(["a/b"]))
    assert costs(online) == [pytest.approx(0.002)]


def test_tokens_that_other_apis_count_apart_are_charged_once(online: Any, api: Any) -> None:
    price = {"input_per_mtok": 2.5, "output_per_mtok": 10, "cache_read_per_mtok": 1.25, "cache_write_per_mtok": 5}
    anthropic = {
        "input_tokens": 500,
        "cache_read_input_tokens": 1500,
        "cache_creation_input_tokens": 0,
        "output_tokens": 100,
    }
    gemini = {
        "promptTokenCount": 2000,
        "cachedContentTokenCount": 1500,
        "candidatesTokenCount": 40,
        "thoughtsTokenCount": 60,
    }
    for provider, usage in (("anthropic", anthropic), ("gemini", gemini)):
        api.reply(Reply("ok", usage=usage))
        online.write("b.json", suite([{"id": "m", "provider": provider, "model": "m", "pricing": price}]))
        assert costs(online) == [pytest.approx(0.004125)], provider
        (case,) = online.cases().values()
        assert (case["prompt_tokens"], case["completion_tokens"]) == (2000, 100)


# H40

ODD = ["-1", "abc", "", "NaN", "inf", None, "-0.000001", True, [], "1e400"]


def test_a_price_that_nobody_knows_is_neither_free_nor_negative(online: Any, api: Any) -> None:
    odd = [
        catalog_entry(f"odd/m{n}", input_per_mtok=0, output_per_mtok=0, pricing={"prompt": price, "completion": price})
        for n, price in enumerate(ODD)
    ]
    known = catalog_entry("a/b", input_per_mtok=2, output_per_mtok=8)
    api.catalog([*odd, known, catalog_entry("c/d:free", input_per_mtok=0, output_per_mtok=0)])
    models = [*(entry["id"] for entry in odd), "a/b", "c/d:free"]
    # Ten prompts of 400 characters are 1,000 tokens: 1000 x 2e-6 + 10 x 50 x 8e-6 = 0.006.
    template = "{{ n }}" + "x" * 397
    whole = suite(models, 10, template=template, inference={"max_tokens": 50}, max_cost_usd=0.005)
    online.write("b.json", whole)
    done = online("run", "b.json", "--dry-run")
    assert done.returncode == 1
    assert "0.006" in done.stdout
    assert "-$" not in done.said
    assert "$-" not in done.said
    assert online("run", "b.json", "--dry-run", "--max-cost", "0.0061").returncode == 0
    for entry in odd:
        assert entry["id"] in done.said
    listed = online("models", "--free")
    assert "c/d:free" in listed.stdout
    assert not any(entry["id"] in listed.stdout for entry in odd)


def test_the_budget_of_a_run_holds_although_some_prices_are_unknown(online: Any, api: Any) -> None:
    api.catalog([catalog_entry("a/b", input_per_mtok=2, output_per_mtok=8)])
    api.reply(Reply("ok", cost_usd=0.001))
    online.write("b.json", suite(["a/b"], 10, concurrency=1, cache=False))
    done = online("run", "b.json", "--max-cost", "0.0035")
    assert done.returncode == 1
    assert "FAIL: over budget: max_cost_usd left out 7 case(s)." in done.stdout
    assert online.record()["insights"]["passed"] is False
    spent = sum(case["cost"] or 0 for case in online.cases().values())
    assert spent <= 0.0035 + 1e-9
    (combo,) = online.record()["results"]
    assert combo["not_run"] > 0


# H41


def test_a_reply_that_does_not_count_its_tokens_is_graded_and_its_cost_unknown(online: Any, api: Any) -> None:
    price = {"input_per_mtok": 1, "output_per_mtok": 1}
    api.answer(
        lambda request: Reply(
            "billing", usage={"000": "missing", "001": "null", "002": {"prompt_tokens": 12}}[request.prompt[-3:]]
        )
    )
    online.write("b.json", suite([{"id": "m", "provider": "openai", "model": "m", "pricing": price}], 3))
    done = online("run", "b.json")
    cases = online.cases()
    assert all(case["match_result"] for case in cases.values())
    assert [(case["prompt_tokens"], case["completion_tokens"]) for case in cases.values()] == [
        (None, None),
        (None, None),
        (12, None),
    ]
    assert {case["cost"] for case in cases.values()} == {None}
    (combo,) = online.record()["results"]
    assert (combo["total_cost"], combo["total_completion_tokens"]) == (None, None)
    assert "$0.000000" not in done.stdout
    assert "3 call(s) of unknown cost" in done.stdout


def test_where_counts_are_promised_a_reply_without_them_is_an_error_and_not_retried(
    online: Any, api: Any, asked: Any
) -> None:
    api.reply(Reply("billing", usage="missing"))
    online.write("b.json", suite(["vendor/small"], 2, retries=3))
    online("run", "b.json")
    assert asked() == 2
    assert {case["status"] for case in online.cases().values()} == {"api_error"}
    assert all("usage" in case["error"] for case in online.cases().values())
