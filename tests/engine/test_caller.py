from __future__ import annotations

import asyncio
import dataclasses
import math
from typing import Any

import pytest

from steelyard._engine.faults import BlamedError, CallFailedError, NotMadeError
from steelyard._engine.plan import CallPolicy
from steelyard.api import NO_USAGE, Completion, Parameters, Pricing, Usage
from steelyard.errors import ProviderError

BUSY = ProviderError("the server is busy (HTTP 503)", retryable=True, status=503)
LIMITED = ProviderError("too many requests (HTTP 429)", retryable=True, status=429)
REFUSED = ProviderError("the API key was refused (HTTP 401)", status=401)
SLOW = CallPolicy(retries=3, backoff_s=1.0, timeout_s=5.0)


def play(scene: Any) -> Any:
    return asyncio.run(asyncio.wait_for(scene, 60))


def test_a_failure_that_passes_is_tried_again_and_every_attempt_is_counted(
    bench: Any, scripted: Any, calling: Any
) -> None:
    async def scene() -> None:
        model = scripted([BUSY, BUSY, "good"])
        asker = calling()
        reply = await asker.ask(bench.model(model, policy=SLOW))
        assert (reply.completion.text, reply.attempts, model.calls) == ("good", 3, 3)
        assert asker.waits == [1.0, 2.0]

    play(scene())


