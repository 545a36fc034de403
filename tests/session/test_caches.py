"""The options that the settings give to caches reach runs and ``steelyard cache`` alike."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from steelyard.api import CacheSpec, CacheStats, Score, option
from steelyard.errors import UsageError
from steelyard.testing import ScriptedProvider, make_benchmark, session_with

SHELVES: dict[str, dict[str, bytes]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfSettings:
    shelf: str = option("", doc="Which one.")


class ShelfCache:
    def __init__(self, shelf):
        self._entries = SHELVES.setdefault(shelf, {})
        self._shelf = shelf

    def get(self, key):
        return self._entries.get(key)

    def get_many(self, keys):
        return {key: self._entries[key] for key in keys if key in self._entries}

    def put(self, key, value):
        self._entries[key] = value

    def clear(self):
        count = len(self._entries)
        self._entries.clear()
        return count

    def stats(self):
        return CacheStats(entries=len(self._entries), size_bytes=None, place=self._shelf)


class BrokenCache(ShelfCache):
    def get_many(self, keys):
        raise OSError("no shelf")

    def put(self, key, value):
        raise OSError("no shelf")


class Content:
    def score(self, case, output, ask):
        return Score(value=1.0, passed=True, reason="content")


def run(session, cases):
    return session.run(make_benchmark(cases, scorers=["fake_scorer"])).results[0].cases


def spec(cache=ShelfCache):
    return CacheSpec(
        name="shelf",
        summary="Shelves",
        settings=ShelfSettings,
        create=lambda settings, context: cache(settings.shelf),
        default=True,
    )


@pytest.fixture(autouse=True)
def no_shelves():
    SHELVES.clear()


def test_the_settings_give_a_cache_its_options_for_runs_and_for_looking_after_it(tmp_path):
    (tmp_path / "steelyard.yaml").write_text("caches: {shelf: {shelf: upper}}\n", encoding="utf-8")
    session = session_with(ScriptedProvider(), Content(), spec(), cwd=tmp_path)

    run(session, 3)

    assert len(SHELVES["upper"]) == 3
    assert session.cache().stats() == CacheStats(entries=3, size_bytes=None, place="upper")


def test_what_is_kept_is_read_back_by_a_cache_that_waits(tmp_path):
    provider = ScriptedProvider()
    for _run in range(2):
        cases = run(session_with(provider, Content(), spec(), cwd=tmp_path), 20)

    assert provider.calls == 20
    assert [run.cached for case in cases for run in case.runs] == [True] * 20


def test_a_wrong_option_is_told_with_its_place_before_any_call(tmp_path):
    (tmp_path / "steelyard.yaml").write_text("caches:\n  shelf: {shelve: upper}\n", encoding="utf-8")
    provider = ScriptedProvider()
    session = session_with(provider, Content(), spec(), cwd=tmp_path)

    for use in (lambda: run(session, 1), session.cache):
        with pytest.raises(UsageError, match=r"steelyard\.yaml:2:3: caches\.shelf.*did you mean 'shelf'"):
            use()
    assert provider.calls == 0


def test_a_cache_that_fails_in_a_run_is_named_with_its_plugin(tmp_path):
    said = []
    session = session_with(ScriptedProvider(), Content(), spec(BrokenCache), cwd=tmp_path, warn=said.append)

    cases = run(session, 2)

    assert [case.status for case in cases] == ["scored", "scored"]
    (warning,) = [line for line in said if "response cache" in line]
    assert "cache 'shelf' of plugin " in warning
    assert "OSError: no shelf" in warning
