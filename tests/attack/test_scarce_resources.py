"""Few open files, folders that change under a run, caches that can only be read: no run is lost to them."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from steelyard_builtins.caches.sqlite import SqliteSettings, create

from steelyard.testing import make_context
from steelyard.testing.fake_api import FakeAPI, Reply, slow

GOOD = Reply("billing", cost_usd=0)


def many(project: Any, number: int, **keys: Any) -> None:
    cases = [
        {"id": f"c{one}", "variables": {"q": f"q{one}"}, "expected_output": "billing", "evaluation": "exact_match"}
        for one in range(number)
    ]
    project.suite(cases, **keys)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on open files")
@pytest.mark.parametrize("limit", [32, 48])
def test_calls_queue_when_the_system_allows_few_open_files(project: Any, api: FakeAPI, limit: int) -> None:
    api.reply(slow(GOOD, 0.02))
    many(project, 100, concurrency=60)

    done = project("run", "suite.json", before=("sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"))

    assert done.returncode == 0, done.stderr
    assert [case["status"] for case in project.cases()] == ["scored"] * 100
    assert api.count == 100


def test_a_folder_of_results_that_turns_into_a_file_ends_the_run_in_one_line(project: Any, api: FakeAPI) -> None:
    many(project, 4, concurrency=1)
    api.hold()
    api.reply(GOOD)
    running = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "run", "suite.json"],
        cwd=project.folder,
        env={**os.environ, **project.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert api.wait_for(lambda server: server.count == 1, 80)
    shutil.rmtree(project.folder / "results")
    (project.folder / "results").write_text("mine")
    api.release()

    _out, said = running.communicate(timeout=240)

    assert running.returncode == 1
    assert b"Unclosed" not in said
    assert [line for line in said.decode().splitlines() if line.startswith("error: ")] != []


def sqlite_cache(folder: Path) -> Any:
    return create(SqliteSettings(), make_context(folder, cache_dir=folder))


def test_a_cache_that_can_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing = sqlite_cache(tmp_path)
    writing.put("key", b"paid for")
    writing.close()
    really_open = os.open

    def refuse_new_files(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        # Whoever runs the tests may well be allowed to write everywhere.
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return really_open(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuse_new_files)
    reading = sqlite_cache(tmp_path)

    assert reading.get("key") == b"paid for"
    assert reading.get("other") is None
    with contextlib.closing(sqlite_cache(tmp_path)) as another:
        assert another.get_many(["key", "other"]) == {"key": b"paid for"}
    with pytest.raises(OSError, match="readonly"):
        reading.put("other", b"new")
    reading.close()
