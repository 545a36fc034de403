"""How plain functions are called from the event loop without stopping it.

Which way a function is called is settled once, when a component is bound. Worker threads are daemons: a plugin that
hangs neither holds the process open nor stands in the way of Ctrl-C. That is also why this is no
``ThreadPoolExecutor``, whose threads are joined at exit.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar, cast

from .stdout import printing_aside

P = ParamSpec("P")
T = TypeVar("T")

IDLE_S = 10.0
"""Seconds that a worker without work stays."""


class _Job:
    """One call of a plain function, on its way to a thread and back."""

    __slots__ = ("_call", "_future", "_loop")

    def __init__(self, call: Callable[[], Any], loop: asyncio.AbstractEventLoop) -> None:
        self._call = call
        self._loop = loop
        self._future: asyncio.Future[tuple[bool, Any]] = loop.create_future()

    async def result(self) -> Any:
        """Wait for the call and return what it returned, or raise what it raised."""
        succeeded, value = await self._future
        if succeeded:
            return value
        if isinstance(value, GeneratorExit):
            # Raised by hand it would mean to this coroutine that it is being thrown away.
            raise RuntimeError("raised GeneratorExit") from value
        raise cast(BaseException, value)

    def run(self) -> None:
        """Make the call; in the worker thread."""
        try:
            with printing_aside():
                answer = (True, self._call())
        except BaseException as error:
            answer = (False, error)
        try:
            self._loop.call_soon_threadsafe(self._deliver, answer)
        except RuntimeError:
            # The loop is closed: the run is over and nobody waits.
            return

    def _deliver(self, answer: tuple[bool, Any]) -> None:
        if not self._future.done():
            self._future.set_result(answer)


class Threads:
    """Daemon threads that are started as they are needed and go when there is nothing to do.

    Their number has no limit of its own: each call in a thread belongs to a case in progress, and a limit could make a
    scorer that waits for a model starve the very thread that would answer it.
    """

    def __init__(self, name: str = "steelyard") -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._idle = 0
        self._lock = threading.Lock()

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a plain function in a worker thread and return what it returns."""
        job = _Job(lambda: function(*args, **kwargs), asyncio.get_running_loop())
        with self._lock:
            start = self._idle == 0
            if not start:
                self._idle -= 1
        self._jobs.put(job)
        if start:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return cast(T, await job.result())

    def _work(self) -> None:
        while True:
            job = self._next()
            if job is None:
                return
            job.run()
            # Lets go of the result before the thread waits for more work.
            del job
            with self._lock:
                self._idle += 1

    def _next(self) -> _Job | None:
        while True:
            try:
                return self._jobs.get(timeout=IDLE_S)
            except Empty:
                with self._lock:
                    if self._idle:
                        self._idle -= 1
                        return None
                # Every waiting thread is spoken for: a job for this one is on its way.


def is_plain(function: Callable[..., Any]) -> bool:
    """Whether a function is no coroutine function."""
    return not (
        inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
    )


def settle(function: Callable[..., Any], *, inline: bool, threads: Threads) -> Callable[..., Awaitable[Any]]:
    """Return a coroutine function that calls ``function`` in the way that suits it.

    A coroutine function is returned as it is. A plain one runs in ``threads``, or on the event loop itself when it is
    ``inline``; if what it returns is awaitable, that is awaited on the loop.
    """
    if not is_plain(function):
        return function

    async def call_inline(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return await result if inspect.isawaitable(result) else result

    async def call_in_thread(*args: Any, **kwargs: Any) -> Any:
        result = await threads.call(function, *args, **kwargs)
        return await result if inspect.isawaitable(result) else result

    return call_inline if inline else call_in_thread
