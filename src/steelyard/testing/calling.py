"""How a test calls a method of a component that may be plain or ``async``, without caring which."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Calls:
    """One event loop, for components that keep something open between calls. A context manager.

    ::

        with Calls() as calls:
            assert calls(cache.get, key) is None
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def __enter__(self) -> Calls:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the loop."""
        self._runner.close()

    def __call__(self, function: Callable[..., Any], *arguments: Any, timeout_s: float | None = None) -> Any:
        """Call ``function`` and return what it returns, awaited if need be.

        A coroutine that takes more than ``timeout_s`` seconds is cancelled and ``TimeoutError`` raised.
        """

        async def call() -> Any:
            result = function(*arguments)
            if not inspect.isawaitable(result):
                return result
            async with asyncio.timeout(timeout_s):
                return await result

        return self._runner.run(call())


def settled(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call ``function`` and return what it returns, awaited on an event loop of its own if need be."""
    result = function(*arguments)
    if not inspect.isawaitable(result):
        return result
    with Calls() as calls:
        return calls(lambda: result)


def close(component: object, calls: Calls | None = None) -> None:
    """Close a component, if it can be closed."""
    method = getattr(component, "close", None)
    if method is not None:
        (calls or settled)(method)


def within(seconds: float, function: Callable[[], T]) -> T:
    """Call ``function`` in a thread of its own and return what it returns, or raise what it raises.

    ``AssertionError`` when it takes longer; the thread is then left behind.
    """
    outcome: list[tuple[bool, Any]] = []

    def run() -> None:
        try:
            outcome.append((True, function()))
        except BaseException as error:
            outcome.append((False, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise AssertionError(f"it took more than {seconds:g} s")
    succeeded, value = outcome[0]
    if not succeeded:
        raise value
    return cast(T, value)
