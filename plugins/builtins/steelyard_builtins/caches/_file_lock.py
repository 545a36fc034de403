"""One process at a time, by a lock on a file that the system takes away when its holder ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try_to_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_to_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


RETRY_S = 0.005


@contextlib.contextmanager
def file_lock(path: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock of ``path``, a file that is made for this and is gone afterwards.

    Raises ``TimeoutError`` when another process holds it for too long, and other ``OSError`` when there can be no such
    file.
    """
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        _wait_for(descriptor, path, patience_s)
        try:
            yield
        finally:
            # Gone before the lock is let go: who waits for it gets it all the same, who comes later makes a new one.
            with contextlib.suppress(OSError):
                path.unlink()
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, path: Path, patience_s: float) -> None:
    give_up = time.monotonic() + patience_s
    while not _locked(descriptor):
        if time.monotonic() > give_up:
            raise TimeoutError(f"{path}: another process has held this lock for {patience_s:g} s")
        time.sleep(RETRY_S)


def _locked(descriptor: int) -> bool:
    try:
        _try_to_lock(descriptor)
    except OSError:
        return False
    return True
