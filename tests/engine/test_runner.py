from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from steelyard._engine.journal import Journal
from steelyard._engine.plan import CallPolicy
from steelyard._engine.threads import Threads, settle
from steelyard.api import Ask, Case, Completion, Output, Score, Status
from steelyard.errors import BenchmarkError, Problem, ProviderError

BUSY = ProviderError("busy (HTTP 503)", retryable=True, status=503)
LIMITED = ProviderError("slow down (HTTP 429)", retryable=True, status=429)


def accounted(outcome: Any) -> bool:
    return all(one.total == one.passed + one.failed + one.errors + one.not_run for one in outcome.combos)


def test_every_case_of_every_combo_is_run_once_and_told_in_plan_order(bench: Any, scripted: Any, prompted: Any) -> None:
    models = [bench.model(scripted(), id="a"), bench.model(scripted(["bad"]), id="b")]
    prompts = [prompted("v1"), prompted("v2", text=lambda case: f"Tell me {case.id}")]
    ran = bench.run(bench.plan(models=models, prompts=prompts, cases=7, concurrency=3))
    wanted = [(model, prompt, f"c{n}") for model in "ab" for prompt in ("v1", "v2") for n in range(7)]
    assert [(one.model, one.prompt_id, one.id) for one in ran.results] == wanted
    assert [(one.model, one.prompt_id, one.passed, one.failed) for one in ran.outcome.combos] == [
        ("a", "v1", 7, 0),
        ("a", "v2", 7, 0),
        ("b", "v1", 0, 7),
        ("b", "v2", 0, 7),
    ]
    assert [[one.id for one in combo.cases] for combo in ran.outcome.combos] == [[f"c{n}" for n in range(7)]] * 4
    assert not ran.outcome.interrupted
    assert ran.outcome.notes == ()
    assert ran.warnings == []


def test_results_come_in_file_order_whatever_finishes_first(bench: Any) -> None:
    async def slower_at_first(request: Any) -> Completion:
        await asyncio.sleep(0.03 if request.messages[0].content == "Q c0" else 0)
        return Completion(text="good")

    ran = bench.run(bench.plan(slower_at_first, cases=30, concurrency=5))
    assert [one.id for one in ran.results] == [f"c{n}" for n in range(30)]


def test_no_more_calls_are_in_flight_than_allowed(bench: Any) -> None:
    now, most = 0, 0

    async def complete(request: Any) -> Completion:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return Completion(text="good")

    bench.run(bench.plan(complete, cases=40, concurrency=7))
    assert most == 7


def test_cases_are_read_as_they_are_needed_and_never_all_at_once(bench: Any) -> None:
    read, finished, furthest = 0, 0, 0

    class Rows:
        def __iter__(self) -> Iterator[Case]:
            nonlocal read
            for number in range(500):
                read += 1
                yield Case(id=f"c{number}")

    async def complete(request: Any) -> Completion:
        nonlocal finished, furthest
        await asyncio.sleep(0)
        furthest = max(furthest, read - finished)
        finished += 1
        return Completion(text="good")

    ran = bench.run(bench.plan(complete, cases=Rows(), concurrency=4))
    assert ran.combo.total == ran.combo.passed == 500
    assert furthest <= 10


def test_one_bad_case_never_stops_the_run(bench: Any, scripted: Any) -> None:
    async def complete(request: Any) -> Completion:
        if request.messages[0].content == "Q c3":
            raise SystemExit(0)
        return Completion(text="good")

    ran = bench.run(bench.plan(complete, cases=6))
    assert (ran.combo.passed, ran.combo.errors) == (5, 1)
    assert ran.by_id("c3").status is Status.INTERNAL_ERROR


def test_a_case_that_waits_for_its_next_attempt_lets_another_begin(bench: Any, scripted: Any) -> None:
    order: list[str] = []

    async def complete(request: Any) -> Completion:
        order.append(request.messages[0].content)
        if order == ["Q c0"]:
            raise BUSY
        return Completion(text="good")

    model = bench.model(complete, policy=CallPolicy(retries=1, backoff_s=0.05))
    ran = bench.run(bench.plan(model, cases=3, concurrency=1))
    assert order == ["Q c0", "Q c1", "Q c2", "Q c0"]
    assert ran.combo.passed == 3


