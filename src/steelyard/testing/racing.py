"""Many threads at once, taking turns as often as possible, so that a race shows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

THREADS = 8


def race(work: Callable[[int], None]) -> None:
    """Call ``work(number)`` in several threads that start together; raise what the first of them raised."""
    failures: list[BaseException] = []
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:
            failures.append(error)

    with _quick_switching():
        threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


@contextmanager
def _quick_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
