"""What lies under a key: a mark, when it was put, and the bytes of the host.

The time is in the entry because the server does not know it: it keeps when a key expires and when it was last read.
"""

from __future__ import annotations

import struct

_MARK = b"sy1\n"
_HEAD = struct.Struct(">4sQ")
HEAD_BYTES = _HEAD.size


def packed(value: bytes, now_s: float) -> bytes:
    """Return what to store for a value that is put now, in seconds since 1970."""
    return _HEAD.pack(_MARK, int(now_s * 1000)) + value


def unpacked(entry: bytes | None) -> bytes | None:
    """Return the value of an entry; ``None`` for what is absent or was put there by something else."""
    return None if entry is None or stored_at(entry) is None else entry[HEAD_BYTES:]


def stored_at(entry: bytes) -> float | None:
    """Return when an entry was put, given at least its first bytes; ``None`` for what is no entry."""
    if len(entry) < HEAD_BYTES:
        return None
    mark, stored_ms = _HEAD.unpack_from(entry)
    return stored_ms / 1000 if mark == _MARK else None
