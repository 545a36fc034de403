from __future__ import annotations

import hashlib
import os
import stat

import pytest
from steelyard_builtins.caches import files as plugin
from steelyard_builtins.caches.files import FilesSettings

from steelyard.testing import make_context

(SPEC,) = plugin.steelyard_register_caches()
KEY, OTHER = (hashlib.sha256(text).hexdigest() for text in (b"a", b"b"))


@pytest.fixture
def cache(tmp_path):
    return SPEC.create(FilesSettings(), make_context(tmp_path))


@pytest.fixture
def file(tmp_path):
    return tmp_path / ".steelyard_cache" / "replies" / KEY[:2] / f"{KEY}.json"


def test_each_reply_is_a_file_of_its_own_that_holds_just_its_bytes(cache, file):
    cache.put(KEY, b'{"text": "billing"}')

    assert file.read_bytes() == b'{"text": "billing"}'


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps access rights elsewhere")
def test_replies_can_be_read_by_their_owner_only(cache, file):
    cache.put(KEY, b"{}")

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_empty_file_counts_as_absent(cache, file):
    cache.put(KEY, b"{}")
    file.write_bytes(b"")

    assert cache.get(KEY) is None


def test_a_directory_in_the_place_of_an_entry_counts_as_absent_and_is_replaced(cache, file):
    (file / "inside").mkdir(parents=True)

    assert cache.get(KEY) is None
    assert cache.stats().entries == 0
    cache.put(KEY, b"{}")
    assert cache.get(KEY) == b"{}"


def test_what_a_killed_process_left_half_written_is_neither_counted_nor_kept(cache, file):
    cache.put(KEY, b"{}")
    half = file.with_name(f"{OTHER}abc.part")
    half.write_bytes(b"half")

    assert cache.stats().entries == 1
    assert cache.clear() == 1
    assert not half.exists()


def test_other_files_in_the_cache_folder_are_not_its_own(cache, file, tmp_path):
    cache.put(KEY, b"{}")
    catalog = tmp_path / ".steelyard_cache" / "models.json"
    note = tmp_path / ".steelyard_cache" / "replies" / "note.json"
    for other in (catalog, note):
        other.write_text("{}")

    assert cache.stats().entries == 1
    assert cache.clear() == 1
    assert catalog.exists()
    assert note.exists()


def test_a_path_of_one_s_own_starts_in_the_directory_one_runs_in(tmp_path):
    SPEC.create(FilesSettings(path="kept"), make_context(tmp_path)).put(KEY, b"{}")

    assert (tmp_path / "kept" / KEY[:2] / f"{KEY}.json").is_file()


def test_a_failed_write_leaves_no_half_file(cache, file, monkeypatch):
    cache.put(KEY, b"first")
    monkeypatch.setattr(type(file), "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))

    with pytest.raises(OSError, match="No space left"):
        cache.put(KEY, b"second")

    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert cache.get(KEY) == b"first"


def test_a_folder_that_cannot_be_made_is_one_clear_error(cache, tmp_path):
    (tmp_path / ".steelyard_cache").write_text("a file where the folder should be")

    assert cache.get(KEY) is None
    with pytest.raises(OSError, match="steelyard_cache"):
        cache.put(KEY, b"{}")


def test_pruning_goes_by_when_a_file_was_written(cache, file):
    cache.put(KEY, b"{}")
    cache.put(OTHER, b"{}")
    os.utime(file, (file.stat().st_mtime - 1000,) * 2)

    assert cache.prune(older_than_s=500) == 1
    assert cache.get(KEY) is None
    assert cache.get(OTHER) == b"{}"