def test_repeats_are_runs_of_their_own(bench: Any, scripted: Any) -> None:
    model = scripted(["good", "bad", "good"])
    ran = bench.run(bench.plan(model, repeat=3, case_pass_rate=0.66, concurrency=1))
    assert [request.repeat for request in model.requests] == [0, 1, 2]
    assert [run.repeat for run in ran.only.runs] == [0, 1, 2]
    assert (ran.only.passed, ran.only.flaky, ran.only.score) == (True, True, pytest.approx(2 / 3))
    assert (ran.combo.total, ran.combo.runs, ran.combo.flaky) == (1, 3, 1)


def test_the_repeats_of_one_case_run_side_by_side(bench: Any) -> None:
    async def scene() -> Any:
        together = asyncio.Barrier(4)

        async def complete(request: Any) -> Completion:
            await asyncio.wait_for(together.wait(), 5)
            return Completion(text="good")

        return await bench.execute(bench.plan(complete, repeat=4, concurrency=4))

    assert asyncio.run(scene()).only.passed


def test_repeats_are_kept_apart_in_the_cache(bench: Any, scripted: Any, remembering: Any) -> None:
    model = bench.model(scripted())
    bench.run(bench.plan(model, repeat=3, cache=remembering.bound()))
    assert len(remembering.kept) == 3
    again = bench.run(bench.plan(model, repeat=3, cache=remembering.bound()))
    assert [run.cached for run in again.only.runs] == [True] * 3


def test_a_second_run_answers_from_the_cache_at_no_cost(bench: Any, scripted: Any, remembering: Any) -> None:
    model = scripted()
    bound = bench.model(model)
    first = bench.run(bench.plan(bound, cases=5, cache=remembering.bound()))
    second = bench.run(bench.plan(bound, cases=5, cache=remembering.bound()))
    assert model.calls == 5
    assert (first.combo.spent_usd, second.combo.spent_usd) == (0.005, 0.0)
    assert first.combo.cost_usd == second.combo.cost_usd == 0.005
    assert (second.combo.cached, second.combo.prompt_tokens) == (5, 50)
    assert second.outcome.spent_usd == 0.0


def test_identical_cases_side_by_side_are_asked_once(
    bench: Any, scripted: Any, prompted: Any, remembering: Any
) -> None:
    model = scripted()
    plan = bench.plan(
        model, cases=8, prompts=[prompted(text=lambda case: "same")], concurrency=8, cache=remembering.bound()
    )
    ran = bench.run(plan)
    assert model.calls == 1
    assert (ran.combo.passed, ran.combo.cached, ran.combo.spent_usd) == (8, 7, 0.001)


def test_plain_functions_work_as_providers_and_scorers(bench: Any) -> None:
    threads = Threads()
    together = threading.Barrier(4, timeout=5)

    def complete(request: Any) -> Completion:
        together.wait()
        return Completion(text="good")

    def judge(case: Case, output: Output, ask: Ask) -> Score:
        return Score(value=1.0, passed=output.text == "good")

    model = bench.model(settle(complete, inline=False, threads=threads))
    scorer = bench.scorer(settle(judge, inline=False, threads=threads))
    assert bench.run(bench.plan(model, scorers=[scorer], cases=8, concurrency=4)).combo.passed == 8


def test_progress_is_told_now_and_then_and_at_the_end(bench: Any, scripted: Any) -> None:
    ran = bench.run(bench.plan(scripted(["good", "bad", ProviderError("no")]), cases=200))
    assert len(ran.progress) < 20
    last = ran.progress[-1]
    assert (last.done, last.total, last.passed, last.failed, last.errors) == (200, 200, 1, 1, 198)
    assert last.by_combo == ((200, 1, 198),)
    assert last.spent_usd == pytest.approx(0.002)
    assert not last.cost_unknown


