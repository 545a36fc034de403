"""Replies that are wanted at the same moment are read from the cache at once."""

from __future__ import annotations

import asyncio

import pytest

from steelyard._engine.keeping import Keeping
from steelyard._engine.plan import BoundCache, BoundModel
from steelyard._engine.replies import packed
from steelyard.api import Completion

MODEL = BoundModel(id="m", provider="p", model="m", complete=None, fingerprint=str)  # type: ignore[arg-type]


BLAME = "cache 'c' of plugin 'c' (steelyard-c 1.0)"

both_kinds = pytest.mark.parametrize("waits", [False, True], ids=["inline", "waiting"])


class Batches:
    """A cache that remembers which keys were asked for together."""

    def __init__(self, *, failing=False, waits=False):
        self.asked = []
        self._waits = waits
        self._failing = failing
        self.kept = {
            key: packed(Completion(text=f"answer {key}"), priced_usd=None, latency_ms=None) for key in ("a", "b", "c")
        }

    def get_many(self, keys):
        self.asked.append(list(keys))
        if self._failing:
            raise OSError("the disk is gone")
        return {key: self.kept[key] for key in keys if key in self.kept}

    async def fetch_many(self, keys):
        await asyncio.sleep(0)
        return self.get_many(keys)

    def bound(self):
        if self._waits:
            return BoundCache(get=None, put=None, fetch_many=self.fetch_many, blame=BLAME)  # type: ignore[arg-type]
        return BoundCache(get=None, put=None, get_many=self.get_many, blame=BLAME, waits=False)  # type: ignore[arg-type]


def texts(replies):
    return [None if reply is None else reply.completion.text for reply in replies]


@both_kinds
def test_what_is_wanted_at_once_is_read_at_once_and_each_gets_its_own(waits):
    cache = Batches(waits=waits)

    async def run():
        keeping = Keeping(cache.bound())
        return await asyncio.gather(*(keeping.get(key, MODEL) for key in ("b", "none", "a", "b")))

    assert texts(asyncio.run(run())) == ["answer b", None, "answer a", "answer b"]
    assert cache.asked == [["b", "none", "a", "b"]]


@both_kinds
def test_one_that_is_given_up_takes_nothing_from_the_others(waits):
    cache = Batches(waits=waits)

    async def run():
        keeping = Keeping(cache.bound())
        first, second = (asyncio.ensure_future(keeping.get(key, MODEL)) for key in ("a", "b"))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert texts([asyncio.run(run())]) == ["answer b"]


@both_kinds
def test_a_read_that_fails_counts_once_however_many_wanted_it(waits):
    said = []
    cache = Batches(failing=True, waits=waits)

    async def run():
        keeping = Keeping(cache.bound(), warn=said.append)
        for _ in range(4):
            assert texts(await asyncio.gather(*(keeping.get(str(n), MODEL) for n in range(50)))) == [None] * 50

    asyncio.run(run())

    assert len(cache.asked) == 4
    assert said == [f"Could not read the response cache ({BLAME}: OSError: the disk is gone); continuing."]


@both_kinds
def test_an_answer_that_is_no_mapping_is_a_failed_read_and_keeps_nobody_waiting(waits):
    said = []
    cache = Batches(waits=waits)
    cache.get_many = lambda keys: None

    async def run():
        keeping = Keeping(cache.bound(), warn=said.append)
        return await asyncio.wait_for(keeping.get("a", MODEL), 30)

    assert asyncio.run(run()) is None
    assert len(said) == 1
    assert said[0].startswith(f"Could not read the response cache ({BLAME}: TypeError: ")
