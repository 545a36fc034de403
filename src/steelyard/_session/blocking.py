"""Doing asynchronous work from code that is not: here, or in a thread where an event loop is running already."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def blocking(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end and return its result, or raise what it raised."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run_apart() -> None:
        try:
            outcome.append(asyncio.run(work()))
        except BaseException as exc:
            failure.append(exc)

    thread = threading.Thread(target=run_apart, name="steelyard run", daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
