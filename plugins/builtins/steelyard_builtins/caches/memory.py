"""The memory cache: replies are kept until the process ends, and nothing is written anywhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import Cache, CacheSpec, CacheStats, NoSettings, PluginContext


class MemoryCache:
    """Replies in a dictionary."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[bytes, float]] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """Return what was put under ``key``, or ``None``."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def put(self, key: str, value: bytes) -> None:
        """Keep ``value``, replacing what was there."""
        with self._lock:
            self._entries[key] = (value, time.monotonic())

    def clear(self) -> int:
        """Forget every entry and return how many there were."""
        with self._lock:
            count = len(self._entries)
            self._entries.clear()
        return count

    def prune(self, older_than_s: float) -> int:
        """Forget the entries put more than so many seconds ago and return how many there were."""
        limit = time.monotonic() - older_than_s
        with self._lock:
            old = [key for key, (_value, stored_at) in self._entries.items() if stored_at < limit]
            for key in old:
                del self._entries[key]
        return len(old)

    def stats(self) -> CacheStats:
        """Count the entries and their bytes."""
        with self._lock:
            size = sum(len(value) for value, _stored_at in self._entries.values())
            return CacheStats(entries=len(self._entries), size_bytes=size, place="the memory of this process")


def create(settings: NoSettings, context: PluginContext) -> Cache:
    """Make an empty cache."""
    del settings, context
    return MemoryCache()


@hookimpl
def steelyard_register_caches() -> Iterable[CacheSpec[NoSettings]]:
    """Offer the cache."""
    return [
        CacheSpec(
            name="memory",
            summary="Replies in memory, gone when the process ends",
            settings=NoSettings,
            create=create,
            inline=True,
        )
    ]
