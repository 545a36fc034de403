"""Replies under one prefix on a server. Keys of others are neither counted nor deleted."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence

from steelyard.api import CacheStats

from .entries import HEAD_BYTES, packed, stored_at, unpacked
from .server import Client, Server

_AT_ONCE = 100
"""Replies that are read together: each may be long."""
_SCANNED = 1000
"""Keys that the server looks at in one go: few enough that others hardly wait, enough to get ahead."""
_KEY_DIGITS = 64
_SPECIAL = re.compile(r"([*?\[\]\\^-])")


class RedisCache:
    """Replies on a Redis server."""

    def __init__(self, server: Server, *, prefix: str, ttl_s: float | None) -> None:
        self._server = server
        self._prefix = prefix
        self._ttl_ms = None if ttl_s is None else max(1, round(ttl_s * 1000))
        # Exactly the host's keys: a prefix may be the beginning of another one.
        self._pattern = _SPECIAL.sub(r"\\\1", prefix) + "[0-9a-f]" * _KEY_DIGITS

    def get(self, key: str) -> bytes | None:
        """Return what was put under ``key``, or ``None``."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return what was put under these keys; what is absent is left out."""
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            values = zip(part, map(unpacked, self._entries(part)), strict=True)
            found.update((key, value) for key, value in values if value is not None)
        return found

    def put(self, key: str, value: bytes) -> None:
        """Keep ``value``, replacing what was there."""
        entry = packed(value, time.time())
        self._server.ask(lambda client: client.set(self._prefix + key, entry, px=self._ttl_ms))

    def clear(self) -> int:
        """Forget every entry under the prefix and return how many there were."""
        removed = 0

        def forget(client: Client) -> None:
            nonlocal removed  # also after a restart halfway
            for names in self._names(client):
                removed += client.unlink(*names)

        self._server.ask(forget)
        return removed

    def prune(self, older_than_s: float) -> int:
        """Forget the entries put more than so many seconds ago and return how many there were."""
        limit, removed = time.time() - older_than_s, 0

        def forget(client: Client) -> None:
            nonlocal removed
            for names in self._names(client):
                pipeline = client.pipeline(transaction=False)
                for name in names:
                    pipeline.getrange(name, 0, HEAD_BYTES - 1)
                heads = pipeline.execute(raise_on_error=False)
                old = [name for name, head in zip(names, heads, strict=True) if _is_before(head, limit)]
                removed += client.unlink(*old) if old else 0

        self._server.ask(forget)
        return removed

    def stats(self) -> CacheStats:
        """Count the entries under the prefix and their bytes."""
        place = f"{self._server.shown}, keys {self._prefix}*"
        entries, size = self._server.ask(self._counted)
        return CacheStats(entries=entries, size_bytes=size, place=place)

    def close(self) -> None:
        """Close the connections. They are opened again when they are needed."""
        self._server.close()

    def _entries(self, keys: Sequence[str]) -> Sequence[bytes | None]:
        names = [self._prefix + key for key in keys]
        # MGET also for a single key: a key of another type counts as absent, where GET is an error.
        return self._server.ask(lambda client: client.mget(names))

    def _counted(self, client: Client) -> tuple[int, int]:
        entries, size = 0, 0
        for names in self._names(client):
            pipeline = client.pipeline(transaction=False)
            for name in names:
                pipeline.strlen(name)
            lengths = [length for length in pipeline.execute(raise_on_error=False) if isinstance(length, int)]
            entries += sum(length > 0 for length in lengths)  # 0: expired since
            size += sum(lengths)
        return entries, size

    def _names(self, client: Client) -> Iterator[list[bytes]]:
        """Yield the names of all keys in parts, each name once."""
        seen: set[bytes] = set()
        part: list[bytes] = []
        for name in client.scan_iter(match=self._pattern, count=_SCANNED):
            if name in seen:  # the server may name a key twice while its table grows
                continue
            seen.add(name)
            part.append(name)
            if len(part) == _SCANNED:
                yield part
                part = []
        if part:
            yield part


def _is_before(head: object, limit: float) -> bool:
    stored = stored_at(head) if isinstance(head, bytes) else None
    return stored is not None and stored < limit
