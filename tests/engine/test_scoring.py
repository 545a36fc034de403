from __future__ import annotations

import asyncio
import math
import threading
import time
from typing import Any

import pytest

from steelyard._engine.threads import Threads, settle
from steelyard.api import Ask, Case, Completion, Message, Output, Parameters, Score, Status, Usage
from steelyard.errors import ProviderError, ScorerError

QUESTION = (Message(role="user", content="is it good?"),)
BLAME = "scorer 'fake_score' of plugin 'fake' (steelyard-fake 0.1)"


def judged(bench: Any, *scorers: Any, model: Any = None, **fields: Any) -> Any:
    """Run one case and return its one run."""
    return bench.run(bench.plan(model, scorers=scorers, **fields)).only.runs[0]


def giving(value: Any, passed: Any = True, **fields: Any) -> Any:
    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        return Score(value=value, passed=passed, **fields)

    return judge


def raising(error: BaseException) -> Any:
    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        raise error

    return judge


def test_a_case_passes_when_every_scorer_passes_and_its_score_is_the_weighted_mean(bench: Any) -> None:
    run = judged(
        bench, bench.scorer(giving(1.0), weight=3.0), bench.scorer(giving(0.5, passed=True), weight=1.0, name="half")
    )
    assert (run.status, run.passed, run.score) == (Status.SCORED, True, 0.875)
    run = judged(bench, bench.scorer(giving(1.0)), bench.scorer(giving(0.0, passed=False)))
    assert (run.passed, run.score) == (False, 0.5)


def test_negating_turns_verdict_and_score_round(bench: Any) -> None:
    run = judged(bench, bench.scorer(giving(0.25, passed=False), negate=True))
    assert (run.passed, run.score) == (True, 0.75)
    assert not judged(bench, bench.scorer(giving(1.0, passed=True), negate=True)).passed


def test_a_threshold_decides_in_the_place_of_the_scorer(bench: Any) -> None:
    assert judged(bench, bench.scorer(giving(0.7, passed=False), threshold=0.7)).passed
    assert not judged(bench, bench.scorer(giving(0.69, passed=True), threshold=0.7)).passed


def test_a_threshold_is_not_missed_through_floating_point_alone(bench: Any) -> None:
    # 0.1 + 0.7 is 0.7999999999999999
    assert judged(bench, bench.scorer(giving(0.1 + 0.7, passed=False), threshold=0.8)).passed


def test_negating_comes_after_the_threshold(bench: Any) -> None:
    assert not judged(bench, bench.scorer(giving(0.9, passed=False), threshold=0.8, negate=True)).passed
    assert judged(bench, bench.scorer(giving(0.7, passed=True), threshold=0.8, negate=True)).passed


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ScorerError("no verdict in the reply"), Status.JUDGE_ERROR),
        (ProviderError("the judge is down"), Status.JUDGE_API_ERROR),
        (ValueError("boom"), Status.INTERNAL_ERROR),
        (SystemExit(0), Status.INTERNAL_ERROR),
        (RecursionError("deep"), Status.INTERNAL_ERROR),
        (MemoryError(), Status.INTERNAL_ERROR),
        (asyncio.CancelledError(), Status.INTERNAL_ERROR),
    ],
)
def test_nothing_that_a_scorer_raises_becomes_a_pass(
    bench: Any, error: BaseException, status: Status, negate: bool
) -> None:
    run = judged(bench, bench.scorer(raising(error), negate=negate, threshold=0.0))
    assert (run.status, run.passed, run.score) == (status, False, None)
    assert (run.scores[0].passed, run.scores[0].score) == (None, None)


def test_an_unforeseen_failure_is_blamed_in_one_short_line(bench: Any) -> None:
    run = judged(bench, bench.scorer(raising(ValueError("line one\nline two " + "x" * 5000))))
    assert run.error.startswith(f"{BLAME}: ValueError: line one line two xxx")
    assert "\n" not in run.error
    assert len(run.error) <= 600


