from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from steelyard._engine.plan import BoundCache
from steelyard._engine.replies import key_of, packed, unpacked
from steelyard.api import Completion, Message, Pricing, Request, Usage


def play(scene: Any) -> Any:
    return asyncio.run(asyncio.wait_for(scene, 60))


REQUEST = Request(model="m", messages=(Message(role="user", content="hello"),))
WHOLE = Completion(
    text="grüße 🎯",
    usage=Usage(prompt_tokens=7, completion_tokens=3, cache_read_tokens=2, reasoning_tokens=1),
    finish_reason="length",
    cost_usd=0.125,
    model="served-by",
)


def test_a_reply_comes_out_of_the_cache_as_it_went_in() -> None:
    kept = unpacked(packed(WHOLE, priced_usd=None, latency_ms=12.5))
    assert kept is not None
    assert kept.completion == WHOLE
    assert kept.latency_ms == 12.5


def test_half_of_a_surrogate_pair_survives_the_cache_as_valid_utf_8() -> None:
    data = packed(Completion(text="math \ud835 sign"), priced_usd=None, latency_ms=None)
    data.decode("utf-8")
    kept = unpacked(data)
    assert kept is not None
    assert kept.completion.text == "math \ud835 sign"


GOOD = json.loads(packed(WHOLE, priced_usd=None, latency_ms=1.0))


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b'{"text": "bil',
        b"\xff\xfe\x00\x9d",
        b"null",
        b"[]",
        b'{"response": null, "usage": {}}',
        b"[" * 100_000,
        b"9" * 10_000,
        b'{"kept": 1, "text": "x", "usage": {}, "cost_usd": NaN}',
        "not bytes",
        12,
        *(
            json.dumps(GOOD | wrong).encode()
            for wrong in (
                {"kept": 99},
                {"text": None},
                {"text": 3},
                {"usage": None},
                {"usage": []},
                {"usage": {"prompt_tokens": -1}},
                {"usage": {"prompt_tokens": True}},
                {"usage": {"prompt_tokens": 1.5}},
                {"usage": {"unknown": 1}},
                {"finish_reason": 3},
                {"model": []},
                {"cost_usd": -0.1},
                {"cost_usd": "0.1"},
                {"latency_ms": 1e999},
            )
        ),
    ],
)
def test_a_damaged_entry_was_never_there(entry: object) -> None:
    assert unpacked(entry) is None