def test_progress_without_a_count_has_no_total_and_admits_unknown_costs(bench: Any, scripted: Any) -> None:
    ran = bench.run(bench.plan(scripted(cost_usd=None), cases=3, case_count=None))
    assert ran.progress[-1].total is None
    assert ran.progress[-1].cost_unknown


def test_a_result_whose_details_cannot_be_written_loses_only_them(bench: Any) -> None:
    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        return Score(value=1.0, passed=True, reason="fine", details={"x": object()})  # type: ignore[dict-item]

    def picky(result: Any) -> bytes:
        if any(one.details for run in result.runs for one in run.scores):
            raise TypeError("Object of type object is not JSON serializable")
        return b'{"id":"%b"}' % result.id.encode()

    plan = bench.plan(scorers=[bench.scorer(judge)], cases=2)
    journal = Journal.create(bench.folder / "j", digest="d", encode=picky, decode=lambda data, combo: None)  # type: ignore[arg-type, return-value]
    bench.journals.append(journal)
    ran = bench.run(plan, journal=journal)
    assert ran.combo.passed == 2
    assert ran.results[0].runs[0].scores[0].reason == "fine"
    assert "not JSON serializable" in ran.warnings[0]


def test_a_result_that_cannot_be_written_at_all_is_an_error_and_the_run_goes_on(bench: Any) -> None:
    def picky(result: Any) -> bytes:
        if result.metadata:
            raise ValueError("Circular reference detected")
        return b'{"id":"%b"}' % result.id.encode()

    cases = (Case(id="a"), Case(id="b", metadata={"self": "reference"}), Case(id="c"))
    plan = bench.plan(cases=cases)
    journal = Journal.create(bench.folder / "j", digest="d", encode=picky, decode=lambda data, combo: None)  # type: ignore[arg-type, return-value]
    bench.journals.append(journal)
    ran = bench.run(plan, journal=journal)
    assert (ran.combo.passed, ran.combo.errors) == (2, 1)
    assert "Circular reference" in ran.by_id("b").error
    assert ran.by_id("b").runs[0].response == "good"


# --- a row that cannot be read


class BreaksOff:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def __iter__(self) -> Iterator[Case]:
        yield Case(id="c0")
        yield Case(id="c1")
        raise self.error


def test_a_row_that_cannot_be_read_ends_the_run_with_what_was_done_before(bench: Any) -> None:
    problem = BenchmarkError([Problem(message="no JSON", place="cases.jsonl:3")])
    ran = bench.run(bench.plan(cases=BreaksOff(problem)))
    assert ran.outcome.failure is problem
    assert [one.id for one in ran.results] == ["c0", "c1"]
    assert accounted(ran.outcome)


def test_a_source_that_breaks_in_an_unforeseen_way_is_told_in_one_line(bench: Any) -> None:
    ran = bench.run(bench.plan(cases=BreaksOff(KeyError("q"))))
    assert str(ran.outcome.failure) == "reading the cases: KeyError: 'q'"


# --- budget


def test_the_budget_stops_the_run_before_the_call_that_would_pass_it(bench: Any, scripted: Any) -> None:
    model = scripted(cost_usd=0.1)
    ran = bench.run(bench.plan(model, cases=20, concurrency=5, max_cost_usd=0.55))
    assert model.calls == 5
    assert ran.outcome.over_budget
    assert ran.outcome.spent_usd == pytest.approx(0.5)
    assert (ran.combo.passed, ran.combo.not_run, ran.combo.total) == (5, 15, 20)
    assert accounted(ran.outcome)
    assert "max_cost_usd (0.55) left no room for more calls" in ran.outcome.notes
    assert "15 case(s) were not run" in ran.outcome.notes


