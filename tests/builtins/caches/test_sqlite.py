from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import time

import pytest
from steelyard_builtins.caches import sqlite as plugin
from steelyard_builtins.caches.sqlite import SqliteSettings

from steelyard.testing import make_context
from steelyard.testing.cache_process import other_process, spawned, value_for

(SPEC,) = plugin.steelyard_register_caches()
KEYS = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(300)]


@pytest.fixture
def said():
    return []


@pytest.fixture
def open_cache(tmp_path, said):
    caches = []

    def open_one(**settings):
        cache = SPEC.create(SqliteSettings(**settings), make_context(tmp_path, warn=said.append))
        caches.append(cache)
        return cache

    yield open_one
    for cache in caches:
        cache.close()


@pytest.fixture
def file(tmp_path):
    folder = tmp_path / ".steelyard_cache"
    folder.mkdir()
    return folder / "cache.sqlite"


def test_it_is_the_cache_that_is_used_where_nobody_names_one():
    assert SPEC.default
    assert SPEC.inline


def test_everything_lies_in_one_file_in_the_cache_folder(open_cache, tmp_path):
    cache = open_cache()
    cache.put(KEYS[0], b"value")
    cache.close()

    assert [path.name for path in (tmp_path / ".steelyard_cache").iterdir()] == ["cache.sqlite"]


def test_a_path_of_one_s_own_starts_in_the_directory_one_runs_in(open_cache, tmp_path):
    open_cache(path="kept/replies.db").put(KEYS[0], b"value")

    assert (tmp_path / "kept" / "replies.db").is_file()


def test_looking_up_in_a_cache_that_was_never_written_creates_nothing(open_cache, tmp_path):
    assert open_cache().get(KEYS[0]) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps access rights elsewhere")
def test_replies_can_be_read_by_their_owner_only(open_cache, file):
    open_cache().put(KEYS[0], b"value")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize(
    "contents",
    [b"hello", b"hello" * 1000, b"\xff\xfe\x00\x9d", b"SQLite format 3\x00" + b"\x07" * 4080],
    ids=["short text", "long text", "bytes", "a header with nothing behind it"],
)
def test_a_damaged_database_is_moved_aside_with_one_warning(open_cache, file, said, contents):
    file.write_bytes(contents)
    cache = open_cache()

    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[0], b"value")

    assert cache.get(KEYS[0]) == b"value"
    (kept,) = file.parent.glob("cache.sqlite.damaged-*")
    assert kept.read_bytes() == contents
    assert said == [f"{file}: the cache is damaged; moved it to {kept.name} and started an empty one"]


def test_an_empty_file_is_an_empty_cache(open_cache, file, said):
    file.touch()
    cache = open_cache()
    cache.put(KEYS[0], b"value")

    assert cache.get(KEYS[0]) == b"value"
    assert said == []


def test_damage_that_shows_during_a_run_costs_the_entries_and_not_the_run(open_cache, file, said):
    filled = open_cache()
    for key in KEYS:
        filled.put(key, b"x" * 2000)
    filled.close()
    data = bytearray(file.read_bytes())
    data[4096:] = b"\x5a" * (len(data) - 4096)  # all pages but the first, which holds header and schema
    file.write_bytes(data)
    cache = open_cache()

    assert cache.get(KEYS[0]) is None
    cache.put(KEYS[0], b"value")
    assert cache.get(KEYS[0]) == b"value"
    assert len(said) == 1


def test_another_program_s_database_is_left_alone(open_cache, file, said):
    with sqlite3.connect(file) as foreign:
        foreign.execute("CREATE TABLE customers (name TEXT)")
        foreign.execute("INSERT INTO customers VALUES ('Ada')")
    foreign.close()
    cache = open_cache()

    for use in (lambda: cache.get(KEYS[0]), lambda: cache.put(KEYS[0], b"value"), cache.clear):
        with pytest.raises(OSError, match="is another program's database"):
            use()

    assert cache.stats().entries == 0
    assert "is another program's database" in said[0]
    with sqlite3.connect(file) as foreign:
        assert foreign.execute("SELECT name FROM customers").fetchall() == [("Ada",)]
    foreign.close()


