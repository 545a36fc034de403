"""How a command is stopped from outside: by Ctrl-C, or by the signal that a CI job or a service manager sends."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Final

from .exit_codes import INTERRUPTED

_TERMINATION: Final = ("SIGTERM", "SIGBREAK")
"""SIGBREAK is Ctrl-Break, the one such signal that reaches a program on Windows."""

SIGNALS: Final = ("SIGINT", *_TERMINATION)
"""The names of all signals that stop a command, whether or not this system has them."""


def listen() -> None:
    """Let a request to terminate stop the program as Ctrl-C does, so that it loses no more than that."""
    for name in _TERMINATION:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            _handle(number, _as_interrupt)


def end_at_the_next() -> None:
    """From now on another Ctrl-C ends the process at once and without a word: the goodbye is being said."""
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            _handle(number, _end)


def stop_if_asked() -> None:
    """Raise ``KeyboardInterrupt`` when a request to stop came too late for what it was meant for."""
    numbers = [getattr(signal, name, None) for name in SIGNALS]
    if any(number is not None and signal.getsignal(number) is _end for number in numbers):
        raise KeyboardInterrupt


def _handle(number: int, action: object) -> None:
    if threading.current_thread() is threading.main_thread():
        signal.signal(number, action)  # type: ignore[arg-type]


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    # Whoever listens for Ctrl-C now, an event loop say, knows best how to stop; when it is being ignored (a job started
    # in the background), nobody listens.
    if signal.getsignal(signal.SIGINT) in {signal.SIG_IGN, signal.SIG_DFL, None}:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)