def test_a_damaged_entry_is_asked_for_again_and_replaced(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted()
        bound, asker = bench.model(model), calling(remembering.bound())
        await asker.ask(bound)
        (key,) = remembering.kept
        remembering.kept[key] = b'{"kept": 1, "text": nul'
        assert (await asker.ask(bound)).completion.text == "good"
        assert model.calls == 2
        assert unpacked(remembering.kept[key]) is not None
        assert asker.warnings == []

    play(scene())


def test_a_kept_reply_costs_nothing_now_and_keeps_its_cost_tokens_and_latency(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        bound = bench.model(scripted())
        fresh = await calling(remembering.bound()).ask(bound)
        asker = calling(remembering.bound())
        kept = await asker.ask(bound)
        assert (kept.cached, kept.attempts, kept.spent_usd) == (True, 0, 0.0)
        assert (kept.cost_usd, kept.latency_ms) == (fresh.cost_usd, fresh.latency_ms)
        assert kept.completion.usage == fresh.completion.usage
        assert asker.ledger.spent_usd == 0.0

    play(scene())


def test_a_kept_reply_remembers_the_price_that_the_catalog_named_and_does_not_ask_it_again(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        asked: list[int] = []

        async def catalog() -> Pricing:
            asked.append(1)
            return Pricing(input_per_mtok=1.0, output_per_mtok=5.0)

        bound = bench.model(scripted(cost_usd=None), catalog_pricing=catalog)
        await calling(remembering.bound()).ask(bound)
        kept = await calling(remembering.bound()).ask(bound)
        assert kept.cost_usd == 0.00002
        assert asked == [1]

    play(scene())


def test_prices_corrected_in_the_file_apply_to_kept_replies_too(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted(cost_usd=None)
        await calling(remembering.bound()).ask(
            bench.model(model, pricing=Pricing(input_per_mtok=1.0, output_per_mtok=5.0))
        )
        corrected = bench.model(model, pricing=Pricing(input_per_mtok=2.0, output_per_mtok=10.0))
        assert (await calling(remembering.bound()).ask(corrected)).cost_usd == 0.00004
        assert model.calls == 1

    play(scene())


@pytest.mark.parametrize(
    "answer",
    [
        Completion(text="", problem="empty reply (finish_reason: length); raise max_tokens"),
        Completion(text="half an ans", problem="refused by a filter", finish_reason="content_filter"),
    ],
)
def test_what_cannot_be_graded_is_not_kept(
    bench: Any, scripted: Any, calling: Any, remembering: Any, answer: Completion
) -> None:
    async def scene() -> None:
        model = scripted([answer])
        bound, asker = bench.model(model), calling(remembering.bound())
        await asker.ask(bound)
        await asker.ask(bound)
        assert model.calls == 2
        assert remembering.kept == {}

    play(scene())


def test_an_answer_that_the_limit_cut_off_is_kept_with_its_mark(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        bound = bench.model(scripted([Completion(text="The three reasons", finish_reason="length")]))
        await calling(remembering.bound()).ask(bound)
        kept = await calling(remembering.bound()).ask(bound)
        assert (kept.cached, kept.completion.finish_reason) == (True, "length")

    play(scene())


@pytest.mark.parametrize("failing", ["get_error", "put_error"])
def test_a_cache_that_fails_costs_the_caching_and_one_warning(
    bench: Any, scripted: Any, calling: Any, remembering: Any, failing: str
) -> None:
    async def scene() -> None:
        setattr(remembering, failing, PermissionError(13, "Permission denied"))
        model = scripted()
        asker = calling(remembering.bound())
        replies = await asker.ask_all(bench.model(model), "abcdefghij")
        assert [reply.completion.text for reply in replies] == ["good"] * 10
        (warning,) = asker.warnings
        verb = "read" if failing == "get_error" else "write"
        assert warning.startswith(f"Could not {verb} the response cache (")
        assert "Permission denied" in warning
        assert warning.endswith("; continuing.")

    play(scene())


def test_a_cache_that_keeps_failing_is_left_alone(bench: Any, scripted: Any, calling: Any, remembering: Any) -> None:
    async def scene() -> None:
        remembering.put_error = OSError("disk full")
        asker = calling(remembering.bound())
        for text in range(50):
            await asker.ask(bench.model(scripted()), str(text))
        assert remembering.puts == 5

    play(scene())


def test_a_cache_that_failed_once_goes_on_being_used(bench: Any, scripted: Any, calling: Any, remembering: Any) -> None:
    async def scene() -> None:
        asker = calling(remembering.bound())
        bound = bench.model(scripted())
        for text in range(20):
            remembering.put_error = OSError("database is locked") if text % 2 else None
            await asker.ask(bound, str(text))
        assert len(remembering.kept) == 10

    play(scene())


def test_a_reply_that_was_paid_for_is_kept_even_when_its_case_is_given_up(
    bench: Any, scripted: Any, calling: Any
) -> None:
    async def scene() -> None:
        kept: dict[str, bytes] = {}
        begun = asyncio.Event()

        async def get(key: str) -> bytes | None:
            return kept.get(key)

        async def put(key: str, value: bytes) -> None:
            begun.set()
            await asyncio.sleep(0.02)
            kept[key] = value

        asker = calling(BoundCache(get=get, put=put))
        asked = asyncio.ensure_future(asker.ask(bench.model(scripted())))
        await begun.wait()
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await asker.caller._keeping.finish(1.0)
        assert len(kept) == 1

    play(scene())


def keyed(bench: Any, fingerprint: str, **fields: Any) -> str:
    return key_of(bench.model(fingerprint=lambda _request: fingerprint, **fields), REQUEST)


def test_a_key_is_64_hexadecimal_digits(bench: Any) -> None:
    key = keyed(bench, "x")
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")


def test_the_order_of_parameters_does_not_matter(bench: Any) -> None:
    assert keyed(bench, '{"a": 1, "b": {"c": 2, "d": 3}}') == keyed(bench, '{"b":{"d":3,"c":2},"a":1}')


@pytest.mark.parametrize("other", ['{"a": 2}', '{"a": 1.0}', '{"a": "1"}', '{"a": true}', '["a", 1]', '{"a": 1', "a"])
def test_whatever_decides_the_answer_makes_another_key(bench: Any, other: str) -> None:
    assert keyed(bench, other) != keyed(bench, '{"a": 1}')


def test_a_fingerprint_with_half_a_surrogate_pair_has_a_key(bench: Any) -> None:
    assert keyed(bench, "math \ud835") != keyed(bench, "math \ud836")


def test_who_answers_is_part_of_the_key(bench: Any) -> None:
    assert keyed(bench, "x") != keyed(bench, "x", provider="another")
