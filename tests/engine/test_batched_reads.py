"""Replies that are wanted at the same moment are read from the cache at once."""

from __future__ import annotations

import asyncio

from steelyard._engine.keeping import Keeping
from steelyard._engine.plan import BoundCache, BoundModel
from steelyard._engine.replies import packed
from steelyard.api import Completion

MODEL = BoundModel(id="m", provider="p", model="m", complete=None, fingerprint=str)  # type: ignore[arg-type]


class Batches:
    """A cache that remembers which keys were asked for together."""

    def __init__(self, *, failing=False):
        self.asked = []
        self._failing = failing
        self.kept = {
            key: packed(Completion(text=f"answer {key}"), priced_usd=None, latency_ms=None) for key in ("a", "b", "c")
        }

    def get_many(self, keys):
        self.asked.append(list(keys))
        if self._failing:
            raise OSError("the disk is gone")
        return {key: self.kept[key] for key in keys if key in self.kept}

    def bound(self):
        return BoundCache(get=None, put=None, get_many=self.get_many, waits=False)  # type: ignore[arg-type]


def texts(replies):
    return [None if reply is None else reply.completion.text for reply in replies]


def test_what_is_wanted_at_once_is_read_at_once_and_each_gets_its_own():
    cache = Batches()

    async def run():
        keeping = Keeping(cache.bound())
        return await asyncio.gather(*(keeping.get(key, MODEL) for key in ("b", "none", "a", "b")))

    assert texts(asyncio.run(run())) == ["answer b", None, "answer a", "answer b"]
    assert cache.asked == [["b", "none", "a", "b"]]


def test_one_that_is_given_up_takes_nothing_from_the_others():
    cache = Batches()

    async def run():
        keeping = Keeping(cache.bound())
        first, second = (asyncio.ensure_future(keeping.get(key, MODEL)) for key in ("a", "b"))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert texts([asyncio.run(run())]) == ["answer b"]


def test_a_read_that_fails_counts_once_however_many_wanted_it():
    said = []
    cache = Batches(failing=True)

    async def run():
        keeping = Keeping(cache.bound(), warn=said.append)
        for _ in range(4):
            assert texts(await asyncio.gather(*(keeping.get(str(n), MODEL) for n in range(50)))) == [None] * 50

    asyncio.run(run())

    assert len(cache.asked) == 4
    assert said == ["Could not read the response cache (OSError: the disk is gone); continuing."]
