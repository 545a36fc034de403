"""The cache as the caller uses it: it may fail in any way, and the run goes on.

Only good answers are kept, and what is read back must have the right shape: a damaged entry is asked for again and
replaced. A cache that fails is said to once, and given up when it keeps failing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from .faults import described, must_pass
from .ledger import is_complete, price
from .plan import BoundCache, BoundModel
from .replies import Kept, Reply, packed, unpacked

GIVE_UP_AFTER = 5
"""Failures in a row. A lock that is held too long passes; a disk that is full does not."""

Fetch = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
_Wanted = list[tuple[str, asyncio.Future[bytes | None]]]


class Keeping:
    """Keeps replies, as far as the cache behind it can."""

    def __init__(self, cache: BoundCache | None, *, warn: Callable[[str], None] = lambda _line: None) -> None:
        self._cache = cache
        self._warn = warn
        self._failures = {"read": 0, "write": 0}
        """In a row. A disk that is full can still be read, so each is given up on its own."""
        self._warned = False
        self._writing: set[asyncio.Task[None]] = set()
        self._fetching: set[asyncio.Task[None]] = set()
        self._wanted: _Wanted = []
        """What is going to be looked up at the end of this round of the event loop."""

    def keeps(self, model: BoundModel) -> bool:
        """Whether replies of ``model`` are kept at all."""
        return self._cache is not None and model.cached

    async def get(self, key: str, model: BoundModel) -> Reply | None:
        """Return the kept reply, or ``None`` when there is none that can be used."""
        if self._cache is None or self._failures["read"] >= GIVE_UP_AFTER:
            return None
        single = self._cache.get_many is None and self._cache.fetch_many is None
        value = await (self._one(self._cache, key) if single else self._among_others(key))
        kept = None if value is None else unpacked(value)
        return None if kept is None else _reply_of(kept, model)

    async def _one(self, cache: BoundCache, key: str) -> bytes | None:
        try:
            value = await cache.get(key)
        except BaseException as error:
            if must_pass(error):
                raise
            self._failed("read", error)
            return None
        self._failures["read"] = 0
        return value

    async def _among_others(self, key: str) -> bytes | None:
        """Look a reply up together with all that others want in the same round of the event loop."""
        loop = asyncio.get_running_loop()
        if not self._wanted:
            loop.call_soon(self._look_up)
        waiter: asyncio.Future[bytes | None] = loop.create_future()
        self._wanted.append((key, waiter))
        return await waiter

    def _look_up(self) -> None:
        wanted, self._wanted = self._wanted, []
        if self._cache is not None and self._cache.fetch_many is not None:
            task = asyncio.ensure_future(self._fetched(self._cache.fetch_many, wanted))
            self._fetching.add(task)
            task.add_done_callback(self._fetching.discard)
            return
        found: Mapping[str, bytes] = {}
        if self._cache is not None and self._cache.get_many is not None:
            try:
                found = dict(self._cache.get_many([key for key, _waiter in wanted]))
                self._failures["read"] = 0
            except Exception as error:
                self._failed("read", error)
        _deliver(wanted, found)

    async def _fetched(self, fetch: Fetch, wanted: _Wanted) -> None:
        found: Mapping[str, bytes] = {}
        try:
            found = dict(await fetch([key for key, _waiter in wanted]))
            self._failures["read"] = 0
        except BaseException as error:
            if must_pass(error):
                raise
            self._failed("read", error)
        finally:
            _deliver(wanted, found)

    async def put(self, key: str, reply: Reply) -> None:
        """Keep a reply. Once begun it is finished even if the case is given up: the reply has been paid for."""
        if self._cache is None or self._failures["write"] >= GIVE_UP_AFTER:
            return
        completion = reply.completion
        priced = reply.cost_usd if completion.cost_usd is None else None
        value = packed(completion, priced_usd=priced, latency_ms=reply.latency_ms)
        if not self._cache.waits:
            await self._write(self._cache, key, value)
            return
        task = asyncio.ensure_future(self._write(self._cache, key, value))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        await asyncio.shield(task)

    async def finish(self, timeout_s: float) -> None:
        """Wait, but not for long, until everything that was put is kept."""
        if self._writing:
            await asyncio.wait(tuple(self._writing), timeout=timeout_s)

    async def _write(self, cache: BoundCache, key: str, value: bytes) -> None:
        try:
            await cache.put(key, value)
        except BaseException as error:
            if must_pass(error):
                raise
            self._failed("write", error)
        else:
            self._failures["write"] = 0

    def _failed(self, verb: Literal["read", "write"], error: BaseException) -> None:
        self._failures[verb] += 1
        if not self._warned:
            self._warned = True
            blame = self._cache.blame if self._cache else ""
            self._warn(f"Could not {verb} the response cache ({described(error, blame)}); continuing.")


def _deliver(wanted: _Wanted, found: Mapping[str, bytes]) -> None:
    for key, waiter in wanted:
        if not waiter.done():
            waiter.set_result(found.get(key))


def _reply_of(kept: Kept, model: BoundModel) -> Reply:
    completion = kept.completion
    cost = completion.cost_usd
    if cost is None and is_complete(model.pricing):
        # The file's prices may have been corrected since the reply was bought.
        cost = price(completion.usage, model.pricing)
    elif cost is None:
        cost = kept.priced_usd
    return Reply(
        completion=completion, cost_usd=cost, spent_usd=0.0, latency_ms=kept.latency_ms, attempts=0, cached=True
    )