def test_a_spent_budget_still_answers_from_the_cache(bench: Any, scripted: Any, remembering: Any) -> None:
    model = scripted(cost_usd=0.1)
    bound = bench.model(model)
    cases = bench.cases(6)
    bench.run(bench.plan(bound, cases=cases[3:], cache=remembering.bound()))
    ran = bench.run(bench.plan(bound, cases=cases, cache=remembering.bound(), max_cost_usd=0.1, concurrency=1))
    assert [one.id for one in ran.results] == ["c0", "c3", "c4", "c5"]
    assert (ran.combo.passed, ran.combo.not_run) == (4, 2)


def test_a_budget_that_nobody_can_hold_against_a_model_is_said(bench: Any, scripted: Any) -> None:
    ran = bench.run(bench.plan(bench.model(scripted(cost_usd=None), id="mystery"), cases=3, max_cost_usd=1.0))
    assert ran.combo.passed == 3
    assert any("mystery" in note and "unknown" in note for note in ran.outcome.notes)


# --- quota


def test_a_spent_quota_leaves_the_rest_of_that_servers_cases_out_and_no_others(bench: Any, scripted: Any) -> None:
    spent = ProviderError("the daily quota is used up; it is renewed at 00:00 UTC", status=429, exhausted=True)
    limited, free = scripted(["good", "good", spent]), scripted()
    models = [bench.model(limited, id="a", limit_key="a"), bench.model(free, id="b", limit_key="b")]
    ran = bench.run(bench.plan(models=models, cases=10, concurrency=1))
    first, second = ran.outcome.combos
    assert limited.calls == 3
    assert (first.passed, first.errors, first.not_run) == (2, 1, 7)
    assert second.passed == 10
    assert accounted(ran.outcome)
    assert any("00:00 UTC" in note for note in ran.outcome.notes)
    assert [one.id for one in ran.results if one.model == "a"] == ["c0", "c1", "c2"]


def test_an_answer_that_no_judge_could_judge_any_more_is_not_paid_for(
    bench: Any, scripted: Any, remembering: Any
) -> None:
    spent = ProviderError("out of credit", exhausted=True)
    bench.judges["judge"] = bench.model(scripted(["yes", spent]), id="judge", limit_key="judge")

    async def judge(case: Case, output: Output, ask: Ask) -> Score:
        await ask.complete(model="judge", messages=[*output.messages])
        return Score(value=1.0, passed=True)

    model = scripted()
    plan = bench.plan(model, scorers=[bench.scorer(judge)], cases=10, concurrency=1, cache=remembering.bound())
    ran = bench.run(plan)
    assert [one.status for one in ran.results] == [
        Status.SCORED,
        Status.JUDGE_API_ERROR,
        # The first that finds the judge gone has its answer already, and keeps it.
        Status.JUDGE_API_ERROR,
    ]
    assert model.calls == 3
    assert ran.combo.not_run == 7


# --- rate limits


def test_a_rate_limit_is_felt_by_all_and_told_at_the_end(bench: Any, scripted: Any) -> None:
    model = scripted([LIMITED] * 8 + ["good"])
    bound = bench.model(model, policy=CallPolicy(retries=3, backoff_s=0.001))
    ran = bench.run(bench.plan(bound, cases=30, concurrency=8))
    assert ran.combo.passed == 30
    assert any("calls at once were cut from 8 to 4" in note for note in ran.outcome.notes)


# --- interruption


class Slow:
    """A model that takes its time and remembers when it was asked."""

    def __init__(self, seconds: float = 0.02) -> None:
        self.seconds = seconds
        self.asked: list[float] = []
        self.answered = 0

    async def complete(self, request: Any) -> Completion:
        self.asked.append(time.monotonic())
        await asyncio.sleep(self.seconds)
        self.answered += 1
        return Completion(text="good", cost_usd=0.001)


async def interrupted(bench: Any, plan: Any, when: Any, journal: Any = None) -> tuple[Any, float]:
    """Cancel a run as soon as ``when()`` is true; return what came of it and when it was cancelled."""
    task = asyncio.ensure_future(bench.execute(plan, journal=journal))
    while not when():
        await asyncio.sleep(0.001)
    cancelled = time.monotonic()
    task.cancel()
    return await task, cancelled


