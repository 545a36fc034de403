"""Keeps what plugins and users' functions print out of standard output, which may be JSON that a program reads.

They run in worker threads while the loop's own thread reports, so standard output is divided by the thread: what a
worker prints goes to standard error.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

_LOCK = threading.Lock()
_HERE = threading.local()


class _Divided:
    """Stands in for standard output; everything about it is that of the stream that the thread is to write to."""

    def __init__(self, usual: TextIO) -> None:
        self.usual = usual
        self.users = 0

    def __getattr__(self, name: str) -> Any:
        aside = getattr(_HERE, "aside", False) and sys.stderr is not None
        return getattr(sys.stderr if aside else self.usual, name)


@contextmanager
def printing_aside() -> Iterator[None]:
    """Send what this thread prints meanwhile to standard error."""
    divided = _taken()
    before = getattr(_HERE, "aside", False)
    _HERE.aside = True
    try:
        yield
    finally:
        _HERE.aside = before
        if divided is not None:
            _given_back(divided)


def _taken() -> _Divided | None:
    with _LOCK:
        # Anybody may have put another stream there since.
        current: Any = sys.stdout
        if current is None:
            return None
        divided = current if isinstance(current, _Divided) else _Divided(current)
        divided.users += 1
        sys.stdout = cast(TextIO, divided)
        return divided


def _given_back(divided: _Divided) -> None:
    with _LOCK:
        divided.users -= 1
        if not divided.users and sys.stdout is divided:
            sys.stdout = divided.usual