def test_a_scorer_that_says_why_it_cannot_judge_is_quoted_with_its_name(bench: Any) -> None:
    plain = judged(bench, bench.scorer(raising(ScorerError("no verdict in the reply")), name="tone"))
    naming = judged(bench, bench.scorer(raising(ScorerError("tone: no verdict")), name="tone"))
    assert (plain.error, naming.error) == ("tone: no verdict in the reply", "tone: no verdict")


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_without_words_is_told_all_the_same(bench: Any) -> None:
    assert "MuteError" in judged(bench, bench.scorer(raising(MuteError()))).error


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    "judge",
    [
        giving(math.nan),
        giving(math.inf),
        giving(1.01),
        giving(-0.01),
        giving("high"),
        giving(None),
        giving(value=True),
        giving(1.0, passed=None),
        giving(1.0, passed=1),
        giving(1.0, passed="yes"),
    ],
)
def test_a_verdict_that_is_none_is_an_error_of_its_plugin(bench: Any, judge: Any, negate: bool) -> None:
    run = judged(bench, bench.scorer(judge, negate=negate))
    assert (run.status, run.passed) == (Status.INTERNAL_ERROR, False)
    assert run.error.startswith(BLAME)


@pytest.mark.parametrize("verdict", [None, True, 1.0, {"score": 1}, "pass"])
def test_something_else_than_a_score_is_an_error_of_its_plugin(bench: Any, verdict: object) -> None:
    async def judge(case: Case, output: Output, ask: Ask) -> Any:
        return verdict

    run = judged(bench, bench.scorer(judge))
    assert run.status is Status.INTERNAL_ERROR
    assert f"{type(verdict).__name__} instead of a Score" in run.error


@pytest.mark.parametrize("value", [0, 1, 1.0000000000000002, -1e-17])
def test_the_ends_of_the_scale_may_be_missed_by_a_hair(bench: Any, value: float) -> None:
    run = judged(bench, bench.scorer(giving(value)))
    assert run.status is Status.SCORED
    assert run.score in (0.0, 1.0)


@pytest.mark.parametrize("reason", [None, 42, "two\nlines"])
def test_a_reason_is_one_line_of_text_whatever_the_scorer_gave(bench: Any, reason: Any) -> None:
    run = judged(bench, bench.scorer(giving(1.0, reason=reason)))
    assert run.status is Status.SCORED
    assert run.scores[0].reason in ("", "42", "two lines")


def test_one_scorer_that_fails_costs_only_its_own_score(bench: Any, scripted: Any) -> None:
    run = judged(
        bench,
        bench.scorer(giving(1.0, reason="fine"), name="first"),
        bench.scorer(raising(ScorerError("cannot tell")), name="second"),
        bench.scorer(giving(0.5), name="third"),
        model=scripted(["an answer"]),
    )
    assert (run.status, run.error) == (Status.JUDGE_ERROR, "second: cannot tell")
    assert [(one.name, one.score) for one in run.scores] == [("first", 1.0), ("second", None), ("third", 0.5)]
    assert run.response == "an answer"
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd) == (10, 2, 0.001)


def test_a_scorer_that_hangs_is_given_up_at_its_deadline(bench: Any) -> None:
    async def hang(case: Case, output: Output, ask: Ask) -> Score:
        await asyncio.sleep(60)
        raise AssertionError

    run = judged(bench, bench.scorer(hang, timeout_s=0.02, name="slow"), bench.scorer(giving(1.0), name="other"))
    assert run.status is Status.INTERNAL_ERROR
    assert run.scores[0].reason == f"{BLAME}: gave no verdict within 0.02 s"
    assert run.scores[1].passed is True


def test_a_plain_scorer_that_hangs_in_its_thread_is_given_up_too(bench: Any) -> None:
    release = threading.Event()

    def hang(case: Case, output: Output, ask: Ask) -> Score:
        release.wait(30)
        return Score(value=1.0, passed=True)

    started = time.monotonic()
    run = judged(bench, bench.scorer(settle(hang, inline=False, threads=Threads()), timeout_s=0.02))
    release.set()
    assert run.status is Status.INTERNAL_ERROR
    assert time.monotonic() - started < 60


def asking(model: str = "judge", **fields: Any) -> Any:
    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        reply = await ask.complete(model=model, messages=QUESTION, **fields)
        return Score(value=1.0, passed=reply.text == "yes", details={"reasoning": f"it said {reply.text}"})

    return judge


