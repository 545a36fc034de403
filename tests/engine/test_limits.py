from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from steelyard._engine.faults import NotMadeError
from steelyard._engine.limits import Lane, Limits


def play(scene: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(scene, 60))


async def settled() -> None:
    """Let everything that can go on go on."""
    for _ in range(10):
        await asyncio.sleep(0)


async def waiting(limits: Limits, lane: Lane, count: int) -> list[asyncio.Task[int]]:
    tasks = [asyncio.ensure_future(limits.enter(lane)) for _ in range(count)]
    await settled()
    return tasks


def admitted(tasks: list[asyncio.Task[int]]) -> int:
    return sum(task.done() and not task.cancelled() for task in tasks)


async def drop(tasks: list[asyncio.Task[int]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_no_more_calls_are_in_flight_than_the_ceiling_over_all_servers() -> None:
    async def scene() -> None:
        limits = Limits(3)
        one, other = limits.lane("a", "a"), limits.lane("b", "b")
        first, second = await waiting(limits, one, 2), await waiting(limits, other, 2)
        assert admitted(first) + admitted(second) == 3
        limits.leave(one)
        await settled()
        assert admitted(second) == 2
        await drop(first + second)

    play(scene())


def test_places_go_to_those_that_wait_longest() -> None:
    async def scene() -> None:
        limits = Limits(1)
        lane = limits.lane("a", "a")
        tasks = await waiting(limits, lane, 3)
        for done in (1, 2, 3):
            assert [task.done() for task in tasks] == [number < done for number in range(3)]
            limits.leave(lane)
            await settled()

    play(scene())


def test_a_call_given_up_while_it_waits_takes_no_place() -> None:
    async def scene() -> None:
        limits = Limits(1)
        lane = limits.lane("a", "a")
        first, second, third = await waiting(limits, lane, 3)
        second.cancel()
        limits.leave(lane)
        await settled()
        assert third.done()
        await drop([first, second, third])
        assert lane.active == 1

    play(scene())


def test_a_place_given_in_the_moment_of_giving_up_is_given_back() -> None:
    async def scene() -> None:
        limits = Limits(1)
        lane = limits.lane("a", "a")
        _first, second, third = await waiting(limits, lane, 3)
        limits.leave(lane)
        second.cancel()
        await settled()
        assert third.done()
        assert lane.active == 1

    play(scene())


def test_a_rate_limit_holds_every_call_to_that_server_and_no_other() -> None:
    async def scene() -> None:
        limits = Limits(10)
        lane, other = limits.lane("a", "a"), limits.lane("b", "b")
        began = await limits.enter(lane)
        limits.rate_limited(lane, began=began, wait_s=0.05)
        limits.leave(lane)
        held = await waiting(limits, lane, 2)
        assert admitted(held) == 0
        await asyncio.wait_for(limits.enter(other), 0.02)
        started = asyncio.get_running_loop().time()
        await asyncio.gather(*held)
        assert asyncio.get_running_loop().time() - started >= 0.02

    play(scene())


def test_a_burst_of_refusals_halves_the_lane_once() -> None:
    async def scene() -> None:
        limits = Limits(16)
        lane = limits.lane("a", "a")
        begun = [await limits.enter(lane) for _ in range(16)]
        for began in begun:
            limits.rate_limited(lane, began=began, wait_s=0.0)
            limits.leave(lane)
        assert lane.width == 8
        tasks = await waiting(limits, lane, 16)
        assert admitted(tasks) == 8
        again = tasks[0].result()
        limits.rate_limited(lane, began=again, wait_s=0.0)
        assert lane.width == 4
        await drop(tasks)

    play(scene())


def test_a_lane_never_closes_for_refusals_alone() -> None:
    async def scene() -> None:
        limits = Limits(4)
        lane = limits.lane("a", "a")
        for _ in range(10):
            began = await limits.enter(lane)
            limits.rate_limited(lane, began=began, wait_s=0.0)
            limits.leave(lane)
        assert lane.width == 1

    play(scene())


async def succeed(limits: Limits, lane: Lane, rounds: int) -> None:
    """Fill the lane and let every call succeed, so many times."""
    for _ in range(rounds):
        width = lane.width
        for _ in range(width):
            await limits.enter(lane)
        for _ in range(width):
            limits.succeeded(lane)
        for _ in range(width):
            limits.leave(lane)


async def cut(limits: Limits, lane: Lane) -> None:
    began = await limits.enter(lane)
    limits.rate_limited(lane, began=began, wait_s=0.0)
    limits.leave(lane)


def test_a_full_lane_widens_by_one_for_each_round_of_successes_up_to_the_ceiling() -> None:
    async def scene() -> None:
        limits = Limits(8)
        lane = limits.lane("a", "a")
        await cut(limits, lane)
        assert lane.width == 4
        await succeed(limits, lane, 1)
        assert lane.width == 5
        await succeed(limits, lane, 10)
        assert lane.width == 8

    play(scene())


def test_a_lane_that_is_not_full_does_not_widen() -> None:
    async def scene() -> None:
        limits = Limits(8)
        lane = limits.lane("a", "a")
        await cut(limits, lane)
        for _ in range(50):
            await limits.enter(lane)
            limits.succeeded(lane)
            limits.leave(lane)
        assert lane.width == 4

    play(scene())


def test_a_server_that_stumbles_keeps_its_lane_from_widening() -> None:
    async def scene() -> None:
        limits = Limits(8)
        lane = limits.lane("a", "a")
        await cut(limits, lane)
        limits.stumbled(lane)
        await succeed(limits, lane, 1)
        assert lane.width == 4
        await succeed(limits, lane, 1)
        assert lane.width == 5

    play(scene())


def test_a_closed_lane_refuses_those_that_wait_and_those_that_come() -> None:
    async def scene() -> None:
        limits = Limits(1)
        lane = limits.lane("a", "a")
        _first, second = await waiting(limits, lane, 2)
        limits.close(lane, "the credit is used up")
        with pytest.raises(NotMadeError, match="the credit is used up"):
            await second
        limits.leave(lane)
        with pytest.raises(NotMadeError, match="the credit is used up"):
            await limits.enter(lane)

    play(scene())


def test_a_cut_is_told_once_when_it_happens_and_summed_up_at_the_end() -> None:
    async def scene() -> None:
        said: list[str] = []
        limits = Limits(8, warn=said.append)
        lane = limits.lane("a", "my-provider")
        await cut(limits, lane)
        await cut(limits, lane)
        await succeed(limits, lane, 1)
        assert len(said) == 1
        assert "my-provider: rate-limited" in said[0]
        (note,) = limits.notes()
        assert note == "my-provider: rate-limited; calls at once were cut from 8 to 2 and grew back to 3"

    play(scene())


def test_nothing_is_noted_when_nothing_happened() -> None:
    limits = Limits(8)
    limits.lane("a", "a")
    assert limits.notes() == ()
