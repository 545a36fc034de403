"""Which processes a program has started, what they use together, and how to end those that tried to get away.

Read from ``/proc``; where there is none (macOS, Windows) nothing is found, and only the limits of the operating system
and the process group hold.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_SHARED = re.compile(
    rb"^(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) ...s \S+ (?P<inode>\S+ \d+) +/(?:dev/zero|memfd:|SYSV).*$", re.MULTILINE
)
_HUNT_S = 2.0
"""How long stragglers are looked for; one that starts another in the meantime needs a second look."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a process and everything below it use at a moment."""

    processes: int
    memory_bytes: int
    newest: int
    """One of the youngest processes, which is inside any sandbox."""


def use_of(pid: int) -> Use:
    """Add up a process and its descendants."""
    own, seen, count, newest = 0, 0, 0, pid
    shared: dict[bytes, int] = {}
    waiting = [pid]
    while waiting:
        one = waiting.pop()
        count += 1
        newest = max(newest, one)
        anonymous, mapped = _memory_of(one)
        own, seen = own + anonymous, seen + mapped
        shared.update(_shared_by(one))
        waiting.extend(_children_of(one))
    # What a process has filled and others only hold stands in no account but that of the mapping itself.
    return Use(processes=count, memory_bytes=own + max(seen, sum(shared.values())), newest=newest)


def tasks_of(uid: int) -> int:
    """Count the processes and threads of a user: the system's limit is on all of them, not on ours alone."""
    count = 0
    for pid in _all():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            process = _PROC / str(pid)
            count += sum(1 for _ in (process / "task").iterdir()) if process.stat().st_uid == uid else 0
    return count


def end_stragglers(*, uid: int | None, sign: str) -> None:
    """Kill every process of ``uid``, a user that exists for one run; without one, every process that bears the sign.

    The sign is an environment variable, which a process can get rid of on purpose, but does not by daemonising.
    """
    until = time.monotonic() + _HUNT_S
    while time.monotonic() < until:
        found = [pid for pid in _all() if _is_owned(pid, uid) or (uid is None and _bears(pid, sign))]
        if not found or sys.platform == "win32":
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _all() -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())


def _children_of(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError, ValueError):
        for task in (_PROC / str(pid) / "task").iterdir():
            yield from map(int, (task / "children").read_text("ascii").split())


def _memory_of(pid: int) -> tuple[int, int]:
    """Return the bytes that a process holds by itself and together with others, without programs and libraries."""
    found = {b"RssAnon": 0, b"RssShmem": 0}
    with contextlib.suppress(OSError, ValueError):
        for line in (_PROC / str(pid) / "status").read_bytes().splitlines():
            name, _, value = line.partition(b":")
            if name in found:
                found[name] = int(value.split()[0]) * 1024
    return found[b"RssAnon"], found[b"RssShmem"]


def _shared_by(pid: int) -> dict[bytes, int]:
    """Return the bytes of memory that a process can share and that lies in no file, by what identifies it."""
    found: dict[bytes, int] = {}
    with contextlib.suppress(OSError):
        for mapping in _SHARED.finditer((_PROC / str(pid) / "maps").read_bytes()):
            size = int(mapping["end"], 16) - int(mapping["start"], 16)
            found[mapping["inode"]] = max(size, found.get(mapping["inode"], 0))
    return found


def _is_owned(pid: int, uid: int | None) -> bool:
    with contextlib.suppress(OSError):
        return uid is not None and (_PROC / str(pid)).stat().st_uid == uid and not _is_dead(pid)
    return False


def _bears(pid: int, sign: str) -> bool:
    with contextlib.suppress(OSError):
        return sign.encode() in (_PROC / str(pid) / "environ").read_bytes()
    return False


def _is_dead(pid: int) -> bool:
    """Whether a process has ended and only waits for its parent to ask: it cannot be killed any more."""
    with contextlib.suppress(OSError, IndexError):
        return (_PROC / str(pid) / "stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] in "ZX"
    return True