def test_what_a_judge_takes_is_booked_on_the_case_apart_from_the_answer(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(
        scripted(["yes"], usage=Usage(prompt_tokens=100, completion_tokens=30), cost_usd=0.5), id="judge"
    )
    run = judged(bench, bench.scorer(asking()), bench.scorer(asking()))
    assert run.passed
    assert (run.judge_prompt_tokens, run.judge_completion_tokens, run.judge_cost_usd) == (200, 60, 1.0)
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd) == (10, 2, 0.001)
    assert run.spent_usd == 1.001
    assert run.reasoning == "it said yes"


def test_without_a_judge_judging_costs_nothing(bench: Any) -> None:
    run = judged(bench, bench.scorer(giving(1.0)))
    assert (run.judge_prompt_tokens, run.judge_completion_tokens, run.judge_cost_usd) == (0, 0, 0.0)


def test_a_judge_of_unknown_cost_makes_the_cost_of_judging_unknown(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(scripted(["yes"], usage=Usage(), cost_usd=None), id="judge")
    run = judged(bench, bench.scorer(asking()))
    assert (run.judge_cost_usd, run.judge_prompt_tokens, run.spent_usd) == (None, None, None)
    assert run.cost_usd == 0.001


def test_a_judge_that_does_not_answer_is_a_judge_api_error_with_the_answer_kept(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(scripted([ProviderError("the judge is down (HTTP 500)")]), id="judge")
    run = judged(bench, bench.scorer(asking(), negate=True), model=scripted(["an answer"]))
    assert (run.status, run.passed, run.response) == (Status.JUDGE_API_ERROR, False, "an answer")
    assert run.error == "the judge is down (HTTP 500)"


def test_a_judge_with_nothing_to_say_is_a_judge_api_error_that_was_paid_for(bench: Any, scripted: Any) -> None:
    empty = Completion(text="", usage=Usage(prompt_tokens=5, completion_tokens=9), cost_usd=0.1, problem="empty reply")
    bench.judges["judge"] = bench.model(scripted([empty]), id="judge")
    run = judged(bench, bench.scorer(asking()))
    assert run.status is Status.JUDGE_API_ERROR
    assert "empty reply" in run.error
    assert (run.judge_cost_usd, run.judge_completion_tokens) == (0.1, 9)


def test_a_judge_that_nobody_knows_is_an_error_that_names_it(bench: Any) -> None:
    run = judged(bench, bench.scorer(asking("nobody")))
    assert run.status is Status.INTERNAL_ERROR
    assert "'nobody'" in run.error


def test_the_fault_of_a_judges_plugin_is_not_blamed_on_the_scorer(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(scripted([KeyError("choices")]), id="judge", blame="provider 'j'")
    run = judged(bench, bench.scorer(asking()))
    assert run.status is Status.INTERNAL_ERROR
    assert run.error.startswith("provider 'j': KeyError: 'choices' (engine/conftest.py:")


def test_a_scorer_may_say_how_a_judge_is_to_answer(bench: Any, scripted: Any) -> None:
    model = scripted(["yes"])
    bench.judges["judge"] = bench.model(
        model, id="judge", parameters=Parameters(temperature=1.0, max_tokens=5, params={"top_p": 0.5, "k": 1})
    )
    wanted = Parameters(temperature=0.0, params={"k": 2})
    judged(bench, bench.scorer(asking(parameters=wanted, timeout_s=7.0)))
    (request,) = model.requests
    assert request.parameters == Parameters(temperature=0.0, max_tokens=5, params={"top_p": 0.5, "k": 2})
    assert request.timeout_s == 7.0


def test_waiting_for_a_judge_does_not_count_against_the_scorer(bench: Any) -> None:
    async def slow(request: Any) -> Completion:
        await asyncio.sleep(0.15)
        return Completion(text="yes")

    bench.judges["judge"] = bench.model(slow, id="judge")
    run = judged(bench, bench.scorer(asking(), timeout_s=0.1))
    assert (run.status, run.passed) == (Status.SCORED, True)


def test_the_time_a_scorer_has_goes_on_after_the_judge_has_answered(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(scripted(["yes"]), id="judge")

    async def dawdle(case: Case, output: Output, ask: Ask) -> Score:
        await ask.complete(model="judge", messages=QUESTION)
        await asyncio.sleep(60)
        raise AssertionError

    run = judged(bench, bench.scorer(dawdle, timeout_s=0.05))
    assert "gave no verdict" in run.error
    assert run.judge_cost_usd == 0.001


def test_a_plain_scorer_asks_from_its_thread(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(scripted(["yes"]), id="judge")

    def judge(case: Case, output: Output, ask: Ask) -> Score:
        reply = ask.complete_blocking(model="judge", messages=QUESTION)
        return Score(value=1.0, passed=reply.text == "yes")

    run = judged(bench, bench.scorer(settle(judge, inline=False, threads=Threads())))
    assert run.passed
    assert run.judge_cost_usd == 0.001


def test_asking_in_a_blocking_way_on_the_event_loop_is_refused_rather_than_hanging(bench: Any, scripted: Any) -> None:
    bench.judges["judge"] = bench.model(scripted(["yes"]), id="judge")

    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        ask.complete_blocking(model="judge", messages=QUESTION)
        raise AssertionError

    run = judged(bench, bench.scorer(judge))
    assert run.status is Status.JUDGE_ERROR
    assert "complete_blocking" in run.error


def test_a_scorer_that_was_given_up_asks_nobody_any_more(bench: Any, scripted: Any) -> None:
    model = scripted(["yes"])
    bench.judges["judge"] = bench.model(model, id="judge")
    release, over = threading.Event(), threading.Event()
    said: list[str] = []

    def judge(case: Case, output: Output, ask: Ask) -> Score:
        release.wait(30)
        try:
            ask.complete_blocking(model="judge", messages=QUESTION)
        except ProviderError as error:
            said.append(str(error))
        over.set()
        return Score(value=1.0, passed=True)

    async def scene() -> None:
        await bench.execute(
            bench.plan(scorers=[bench.scorer(settle(judge, inline=False, threads=Threads()), timeout_s=0.02)])
        )
        release.set()
        await asyncio.to_thread(over.wait, 10)

    asyncio.run(scene())
    assert model.calls == 0
    assert "given up" in said[0]


def test_half_a_surrogate_pair_in_a_judges_question_is_replaced(bench: Any, scripted: Any) -> None:
    model = scripted(["yes"])
    bench.judges["judge"] = bench.model(model, id="judge")

    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        await ask.complete(model="judge", messages=[Message(role="user", content=f"judge: {output.text}")])
        return Score(value=1.0, passed=True)

    judged(bench, bench.scorer(judge), model=scripted(["math \ud835 sign"]))
    assert model.prompts() == ["judge: math ? sign"]


async def a_verdict(case: Case, output: Output, ask: Ask) -> Score:
    reply = await ask.complete(model="judge", messages=QUESTION)
    if reply.text not in ("yes", "no"):
        raise ScorerError(f"no verdict in {reply.text!r}")
    return Score(value=1.0, passed=reply.text == "yes")


def test_a_reply_that_decides_nothing_is_asked_for_again_in_the_next_run(
    bench: Any, scripted: Any, remembering: Any
) -> None:
    judge = scripted(["well …", "yes"])
    bench.judges["judge"] = bench.model(judge, id="judge")
    runs = [judged(bench, bench.scorer(a_verdict), cache=remembering.bound()) for _ in range(3)]
    assert [run.status for run in runs] == [Status.JUDGE_ERROR, Status.SCORED, Status.SCORED]
    # The verdict of the second run is kept, and costs the third nothing.
    assert judge.calls == 2
    assert [run.spent_usd for run in runs] == [pytest.approx(0.002), pytest.approx(0.001), 0.0]


def test_a_judge_is_asked_once_for_questions_that_are_in_flight_together(
    bench: Any, scripted: Any, remembering: Any
) -> None:
    judge = scripted(["yes"])
    bench.judges["judge"] = bench.model(judge, id="judge")
    plan = bench.plan(cases=4, scorers=(bench.scorer(a_verdict),), cache=remembering.bound(), concurrency=4)
    assert [result.passed for result in bench.run(plan).results] == [True] * 4
    assert judge.calls == 1