def test_an_interruption_stops_at_once_and_keeps_what_is_done(bench: Any, remembering: Any) -> None:
    model = Slow()
    plan = bench.plan(model.complete, cases=200, concurrency=4, cache=remembering.bound())
    ran, cancelled = asyncio.run(interrupted(bench, plan, lambda: model.answered >= 10))
    assert time.monotonic() - cancelled < 30
    assert all(asked <= cancelled for asked in model.asked)
    assert ran.outcome.interrupted
    assert accounted(ran.outcome)
    assert (ran.combo.total, ran.combo.not_run) == (200, 200 - ran.combo.passed)
    assert ran.combo.passed == len(ran.results) > 0
    assert len(remembering.kept) == model.answered >= 10


def test_after_an_interruption_the_caller_may_go_on_awaiting(bench: Any) -> None:
    async def scene() -> bool:
        async def whole() -> bool:
            model = Slow(60)
            ran = await bench.execute(bench.plan(model.complete))
            await asyncio.sleep(0.001)
            task = asyncio.current_task()
            assert task is not None
            return bool(ran.outcome.interrupted and task.cancelling() == 0)

        task = asyncio.ensure_future(whole())
        await asyncio.sleep(0.01)
        task.cancel()
        return await task

    assert asyncio.run(scene())


def test_an_interruption_does_not_wait_for_a_thread_that_hangs(bench: Any) -> None:
    release, begun = threading.Event(), threading.Event()

    def hang(request: Any) -> Completion:
        begun.set()
        release.wait(30)
        return Completion(text="good")

    model = settle(hang, inline=False, threads=Threads())
    ran, cancelled = asyncio.run(interrupted(bench, bench.plan(model), begun.is_set))
    assert time.monotonic() - cancelled < 30
    release.set()
    assert (ran.outcome.interrupted, ran.combo.not_run) == (True, 1)


def test_a_provider_that_never_waits_leaves_room_for_an_interruption(bench: Any) -> None:
    count = 0

    def instantly(request: Any) -> Completion:
        nonlocal count
        count += 1
        return Completion(text="good")

    class Endless:
        def __iter__(self) -> Iterator[Case]:
            number = 0
            while True:
                yield Case(id=f"c{number}")
                number += 1

    plan = bench.plan(settle(instantly, inline=True, threads=Threads()), cases=Endless())
    ran, _cancelled = asyncio.run(interrupted(bench, plan, lambda: count > 50))
    assert ran.outcome.interrupted
    assert ran.combo.passed == len(ran.results)


def test_after_an_interruption_cases_that_nobody_counted_are_counted(bench: Any) -> None:
    model = Slow()
    plan = bench.plan(model.complete, cases=300, case_count=None, concurrency=2)
    ran, _cancelled = asyncio.run(interrupted(bench, plan, lambda: model.answered >= 4))
    assert ran.combo.total == 300


# --- resuming


def record_of(outcome: Any) -> list[Any]:
    """Everything that a record holds of a run, but for the time that calls took."""
    return [
        (
            [
                (one.id, one.status, one.passed, one.score, one.runs[0].response, one.runs[0].cost_usd)
                for one in combo.cases
            ],
            (combo.total, combo.passed, combo.failed, combo.errors, combo.not_run, combo.score),
            (combo.cost_usd, combo.spent_usd, combo.prompt_tokens, combo.tags),
        )
        for combo in outcome.combos
    ]


