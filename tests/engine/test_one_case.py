from __future__ import annotations

import asyncio
from typing import Any

import pytest

from steelyard._engine.plan import CallPolicy
from steelyard.api import Ask, Case, Completion, Message, Output, Parameters, Request, Score, Status, Turn, Usage
from steelyard.errors import ProviderError, TemplateError


def ran(bench: Any, model: Any = None, case: Case | None = None, **fields: Any) -> Any:
    """Run one case and return its one run."""
    return bench.run(bench.plan(model, cases=(case or Case(id="a"),), **fields)).only.runs[0]


def test_a_run_tells_what_was_asked_answered_and_paid(bench: Any, scripted: Any) -> None:
    run = ran(bench, scripted(["good"]))
    assert run.messages == (Message(role="user", content="Q a"),)
    assert (run.status, run.passed, run.score, run.response) == (Status.SCORED, True, 1.0, "good")
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.spent_usd) == (10, 2, 0.001, 0.001)
    assert (run.attempts, run.cached, run.finish_reason) == (1, False, "stop")
    assert run.latency_ms >= 0
    assert run.transcript == ()


def test_a_provider_is_told_everything_about_the_case(bench: Any, scripted: Any) -> None:
    model = scripted()
    case = Case(id="a", input={"q": 1}, variables={"name": "Ann"})
    ran(bench, bench.model(model, id="label", model="served", parameters=Parameters(temperature=0.5)), case, seed=7)
    (request,) = model.requests
    assert (request.model, request.input, request.variables) == ("served", {"q": 1}, {"name": "Ann"})
    assert request.parameters == Parameters(temperature=0.5, seed=7)
    assert request.timeout_s == 5.0


def test_a_models_own_seed_wins_over_the_runs(bench: Any, scripted: Any) -> None:
    model = scripted()
    ran(bench, bench.model(model, parameters=Parameters(seed=1)), seed=7)
    assert model.requests[0].parameters.seed == 1


def test_a_scorer_sees_the_output_with_all_that_led_to_it(bench: Any, scripted: Any) -> None:
    seen: list[Output] = []

    async def look(case: Case, output: Output, ask: Ask) -> Score:
        seen.append(output)
        return Score(value=1.0, passed=True)

    ran(bench, bench.model(scripted(["good"]), id="label"), seed=3, scorers=[bench.scorer(look)])
    (output,) = seen
    assert (output.text, output.model, output.seed, output.repeat) == ("good", "label", 3, 0)
    assert output.messages == (Message(role="user", content="Q a"),)
    assert (output.usage.prompt_tokens, output.cost_usd, output.finish_reason) == (10, 0.001, "stop")


async def must_not(case: Case, output: Output, ask: Ask) -> Score:
    raise AssertionError("a scorer ran")


def test_where_the_server_refused_no_scorer_runs_and_nothing_was_paid(bench: Any, scripted: Any) -> None:
    error = ProviderError("unknown model 'x' (HTTP 404)", status=404)
    run = ran(bench, scripted([error]), scorers=[bench.scorer(must_not, negate=True)])
    assert (run.status, run.passed, run.score, run.response) == (Status.API_ERROR, False, None, "")
    assert run.error == "unknown model 'x' (HTTP 404)"
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.spent_usd) == (0, 0, 0.0, 0.0)
    assert run.scores == ()
    assert run.attempts == 1


@pytest.mark.parametrize("answer", [KeyError("choices"), {"text": "no Completion"}], ids=["crash", "no answer"])
def test_where_the_providers_plugin_failed_nobody_knows_what_was_paid(bench: Any, scripted: Any, answer: Any) -> None:
    run = ran(bench, scripted([answer]), scorers=[bench.scorer(must_not, negate=True)])
    assert (run.status, run.passed, run.score, run.response) == (Status.INTERNAL_ERROR, False, None, "")
    assert run.error.startswith("provider 'fake' of plugin 'fake' (steelyard-fake 0.1): ")
    # The server may have answered, and charged.
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.spent_usd) == (None, None, None, None)
    assert run.attempts == 1


def test_a_call_that_was_given_up_has_an_unknown_cost_and_its_combo_counts_it(bench: Any) -> None:
    async def hang(request: Request) -> Completion:
        await asyncio.sleep(60)
        return Completion(text="too late")

    policy = CallPolicy(retries=1, backoff_s=0.001, timeout_s=0.01)
    done = bench.run(bench.plan(bench.model(hang, policy=policy), cases=2))
    combo, (run,) = done.combo, done.results[0].runs
    assert run.status is Status.API_ERROR
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.spent_usd) == (None, None, None, None)
    assert (combo.cost_usd, combo.spent_usd, combo.unknown_costs) == (None, None, 2)


