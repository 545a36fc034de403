"""How much a program may use, and how the operating system is made to hold it to that.

A shell sets the limits and then becomes the program. That takes a millisecond, needs no Python inside a sandbox, and
runs nothing of ours between fork and exec in a process with threads, as a ``preexec_fn`` would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PROCESSES = 64
"""Processes and threads at once. Node.js needs about ten by itself."""
OPEN_FILES = 256
MEBIBYTE = 1024 * 1024

_BLOCK_BYTES = 512
_LAUNCHER = """\
{
ulimit -c 0; ulimit -t "$1"; ulimit -f "$2"; ulimit -d "$3"; ulimit -n "$4"; ulimit -u "$5" || ulimit -p "$5"
} 2>/dev/null
shift 5
exec "$@"
"""
"""A limit that the system does not know, or that is stricter already, is passed over; ``-p`` is dash's ``-u``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one run may use."""

    timeout_s: float
    memory_bytes: int
    """For each process, and for all of them together."""
    output_bytes: int
    disk_bytes: int
    """For each file, and for all of them together."""


def limited(command: Sequence[str], limits: Limits, *, processes: int = PROCESSES) -> list[str]:
    """Return a command line that sets the limits and then becomes ``command``."""
    numbers = (
        # Seconds of processor time in each process: the net under the wall clock, for what escapes being ended.
        max(1, round(limits.timeout_s + 1)),
        -(-limits.disk_bytes // _BLOCK_BYTES),
        limits.memory_bytes // 1024,
        OPEN_FILES,
        processes,
    )
    return ["/bin/sh", "-c", _LAUNCHER, "sh", *map(str, numbers), *command]