def test_a_resumed_run_ends_as_an_undisturbed_one_and_pays_for_nothing_twice(bench: Any, scripted: Any) -> None:
    asked: list[str] = []

    async def complete(request: Any) -> Completion:
        asked.append(request.messages[0].content)
        await asyncio.sleep(0.001)
        return Completion(text="bad" if request.messages[0].content.endswith("3") else "good", cost_usd=0.1)

    def plan() -> Any:
        models = [bench.model(complete, id="a"), bench.model(complete, id="b")]
        return bench.plan(models=models, cases=bench.cases(40, tags=("t",)), concurrency=4)

    undisturbed = bench.run(plan())
    asked.clear()
    journal = bench.journal(plan())
    cut, _ = asyncio.run(interrupted(bench, plan(), lambda: len(asked) > 50, journal))
    done = sum(one.passed + one.failed for one in cut.outcome.combos)
    assert 40 < done < 80
    asked.clear()
    resumed = bench.run(plan(), journal=bench.reopened(journal, plan()))
    assert len(asked) == 80 - done
    assert record_of(resumed.outcome) == record_of(undisturbed.outcome)
    assert [(one.model, one.id) for one in resumed.results] == [(one.model, one.id) for one in undisturbed.results]
    assert resumed.outcome.spent_usd == pytest.approx(8.0)


def test_cases_that_failed_with_an_error_are_tried_again_when_a_run_is_resumed(bench: Any, scripted: Any) -> None:
    plan = bench.plan(scripted(["good", ProviderError("down"), "good"]), cases=3, concurrency=1)
    journal = bench.journal(plan)
    assert bench.run(plan, journal=journal).combo.errors == 1
    model = scripted()
    again = bench.plan(model, cases=3)
    ran = bench.run(again, journal=bench.reopened(journal, again))
    assert model.prompts() == ["Q c1"]
    assert (ran.combo.passed, ran.combo.errors) == (3, 0)
    assert [one.id for one in ran.results] == ["c0", "c1", "c2"]
    assert [one.status for one in ran.combo.cases] == [Status.SCORED] * 3


def test_a_resumed_run_counts_what_was_paid_before_against_its_budget(bench: Any, scripted: Any) -> None:
    plan = bench.plan(scripted(cost_usd=0.1), cases=20, concurrency=1, max_cost_usd=0.3)
    journal = bench.journal(plan)
    bench.run(plan, journal=journal)
    model = scripted(cost_usd=0.1)
    again = bench.plan(model, cases=20, concurrency=1, max_cost_usd=0.5)
    ran = bench.run(again, journal=bench.reopened(journal, again))
    assert model.calls == 2
    assert (ran.combo.passed, ran.combo.not_run) == (5, 15)


def test_a_case_that_is_another_one_now_is_not_taken_over(bench: Any, scripted: Any) -> None:
    plan = bench.plan(scripted(), cases=(Case(id="a"), Case(id="b")))
    journal = bench.journal(plan)
    bench.run(plan, journal=journal)
    model = scripted()
    again = bench.plan(model, cases=(Case(id="b"), Case(id="a")))
    ran = bench.run(again, journal=bench.reopened(journal, again))
    assert sorted(model.prompts()) == ["Q a", "Q b"]
    assert [one.id for one in ran.results] == ["b", "a"]


def test_a_run_that_is_interrupted_twice_keeps_what_both_parts_have_done(bench: Any) -> None:
    def plan(model: Any) -> Any:
        return bench.plan(model.complete, cases=100, concurrency=4)

    first = Slow(0.001)
    journal = bench.journal(plan(first))
    cut, _ = asyncio.run(interrupted(bench, plan(first), lambda: first.answered >= 50, journal))
    done = cut.combo.passed

    async def at_once(again: Any) -> Any:
        task = asyncio.ensure_future(bench.execute(plan(Slow()), journal=again))
        await asyncio.sleep(0)
        task.cancel()
        return await task

    ran = asyncio.run(at_once(bench.reopened(journal, plan(first))))
    assert ran.outcome.interrupted
    assert (ran.combo.passed, ran.combo.total) == (done, 100)
    assert len(ran.combo.cases) == len(ran.results) == done


def test_a_listener_that_fails_ends_the_run_rather_than_being_ignored(bench: Any) -> None:
    def fail(result: Any) -> None:
        raise ValueError("listener")

    with pytest.raises(ValueError, match="listener"):
        bench.run(bench.plan(cases=3), on_case=fail)