def test_a_folder_that_cannot_be_written_to_is_one_clear_error(open_cache, tmp_path):
    (tmp_path / ".steelyard_cache").write_text("a file where the folder should be")
    cache = open_cache()

    assert cache.get(KEYS[0]) is None
    assert cache.stats().entries == 0
    with pytest.raises(OSError, match="steelyard_cache"):
        cache.put(KEYS[0], b"value")


def test_a_directory_in_the_place_of_the_file_is_one_clear_error(open_cache, file):
    file.mkdir()

    with pytest.raises(OSError, match=r"cache\.sqlite"):
        open_cache().put(KEYS[0], b"value")


def test_stats_of_a_damaged_database_change_nothing_and_say_so(open_cache, file, said):
    file.write_bytes(b"hello")

    assert open_cache().stats().entries == 0
    assert file.read_bytes() == b"hello"
    assert len(said) == 1
    assert "file is not a database" in said[0]


def test_clear_mends_a_damaged_database(open_cache, file):
    file.write_bytes(b"hello")
    cache = open_cache()

    assert cache.clear() == 0
    assert cache.stats().entries == 0
    cache.put(KEYS[0], b"value")
    assert cache.get(KEYS[0]) == b"value"


def test_clear_gives_the_space_back(open_cache, file):
    cache = open_cache()
    for key in KEYS:
        cache.put(key, b"x" * 10_000)
    cache.clear()
    cache.close()

    assert file.stat().st_size < 100_000


def test_stats_see_what_another_session_wrote_and_has_not_closed(open_cache):
    open_cache().put(KEYS[0], b"12345")

    stats = open_cache().stats()

    assert (stats.entries, stats.size_bytes) == (1, 5)


def test_a_value_of_the_wrong_kind_counts_as_absent(open_cache, file):
    cache = open_cache()
    cache.put(KEYS[0], b"value")
    with sqlite3.connect(file) as other:
        other.execute("UPDATE entries SET value = 'text'")
    other.close()

    assert cache.get(KEYS[0]) is None


def test_eight_processes_may_write_at_once(open_cache, tmp_path):
    parts = [KEYS[number::8] for number in range(8)]
    everything = [spawned(SPEC, SqliteSettings(), tmp_path, "write", [*part, *KEYS[:50]]) for part in parts]

    for process in everything:
        _output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()

    cache = open_cache()
    assert [cache.get(key) for key in KEYS] == [value_for(key) for key in KEYS]
    assert cache.stats().entries == len(KEYS)


def test_a_process_that_is_killed_while_it_writes_loses_nothing_that_it_had_written(open_cache, tmp_path, said):
    process = spawned(SPEC, SqliteSettings(), tmp_path, "write for ever", KEYS)
    assert process.stdout.readline() == b"writing\n"  # every key has been written once by now
    process.kill()
    process.communicate()

    cache = open_cache()

    assert [cache.get(key) for key in KEYS] == [value_for(key) for key in KEYS]
    assert said == []


def test_many_processes_that_meet_a_damaged_file_at_once_agree_on_a_new_one(open_cache, file, tmp_path):
    file.write_bytes(b"hello" * 1000)
    processes = [spawned(SPEC, SqliteSettings(), tmp_path, "write", KEYS[:50]) for _ in range(6)]

    for process in processes:
        _output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()

    assert other_process(SPEC, SqliteSettings(), tmp_path, "read", KEYS[:50]) == [True] * 50
    assert len(list(file.parent.glob("cache.sqlite.damaged-*"))) == 1


def test_a_writer_waits_for_another_one_instead_of_failing(open_cache, file):
    cache = open_cache()
    cache.put(KEYS[0], b"first")
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    spawned_at = time.monotonic()
    timer = __import__("threading").Timer(0.2, lambda: other.execute("COMMIT"))
    timer.start()

    cache.put(KEYS[0], b"second")

    assert time.monotonic() - spawned_at >= 0.15
    assert cache.get(KEYS[0]) == b"second"
    timer.join()
    other.close()


def test_pruning_keeps_what_is_young(open_cache, file):
    cache = open_cache()
    for number, key in enumerate(KEYS[:4]):
        cache.put(key, b"value")
        with sqlite3.connect(file) as other:
            other.execute("UPDATE entries SET stored_at = stored_at - ? WHERE key = ?", (number * 1000, key))
        other.close()

    assert cache.prune(older_than_s=1500) == 2
    assert [cache.get(key) is not None for key in KEYS[:4]] == [True, True, False, False]