def test_an_answer_after_a_call_that_was_given_up_has_its_own_cost_but_what_was_paid_is_unknown(bench: Any) -> None:
    asked: list[Request] = []

    async def hang_once(request: Request) -> Completion:
        asked.append(request)
        if len(asked) == 1:
            await asyncio.sleep(60)
        return Completion(text="good", usage=Usage(prompt_tokens=10, completion_tokens=1), cost_usd=0.001)

    policy = CallPolicy(retries=1, backoff_s=0.001, timeout_s=0.5)
    run = ran(bench, bench.model(hang_once, policy=policy))
    assert (run.status, run.prompt_tokens, run.cost_usd) == (Status.SCORED, 10, 0.001)
    assert run.spent_usd is None


def test_a_reply_with_nothing_to_grade_is_an_api_error_whose_tokens_and_cost_count(bench: Any, scripted: Any) -> None:
    empty = Completion(
        text="",
        usage=Usage(prompt_tokens=18, completion_tokens=200, reasoning_tokens=200),
        cost_usd=0.02,
        finish_reason="length",
        problem="empty reply (finish_reason: length); raise max_tokens",
    )
    run = ran(bench, scripted([empty]))
    assert (run.status, run.error) == (Status.API_ERROR, "empty reply (finish_reason: length); raise max_tokens")
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.finish_reason) == (18, 200, 0.02, "length")


def test_unknown_counts_and_costs_are_unknown_and_not_nothing(bench: Any, scripted: Any) -> None:
    run = ran(bench, scripted(usage=Usage(prompt_tokens=12), cost_usd=None))
    assert run.passed
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.spent_usd) == (12, None, None, None)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TemplateError("prompt 'v1': 'x' is undefined"), "prompt 'v1': 'x' is undefined"),
        (ZeroDivisionError("division by zero"), "prompt 'v1', case 'a': ZeroDivisionError: division by zero"),
        (SystemExit(1), "prompt 'v1', case 'a': SystemExit: 1"),
        (RecursionError(), "prompt 'v1', case 'a': RecursionError"),
    ],
)
def test_a_prompt_that_cannot_be_rendered_is_an_internal_error_and_nobody_is_asked(
    bench: Any, scripted: Any, prompted: Any, error: BaseException, said: str
) -> None:
    def fail(case: Case) -> str:
        raise error

    model = scripted()
    run = ran(bench, model, prompts=[prompted(text=fail)])
    assert (run.status, run.error) == (Status.INTERNAL_ERROR, said)
    assert model.calls == 0


def test_a_case_that_nothing_judges_is_an_error_before_it_costs_anything(bench: Any, scripted: Any) -> None:
    model = scripted()
    run = ran(bench, model, scorers=[])
    assert run.status is Status.INTERNAL_ERROR
    assert "'a'" in run.error
    assert model.calls == 0


def test_scorers_that_cannot_be_found_are_an_error_of_their_case(bench: Any, scripted: Any) -> None:
    def scorers_of(case: Case) -> Any:
        raise KeyError(case.id)

    model = scripted()
    run = ran(bench, model, scorers=scorers_of)
    assert (run.status, run.error) == (Status.INTERNAL_ERROR, "case 'a': KeyError: 'a'")
    assert model.calls == 0


def test_half_a_surrogate_pair_is_replaced_in_the_request_and_kept_in_the_answer(
    bench: Any, scripted: Any, prompted: Any
) -> None:
    model = scripted(["good \ud835"])
    run = ran(bench, model, prompts=[prompted(text=lambda case: "bad \udc97 byte 🎯")])
    assert model.prompts() == ["bad ? byte 🎯"]
    assert run.response == "good \ud835"
    assert run.status is Status.SCORED


NULL = Turn(role="assistant", content=None)


def user(text: str) -> Turn:
    return Turn(role="user", content=text)


def talk(bench: Any, model: Any, *turns: Turn, **fields: Any) -> Any:
    return ran(bench, model, Case(id="a", turns=turns), **fields)


def said(messages: Any) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in messages]


def test_turns_are_asked_one_after_the_other_with_all_that_was_said_before(bench: Any, scripted: Any) -> None:
    model = scripted(["hello Ann", "good"])
    run = talk(bench, model, user("I am Ann"), NULL, user("who am I?"), NULL)
    first, second = model.requests
    assert said(first.messages) == [("user", "Q a"), ("user", "I am Ann")]
    assert said(second.messages) == [*said(first.messages), ("assistant", "hello Ann"), ("user", "who am I?")]
    assert run.response == "good"
    assert run.passed
    assert said(run.transcript) == [*said(second.messages), ("assistant", "good")]
    assert run.messages == first.messages


def test_the_tokens_and_costs_of_all_turns_are_added_up(bench: Any, scripted: Any) -> None:
    run = talk(bench, scripted(["one", "good"], cost_usd=0.5), user("a"), NULL, user("b"), NULL)
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd, run.attempts) == (20, 4, 1.0, 2)


