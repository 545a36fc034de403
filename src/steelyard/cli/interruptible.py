"""A run on an event loop, and what Ctrl-C does to it.

The event loop's own way is to raise from wherever the second Ctrl-C finds the program, also in the middle of cleaning
up or of a destructor, where nobody can catch it. Here the first one cancels, and the second ends the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from types import FrameType
from typing import Any, Final, Generic, TypeVar

from . import interrupt
from .exit_codes import INTERRUPTED

T = TypeVar("T")

_SHOW_CURSOR: Final = "\x1b[?25h"
"""A live display hides it, and has no time to bring it back."""


def run_interruptibly(work: Coroutine[Any, Any, T], *, last_words: str) -> T:
    """Run a coroutine to its end on an event loop of its own.

    Raises ``KeyboardInterrupt`` when the user, or a request to terminate, has stopped it.

    Args:
        work: Cancelled by the first interrupt; it may then take its time to put things in order.
        last_words: Said when a second interrupt does not leave it that time.
    """
    return _Interruptible(work, last_words).run()


class _Interruptible(Generic[T]):
    def __init__(self, work: Coroutine[Any, Any, T], last_words: str) -> None:
        self._work = work
        self._last_words = last_words
        self._task: asyncio.Task[Any] | None = None
        self._has_waited = False
        self._interrupts = 0

    def run(self) -> T:
        before = self._listen()
        try:
            return asyncio.run(self._main())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            if self._interrupts:
                interrupt.end_at_the_next()

    async def _main(self) -> T:
        self._task = asyncio.current_task()
        asyncio.get_running_loop().call_soon(self._note_the_first_wait)
        return await self._work

    def _note_the_first_wait(self) -> None:
        self._has_waited = True

    def _listen(self) -> dict[int, Any]:
        if threading.current_thread() is not threading.main_thread():
            return {}
        numbers = [getattr(signal, name, None) for name in interrupt.SIGNALS]
        listened = [number for number in numbers if number and signal.getsignal(number) is not signal.SIG_IGN]
        return {number: signal.signal(number, self._on_signal) for number in listened}

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._interrupts += 1
        if self._interrupts > 1:
            self._end_at_once()
        elif self._task is None or not self._has_waited:
            # Files are still being read and checked, which awaits nothing: a cancellation would not be heard.
            raise KeyboardInterrupt
        else:
            self._task.cancel()
            # Closed already, it has nothing more to do; what comes after the work hears of the interrupt.
            with contextlib.suppress(RuntimeError):
                # Wakes the loop, which may be waiting for a server.
                self._task.get_loop().call_soon_threadsafe(lambda: None)

    def _end_at_once(self) -> None:
        restore = _SHOW_CURSOR if sys.stderr.isatty() else ""
        try:
            os.write(2, f"{restore}{self._last_words}\n".encode(sys.stderr.encoding, "replace"))
        finally:
            os._exit(INTERRUPTED)
