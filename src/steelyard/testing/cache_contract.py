"""Contract checks for caches: bytes come back as they were put, whoever else is at work and whatever is killed.

::

    @pytest.mark.parametrize("check", cache_checks(SPEC))
    def test_the_cache_keeps_the_contract(check):
        check()

Each check works in a temporary folder of its own. Those with a second process need ``spec.create`` and the settings'
class to be importable from a module, as those of any plugin are.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..api import CacheSpec, CacheStats
from .builders import make_context
from .cache_process import WRITING, other_process, spawned, value_for
from .calling import Calls, close
from .checks import Check, named, require, spec_checks
from .racing import race

LARGE = 5_000_000
FUTURE_S = -60.0
"""An age that every entry has: put more than minus one minute ago."""

Damage = Callable[[Path], None]
"""Spoils what a cache has stored below a folder."""

ODD_VALUES = (b"{}", b"\x00\xff\xfe not text", "é \u2028 🎯".encode(), b"x" * LARGE)


def cache_checks(
    spec: CacheSpec[Any], *, settings: Any = None, shared: bool = True, damage: Damage | None = None
) -> list[Check]:
    """Make the checks of a cache.

    Args:
        spec: What the plugin registers.
        settings: The cache's settings; the defaults when ``None``. They should leave its place to ``cache_dir``.
        shared: Whether several processes see the same entries. False for a cache that ends with its process.
        damage: Spoils what is stored below the folder it is given, to see that a spoilt entry counts as absent.
    """
    promises = _Promises(spec, settings, damage)
    return [*spec_checks(spec), *named(promises.alone()), *named(promises.together() if shared else [])]


def key_for(number: int | str) -> str:
    """Return a key like those of the host: 64 lower-case hexadecimal digits."""
    return hashlib.sha256(str(number).encode()).hexdigest()


class _Promises:
    """Every promise, each with a new folder."""

    def __init__(self, spec: CacheSpec[Any], settings: Any, damage: Damage | None) -> None:
        self._spec = spec
        self._settings = spec.settings() if settings is None else settings
        self._damage = damage

    def alone(self) -> list[Callable[[], None]]:
        return [
            self.creating_and_counting_leave_no_trace,
            self.what_was_put_comes_back_byte_for_byte,
            self.a_second_put_replaces_the_first,
            self.several_come_back_together_as_they_would_alone,
            self.clear_forgets_everything_and_counts_it,
            self.prune_forgets_by_age,
            self.threads_do_not_disturb_each_other,
        ]

    def together(self) -> list[Callable[[], None]]:
        promises: list[Callable[[], None]] = [
            self.another_process_sees_the_entries,
            self.two_processes_may_write_at_once,
            self.a_killed_process_leaves_whole_entries,
        ]
        return [*promises, self.a_damaged_entry_counts_as_absent] if self._damage else promises

    def creating_and_counting_leave_no_trace(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            stats = calls(cache.stats)
            require(isinstance(stats, CacheStats), f"stats() returned {stats!r}, not CacheStats")
            require(stats.entries == 0, f"a new cache holds {stats.entries} entries")
            require(stats.place.strip(), "the place is empty: a person must be able to find the cache")
            require(calls(cache.clear) == 0, "clear() of a new cache counts entries")
            left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
            require(not left, f"nothing was put, but there is {left}")

    def what_was_put_comes_back_byte_for_byte(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            require(calls(cache.get, key_for("absent")) is None, "an absent key must give None")
            for number, value in enumerate(ODD_VALUES):
                calls(cache.put, key_for(number), value)
            for number, value in enumerate(ODD_VALUES):
                got = calls(cache.get, key_for(number))
                require(got == value, f"put {value[:30]!r}, got {got if got is None else got[:30]!r}")
                require(type(got) is bytes, f"got a {type(got).__name__}, not bytes")
            stats = calls(cache.stats)
            require(stats.entries == len(ODD_VALUES), f"put {len(ODD_VALUES)} entries, stats count {stats.entries}")
            size = sum(map(len, ODD_VALUES))
            require(
                stats.size_bytes is None or stats.size_bytes >= size, f"{size} bytes put, {stats.size_bytes} counted"
            )

    def a_second_put_replaces_the_first(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            for value in (b"first and longer", b"second"):
                calls(cache.put, key_for(0), value)
            require(calls(cache.get, key_for(0)) == b"second", "the first value came back")
            require(calls(cache.stats).entries == 1, "one key was put twice and counts as several entries")

    def several_come_back_together_as_they_would_alone(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            if not hasattr(cache, "get_many"):
                return
            require(calls(cache.get_many, [key_for("absent")]) == {}, "an absent key is in what get_many() returned")
            put = {key_for(number): value_for(key_for(number)) for number in range(1200)}
            for key, value in put.items():
                calls(cache.put, key, value)
            got = calls(cache.get_many, [key_for("absent"), *put])
            require(dict(got) == put, f"{len(put)} entries were asked for, get_many() returned {len(got)} or others")
            require(calls(cache.get_many, []) == {}, "get_many() of nothing must be empty")

    def clear_forgets_everything_and_counts_it(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            for key in map(key_for, ("a", "b", "c")):
                calls(cache.put, key, b"value")
            count = calls(cache.clear)
            require(count == len("abc"), f"3 entries were there, clear() returned {count}")
            require(calls(cache.get, key_for("a")) is None, "an entry outlived clear()")
            require(calls(cache.stats).entries == 0, "stats() counts entries after clear()")

    def prune_forgets_by_age(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            if not hasattr(cache, "prune"):
                return
            calls(cache.put, key_for(0), b"value")
            require(calls(cache.prune, 3600.0) == 0, "prune() forgot what was put just now")
            require(calls(cache.get, key_for(0)) == b"value", "a young entry is gone after prune()")
            require(calls(cache.prune, FUTURE_S) == 1, "prune() did not count the entry that is old enough")
            require(calls(cache.get, key_for(0)) is None, "an old entry is still there after prune()")

    def threads_do_not_disturb_each_other(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            if self._spec.inline:
                calls(_put_many, cache, 0)
                return

            def work(number: int) -> None:
                with Calls() as own:
                    own(_put_many, cache, number)

            race(work)

    def another_process_sees_the_entries(self) -> None:
        with self._folder() as folder, self._open(folder) as (cache, calls):
            calls(cache.put, key_for(0), value_for(key_for(0)))
            found = other_process(self._spec, self._settings, folder, "read", [key_for(0)])
            require(found == [True], "another process does not find what this one put")
            other_process(self._spec, self._settings, folder, "write", [key_for(1)])
            require(calls(cache.get, key_for(1)) == value_for(key_for(1)), "what another process put is not found")

    def two_processes_may_write_at_once(self) -> None:
        keys = [key_for(number) for number in range(120)]
        with self._folder() as folder, self._open(folder) as (cache, calls):
            # Each has keys of its own and shares some with the next.
            others = [spawned(self._spec, self._settings, folder, "write", part) for part in (keys[:60], keys[60:])]
            for key in keys[40:80]:
                calls(cache.put, key, value_for(key))
            for other in others:
                _output, errors = other.communicate(timeout=60)
                require(other.returncode == 0, f"a process that wrote at the same time failed: {errors.decode()}")
            wrong = [key for key in keys if calls(cache.get, key) != value_for(key)]
            require(not wrong, f"{len(wrong)} of {len(keys)} entries are lost or mixed up")

    def a_killed_process_leaves_whole_entries(self) -> None:
        keys = [key_for(number) for number in range(60)]
        with self._folder() as folder:
            for moment in range(3):
                other = spawned(self._spec, self._settings, folder, "write for ever", keys)
                stream = other.stdout
                started = stream.readline() if stream else b""
                time.sleep(0.02 * moment)  # another moment of its work each time
                other.kill()
                other.communicate()
                require(started.decode().strip() == WRITING, "the process that was to be killed did not start to write")
                with self._open(folder) as (cache, calls):
                    found = [calls(cache.get, key) for key in keys]
                    torn = sum(got not in (None, value_for(key)) for key, got in zip(keys, found, strict=True))
                    require(torn == 0, f"{torn} entries are torn after a process was killed")
                    calls(cache.put, key_for("after"), b"value")
                    require(calls(cache.get, key_for("after")) == b"value", "nothing can be put after that")

    def a_damaged_entry_counts_as_absent(self) -> None:
        damage = self._damage or (lambda _folder: None)
        with self._folder() as folder:
            with self._open(folder) as (cache, calls):
                calls(cache.put, key_for(0), b"value")
            damage(folder)
            with self._open(folder) as (cache, calls):
                require(calls(cache.get, key_for(0)) != b"value", "the damage did not reach the entry")
                calls(cache.put, key_for(0), b"a new value")
                require(calls(cache.get, key_for(0)) == b"a new value", "a damaged entry cannot be replaced")

    @staticmethod
    @contextmanager
    def _folder() -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="steelyard-cache-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    @contextmanager
    def _open(self, folder: Path) -> Iterator[tuple[Any, Calls]]:
        cache = self._spec.create(self._settings, make_context(folder))
        with Calls() as calls:
            try:
                yield cache, calls
            finally:
                close(cache, calls)


async def _put_many(cache: Any, number: int) -> None:
    for turn in range(50):
        own, common = key_for(f"{number} {turn}"), key_for(turn)
        for key in (own, common):
            await _maybe(cache.put(key, value_for(key)))
        for key in (own, common):
            got = await _maybe(cache.get(key))
            require(
                got == value_for(key),
                f"a thread put {value_for(key)[:20]!r} and got {got if got is None else got[:20]!r}",
            )


async def _maybe(result: Any) -> Any:
    return await result if hasattr(result, "__await__") else result