def test_a_turn_that_the_case_prescribes_is_not_asked(bench: Any, scripted: Any) -> None:
    model = scripted(["good"])
    talk(bench, model, user("a"), Turn(role="assistant", content="scripted"), user("b"), NULL)
    (request,) = model.requests
    assert said(request.messages)[1:] == [("user", "a"), ("assistant", "scripted"), ("user", "b")]


def test_a_conversation_that_ends_with_the_user_is_answered(bench: Any, scripted: Any) -> None:
    model = scripted(["good"])
    assert talk(bench, model, user("a")).response == "good"


def test_a_conversation_without_a_turn_to_answer_is_an_error(bench: Any, scripted: Any) -> None:
    model = scripted()
    run = talk(bench, model, user("a"), Turn(role="assistant", content="b"))
    assert run.status is Status.INTERNAL_ERROR
    assert "no turn is left" in run.error
    assert model.calls == 0


def test_a_scorer_may_judge_another_turn(bench: Any, scripted: Any) -> None:
    seen: list[tuple[str, int]] = []

    async def look(case: Case, output: Output, ask: Ask) -> Score:
        seen.append((output.text, len(output.messages)))
        return Score(value=1.0, passed=True)

    scorers = [bench.scorer(look, turn=0), bench.scorer(look, turn=1), bench.scorer(look)]
    talk(bench, scripted(["one", "two"]), user("a"), NULL, user("b"), NULL, scorers=scorers)
    assert seen == [("one", 2), ("two", 4), ("two", 4)]


def test_a_turn_that_was_never_reached_cannot_be_judged(bench: Any, scripted: Any) -> None:
    run = talk(bench, scripted(), user("a"), NULL, scorers=[bench.scorer(turn=3, negate=True)])
    assert (run.status, run.passed) == (Status.JUDGE_ERROR, False)
    assert "3" in run.error


def test_a_conversation_that_breaks_off_keeps_what_was_said_and_paid(bench: Any, scripted: Any) -> None:
    model = scripted(["hello", ProviderError("the server is gone")])
    run = talk(bench, model, user("a"), NULL, user("b"), NULL)
    assert (run.status, run.error) == (Status.API_ERROR, "the server is gone")
    assert (run.prompt_tokens, run.cost_usd, run.response) == (10, 0.001, "hello")
    assert said(run.transcript)[-2:] == [("assistant", "hello"), ("user", "b")]


def test_a_conversation_is_cached_only_when_every_answer_was(bench: Any, scripted: Any, remembering: Any) -> None:
    turns = (user("a"), NULL, user("b"), NULL)
    model = bench.model(scripted(["one", "good"]))
    talk(bench, model, *turns, cache=remembering.bound())
    again = talk(bench, model, *turns, cache=remembering.bound())
    assert (again.cached, again.attempts, again.spent_usd, again.cost_usd) == (True, 0, 0.0, 0.002)
    remembering.kept.popitem()
    assert not talk(bench, model, *turns, cache=remembering.bound()).cached


def test_a_real_cancellation_is_not_a_result(bench: Any) -> None:
    async def scene() -> Any:
        begun = asyncio.Event()

        async def hang(request: Any) -> Completion:
            begun.set()
            await asyncio.sleep(60)
            raise AssertionError

        task = asyncio.ensure_future(bench.execute(bench.plan(hang)))
        await begun.wait()
        task.cancel()
        return await task

    assert asyncio.run(scene()).results == []


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"usage": Usage(prompt_tokens=-5)}, "prompt_tokens is -5, which is no count; taken as unknown"),
        ({"usage": Usage(completion_tokens="7")}, "completion_tokens is '7', which is no count; taken as unknown"),
        ({"usage": {"prompt_tokens": 1}}, "usage is {'prompt_tokens': 1}, which is no Usage; taken as unknown"),
        ({"cost_usd": float("nan")}, "cost_usd is nan, which is no amount; taken as unknown"),
        ({"cost_usd": "0.01"}, "cost_usd is '0.01', which is no amount; taken as unknown"),
        ({"problem": Unshowable()}, "problem is a Unshowable, which is no text; taken as unknown"),
    ],
)
def test_a_number_of_an_answer_that_is_none_is_told_once_for_its_provider(
    bench: Any, scripted: Any, fields: Any, said: str
) -> None:
    done = bench.run(bench.plan(scripted([Completion(**{"text": "good", **fields})]), cases=3))
    assert done.combo.passed == 3
    assert done.warnings == [f"provider 'fake' of plugin 'fake' (steelyard-fake 0.1): {said}"]


def test_what_an_answer_leaves_open_is_told_to_nobody(bench: Any, scripted: Any) -> None:
    done = bench.run(bench.plan(scripted([Completion(text="good"), Completion(text="good", usage=Usage())]), cases=2))
    assert (done.combo.passed, done.warnings) == (2, [])
