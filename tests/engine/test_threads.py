from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from steelyard._engine import threads as module
from steelyard._engine.threads import Threads, settle


def play(scene: Any) -> Any:
    return asyncio.run(asyncio.wait_for(scene, 60))


def where() -> int:
    return threading.get_ident()


def test_a_coroutine_function_stays_what_it_is() -> None:
    async def answer() -> int:
        return 1

    assert settle(answer, inline=False, threads=Threads()) is answer


def test_a_plain_function_runs_outside_the_event_loop() -> None:
    async def scene() -> None:
        assert await settle(where, inline=False, threads=Threads())() != threading.get_ident()

    play(scene())


def test_an_inline_function_runs_on_the_event_loop() -> None:
    async def scene() -> None:
        assert await settle(where, inline=True, threads=Threads())() == threading.get_ident()

    play(scene())


class Awaiting:
    async def __call__(self, value: int) -> int:
        return value


async def doubled(value: int) -> int:
    return 2 * value


def returning_awaitable(value: int) -> Any:
    return doubled(value)


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize(
    ("function", "wanted"),
    [(Awaiting(), 4), (returning_awaitable, 8), (functools.partial(doubled), 8), (lambda value: value, 4)],
)
def test_what_a_function_returns_is_awaited_where_it_can_be(function: Any, wanted: int, inline: bool) -> None:
    async def scene() -> None:
        assert await settle(function, inline=inline, threads=Threads())(4) == wanted

    play(scene())


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), RecursionError()])
def test_what_a_function_raises_reaches_whoever_waits(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def scene() -> None:
        with pytest.raises(type(error)):
            await Threads().call(fail)

    play(scene())


def test_a_stop_iteration_does_not_end_the_waiting_in_silence() -> None:
    def fail() -> None:
        raise StopIteration

    async def scene() -> None:
        with pytest.raises(RuntimeError):
            await Threads().call(fail)

    play(scene())


def test_calls_run_side_by_side_however_many_there_are() -> None:
    async def scene() -> None:
        together = threading.Barrier(40, timeout=5)
        pool = Threads()
        await asyncio.gather(*(pool.call(together.wait) for _ in range(40)))

    play(scene())


def test_threads_are_used_again() -> None:
    async def scene() -> None:
        pool = Threads()
        seen = set()
        for _ in range(20):
            seen.add(await pool.call(where))
            # The thread reports back before it is idle again.
            while not pool._idle:
                await asyncio.sleep(0.001)
        assert len(seen) == 1

    play(scene())


def test_idle_threads_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.01)

    async def scene() -> None:
        pool = Threads("short-lived")
        await asyncio.gather(*(pool.call(time.sleep, 0.001) for _ in range(5)))
        for _ in range(200):
            if not any(thread.name == "short-lived" for thread in threading.enumerate()):
                break
            await asyncio.sleep(0.01)
        else:
            pytest.fail("threads stayed")
        assert await pool.call(lambda: "still works") == "still works"

    play(scene())


HANGING = """
import asyncio, threading, time
from steelyard._engine.threads import Threads

async def main():
    try:
        await asyncio.wait_for(Threads().call(time.sleep, 60), 0.05)
    except TimeoutError:
        print("given up", flush=True)

asyncio.run(main())
"""


def test_a_function_that_hangs_does_not_keep_the_process_alive() -> None:
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "given up\n"
    assert done.stderr == ""
    assert time.monotonic() - started < 20