def test_a_failure_that_lasts_is_given_up_after_the_retries(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = scripted([BUSY])
        asker = calling()
        with pytest.raises(CallFailedError) as failure:
            await asker.ask(bench.model(model, policy=SLOW))
        assert model.calls == 4
        assert asker.waits == [1.0, 2.0, 4.0]
        assert str(failure.value) == "the server is busy (HTTP 503); gave up after 4 attempt(s)"
        assert failure.value.attempts == 4

    play(scene())


def test_a_rate_limit_waits_with_jitter_and_says_in_the_end_what_helps(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = scripted([LIMITED])
        asker = calling()
        policy = CallPolicy(retries=3, backoff_s=0.001)
        with pytest.raises(CallFailedError, match="rate-limited") as failure:
            await asker.ask(bench.model(model, policy=policy))
        assert asker.waits == pytest.approx([0.0055, 0.0105, 0.0205])
        assert "lower the concurrency" in str(failure.value)

    play(scene())


def test_a_final_failure_is_asked_once_and_told_as_it_is(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = scripted([REFUSED])
        with pytest.raises(ProviderError) as failure:
            await calling().ask(bench.model(model))
        assert model.calls == 1
        assert str(failure.value) == "the API key was refused (HTTP 401)"

    play(scene())


def test_a_waiting_call_holds_no_place(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        asker = calling(concurrency=1)
        busy, quick = scripted([BUSY, "good"]), scripted(["good"])
        between: list[str] = []
        sleep = asker.caller._sleep

        async def ask_another(seconds: float) -> None:
            reply = await asker.ask(bench.model(quick, id="other"))
            between.append(reply.completion.text)
            await sleep(seconds)

        asker.caller._sleep = ask_another
        await asker.ask(bench.model(busy))
        assert between == ["good"]

    play(scene())


def test_a_call_is_ended_at_its_deadline_and_tried_again(bench: Any, calling: Any) -> None:
    async def scene() -> None:
        attempts: list[float] = []

        async def hangs_once(request: Any) -> Completion:
            attempts.append(request.timeout_s)
            if len(attempts) == 1:
                await asyncio.sleep(60)
            return Completion(text="good")

        reply = await calling().ask(bench.model(hangs_once), timeout_s=0.02)
        assert reply.attempts == 2

    play(scene())


def test_a_call_that_always_hangs_says_how_long_it_was_waited_for(bench: Any, calling: Any) -> None:
    async def scene() -> None:
        async def hangs(request: Any) -> Completion:
            await asyncio.sleep(60)
            raise AssertionError

        with pytest.raises(CallFailedError) as failure:
            await calling().ask(bench.model(hangs), timeout_s=0.01)
        assert str(failure.value) == "timed out after 0.01 s; gave up after 4 attempt(s)"

    play(scene())


@pytest.mark.parametrize(
    "error",
    [ValueError("boom"), KeyError("x"), SystemExit(0), RecursionError("deep"), MemoryError(), TimeoutError("own")],
)
def test_whatever_a_provider_raises_is_blamed_on_its_plugin(
    bench: Any, scripted: Any, calling: Any, error: BaseException
) -> None:
    async def scene() -> None:
        model = scripted([error])
        with pytest.raises(BlamedError) as failure:
            await calling().ask(bench.model(model))
        assert str(failure.value).startswith(
            f"provider 'fake' of plugin 'fake' (steelyard-fake 0.1): {type(error).__name__}"
        )
        assert model.calls == 1

    play(scene())


def test_a_cancellation_that_the_provider_made_up_stops_nothing(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        with pytest.raises(BlamedError, match="CancelledError"):
            await calling().ask(bench.model(scripted([asyncio.CancelledError()])))

    play(scene())


@pytest.mark.parametrize(
    "answer", [None, "text", 42, {"text": "good"}, Completion(text=None), Completion(text=b"good")]
)  # type: ignore[arg-type]
def test_what_is_no_answer_is_blamed_on_the_plugin(bench: Any, scripted: Any, calling: Any, answer: object) -> None:
    async def scene() -> None:
        async def complete(request: Any) -> Any:
            return answer

        with pytest.raises(BlamedError, match="complete returned"):
            await calling().ask(bench.model(complete))

    play(scene())


@pytest.mark.parametrize("count", [-1, True, math.nan, math.inf, "12", [1]])
def test_impossible_token_counts_are_unknown(bench: Any, scripted: Any, calling: Any, count: Any) -> None:
    async def scene() -> None:
        answer = Completion(text="good", usage=Usage(prompt_tokens=count, completion_tokens=3))
        reply = await calling().ask(bench.model(scripted([answer])))
        assert reply.completion.usage == Usage(prompt_tokens=None, completion_tokens=3)

    play(scene())


@pytest.mark.parametrize("cost", [-0.5, math.nan, math.inf, True, "free", 10**400])
def test_impossible_costs_are_unknown(bench: Any, scripted: Any, calling: Any, cost: Any) -> None:
    async def scene() -> None:
        answer = Completion(text="good", cost_usd=cost)
        reply = await calling().ask(bench.model(scripted([answer])))
        assert (reply.cost_usd, reply.spent_usd) == (None, None)

    play(scene())


def test_what_the_provider_charges_is_the_bill_whatever_the_prices_say(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = bench.model(scripted(cost_usd=0.25), pricing=Pricing(input_per_mtok=1.0, output_per_mtok=1.0))
        assert (await calling().ask(model)).cost_usd == 0.25

    play(scene())


def test_without_a_bill_the_price_is_worked_out(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = bench.model(scripted(cost_usd=None), pricing=Pricing(input_per_mtok=1.0, output_per_mtok=5.0))
        # 10 prompt tokens and 2 completion tokens: 10 + 10 millionths
        assert (await calling().ask(model)).cost_usd == 0.00002

    play(scene())


def test_the_catalog_is_asked_once_and_only_when_a_reply_names_no_cost(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        asked: list[int] = []

        async def catalog() -> Pricing:
            asked.append(1)
            await asyncio.sleep(0)
            return Pricing(input_per_mtok=1.0, output_per_mtok=5.0)

        asker = calling()
        await asker.ask(bench.model(scripted(cost_usd=0.1), catalog_pricing=catalog))
        assert asked == []
        model = bench.model(scripted(cost_usd=None), catalog_pricing=catalog)
        replies = await asker.ask_all(model, "abc")
        assert [reply.cost_usd for reply in replies] == [0.00002] * 3
        assert asked == [1]

    play(scene())


def test_a_catalog_that_cannot_be_had_leaves_the_cost_unknown_and_is_told_once(
    bench: Any, scripted: Any, calling: Any
) -> None:
    async def scene() -> None:
        async def catalog() -> Pricing:
            raise ProviderError("no connection")

        asker = calling()
        replies = await asker.ask_all(bench.model(scripted(cost_usd=None), catalog_pricing=catalog), "abc")
        assert [reply.cost_usd for reply in replies] == [None] * 3
        (warning,) = asker.warnings
        assert "no connection" in warning

    play(scene())


def test_where_token_counts_are_required_a_reply_without_them_is_no_answer_and_not_asked_again(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted(usage=NO_USAGE, cost_usd=None)
        asker = calling(remembering.bound())
        reply = await asker.ask(bench.model(model, usage_required=True))
        assert reply.completion.problem == "the reply has no usage data"
        assert reply.cost_usd is None
        assert asker.ledger.unknown == 1
        assert model.calls == 1
        assert remembering.kept == {}

    play(scene())


def test_secrets_leave_in_no_answer_and_in_no_message(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        def redact(text: str) -> str:
            return text.replace("sk-123", "***")

        asker = calling()
        for step in ("key sk-123", ProviderError("bad key sk-123"), ValueError("sk-123")):
            try:
                reply = await asker.ask(bench.model(scripted([step]), redact=redact))
                said = reply.completion.text
            except (ProviderError, BlamedError) as error:
                said = str(error)
            assert "sk-123" not in said
            assert "***" in said

    play(scene())


def test_identical_requests_in_flight_are_sent_once(bench: Any, scripted: Any, calling: Any, remembering: Any) -> None:
    async def scene() -> None:
        model = scripted()
        asker = calling(remembering.bound())
        replies = await asker.ask_all(bench.model(model), ["same"] * 8)
        assert model.calls == 1
        assert sorted((reply.cached, reply.attempts, reply.spent_usd) for reply in replies) == [
            (False, 1, 0.001),
            *[(True, 0, 0.0)] * 7,
        ]
        assert {reply.cost_usd for reply in replies} == {0.001}
        assert asker.ledger.spent_usd == pytest.approx(0.001)

    play(scene())


def test_requests_that_share_one_in_flight_share_its_failure(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted([REFUSED])
        asker = calling(remembering.bound())
        outcomes = await asker.ask_all(bench.model(model), ["same"] * 3)
        assert [str(outcome) for outcome in outcomes] == ["the API key was refused (HTTP 401)"] * 3
        assert model.calls == 1

    play(scene())


def test_giving_up_a_request_leaves_those_that_share_it_their_answer(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted()
        bound = bench.model(model)
        asker = calling(remembering.bound())
        first = asyncio.ensure_future(asker.ask(bound))
        await asyncio.sleep(0)
        others = [asyncio.ensure_future(asker.ask(bound)) for _ in range(2)]
        await asyncio.sleep(0)
        first.cancel()
        replies = await asyncio.gather(*others)
        assert [reply.completion.text for reply in replies] == ["good", "good"]

    play(scene())


def test_one_that_stops_waiting_for_a_shared_answer_leaves_it_to_the_others(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        bound = bench.model(scripted())
        asker = calling(remembering.bound())
        first, second, third = [asyncio.ensure_future(asker.ask(bound)) for _ in range(3)]
        await asyncio.sleep(0)
        second.cancel()
        assert (await first).completion.text == (await third).completion.text == "good"
        assert second.cancelled()

    play(scene())


def test_without_a_cache_every_request_is_sent(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = scripted()
        await calling().ask_all(bench.model(model), ["same"] * 3)
        assert model.calls == 3

    play(scene())


def test_a_program_that_is_not_to_be_cached_is_asked_every_time(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted()
        asker = calling(remembering.bound())
        await asker.ask_all(bench.model(model, cached=False), ["same"] * 3)
        assert model.calls == 3
        assert remembering.kept == {}

    play(scene())


def test_a_spent_quota_stops_all_further_calls_to_that_server_only(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        spent = ProviderError("the daily quota is used up", status=429, retryable=True, exhausted=True)
        model, other = scripted([spent]), scripted()
        asker = calling()
        bound = bench.model(model, limit_key="a")
        with pytest.raises(ProviderError, match="the daily quota is used up"):
            await asker.ask(bound)
        with pytest.raises(NotMadeError, match="the daily quota is used up"):
            await asker.ask(bound, "another")
        assert model.calls == 1
        assert (await asker.ask(bench.model(other, limit_key="b"))).completion.text == "good"
        assert any("the daily quota is used up" in note for note in asker.limits.notes())

    play(scene())


def test_a_call_that_waits_when_the_quota_ends_fails_with_what_it_failed_with(
    bench: Any, scripted: Any, calling: Any
) -> None:
    async def scene() -> None:
        spent = ProviderError("the daily quota is used up", exhausted=True)
        asker = calling()
        sleep = asker.caller._sleep

        async def meanwhile(seconds: float) -> None:
            with pytest.raises(ProviderError):
                await asker.ask(bench.model(scripted([spent])), "another")
            await sleep(seconds)

        asker.caller._sleep = meanwhile
        with pytest.raises(CallFailedError, match="busy"):
            await asker.ask(bench.model(scripted([BUSY])))

    play(scene())


def test_no_request_starts_after_the_caller_was_stopped(bench: Any, scripted: Any, calling: Any) -> None:
    async def scene() -> None:
        model = scripted()
        asker = calling()
        asker.caller.stop()
        with pytest.raises(NotMadeError):
            await asker.ask(bench.model(model))
        assert model.calls == 0

    play(scene())


def test_a_fingerprint_that_fails_is_blamed_on_the_plugin(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        def broken(request: Any) -> str:
            raise KeyError("messages")

        with pytest.raises(BlamedError, match="KeyError"):
            await calling(remembering.bound()).ask(bench.model(scripted(), fingerprint=broken))

    play(scene())


def test_the_seed_and_the_repeat_make_another_request(
    bench: Any, scripted: Any, calling: Any, remembering: Any
) -> None:
    async def scene() -> None:
        model = scripted()
        bound, asker = bench.model(model), calling(remembering.bound())
        await asker.ask(bound)
        await asker.ask(bound, repeat=1)
        await asker.ask(bound, parameters=Parameters(seed=1))
        await asker.ask(bench.model(model, provider="another"))
        assert model.calls == 4
        await asker.ask(bound)
        await asker.ask(bound, repeat=1)
        await asker.ask(dataclasses.replace(bound, id="another label"))
        assert model.calls == 4

    play(scene())
