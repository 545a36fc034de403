"""Caches: what keeps replies. The host owns the keys and the bytes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol

from .plugin import PluginContext, S


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """What a cache holds."""

    entries: int
    size_bytes: int | None
    """``None`` when the backend cannot tell."""
    place: str
    """Where it is, for a person: a path or an address without a password."""


class Cache(Protocol):
    """Keeps bytes under a key. Several processes may use the same cache at once.

    Each method may be ``async def``. Plain functions run in worker threads, several at once, unless the spec says
    ``inline``. A cache that raises costs the run its caching, not its results: the user is told once.
    """

    def get(self, key: str) -> bytes | Awaitable[bytes | None] | None:
        """Return what was put under ``key`` (64 lower-case hexadecimal digits), or ``None``.

        An entry that is damaged counts as absent. Raise only when the cache as a whole cannot be used.
        """

    def put(self, key: str, value: bytes) -> Awaitable[None] | None:
        """Keep ``value``, replacing what was there. Whole or not at all, also when the process is killed."""

    def clear(self) -> int | Awaitable[int]:
        """Forget every entry and return how many there were."""

    def stats(self) -> CacheStats | Awaitable[CacheStats]:
        """Count without changing anything, and without creating what is not there."""


class SupportsGetMany(Protocol):
    """A cache that reads several entries quicker together than one by one.

    What is wanted at the same moment is asked for at once: a whole run from the cache takes one journey to a server
    for as many replies as calls may be in flight.
    """

    def get_many(self, keys: Sequence[str]) -> Mapping[str, bytes] | Awaitable[Mapping[str, bytes]]:
        """Return what was put under these keys, as ``get`` would; what is absent is left out."""


class SupportsPrune(Protocol):
    """A cache that knows how old its entries are."""

    def prune(self, older_than_s: float) -> int | Awaitable[int]:
        """Forget the entries put more than so many seconds ago and return how many there were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSpec(Generic[S]):
    """How a plugin offers a cache."""

    name: str
    """What a file writes as ``cache: NAME``."""
    summary: str
    settings: type[S]
    create: Callable[[S, PluginContext], Cache]
    """Makes the cache. Must not create files yet: a run that is refused leaves nothing behind."""
    inline: bool = False
    """True when the methods are plain functions that take microseconds: they then run on the event loop itself."""
    default: bool = False
    """Whether it is used where nobody names one. When two plugins say so, the user has to choose."""
    deprecated: str = ""
    """For a component that is to go: what to use instead, and in which version it goes. Whoever uses it is warned."""
