"""A machine that is full, crowded, small or locked costs no answer that was paid for, and is named in words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LATENCY_S = 0.01


def strictly(path: Path) -> Any:
    return json.loads(path.read_bytes().decode("utf-8"), parse_constant=lambda token: pytest.fail(f"{path}: {token}"))


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    where = tmp_path / "disk"
    where.mkdir()
    try:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(where)], check=False, capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("this system has no mount")
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


# The results folder goes


@pytest.mark.parametrize("answers", [1, 15, 39])
def test_results_whose_folder_is_deleted_while_the_run_goes_on_are_written_all_the_same(
    place: Any, api: Any, answering: Any, answers: int
) -> None:
    api.answer(answering(LATENCY_S))
    here = place("deleted")
    running = here.start("run", "b.json", "-q")
    assert api.wait_for(lambda api: api.count - api.in_flight >= answers, 80)
    shutil.rmtree(here.folder / "results")
    ended = running.end()
    assert "Traceback" not in ended.said
    if here.records():
        assert [len(combo["test_cases"]) for combo in here.record()["results"]] == [16, 16]
    else:
        assert ended.code == 1
        assert "results" in ended.err
    # Nothing is asked for again.
    before = len(api.prompts)
    again = here.run("run", "b.json", "-q")
    assert len(api.prompts) == before, again.said


def test_a_cache_that_is_deleted_while_the_run_goes_on_costs_no_result(place: Any, api: Any, answering: Any) -> None:
    api.answer(answering(LATENCY_S))
    here = place("deleted")
    running = here.start("run", "b.json", "-q")
    assert api.wait_for(lambda api: api.count - api.in_flight >= 10, 80)
    shutil.rmtree(here.folder / ".steelyard_cache")
    ended = running.end()
    assert "Traceback" not in ended.said
    assert [combo["errors"] for combo in here.record()["results"]] == [0, 0]


# The disk is full


@pytest.mark.parametrize("left", [0, 8, 40, 120, 400])
def test_a_full_disk_is_named_and_what_was_answered_is_not_lost(
    place: Any, api: Any, answering: Any, full_disk: Path, left: int
) -> None:
    api.answer(answering(0.0))
    origin = place("full")
    here = type(origin)(origin.forks, full_disk, origin.environ, origin.aside)
    shutil.copy(origin.folder / "b.json", full_disk)
    fill(full_disk / "filler", left)
    ended = here.run("run", "b.json")
    assert "Traceback" not in ended.said
    for path in here.records():
        strictly(path)
    complete = bool(here.records()) and ended.code == 0
    if not complete:
        assert ended.code == 1, ended.said
        assert "space" in ended.said.lower(), ended.said
    (full_disk / "filler").unlink()
    again = here.run("run", "b.json", "--resume")
    assert again.code in (0, 1), again.said
    assert "Traceback" not in again.said
    newest = strictly(here.records()[-1])
    assert [combo["errors"] for combo in newest["results"]] == [0, 0]


def fill(path: Path, left_kib: int) -> None:
    """Leave so many kilobytes of a disk."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    size = 0
    try:
        while True:
            size += os.write(file, b"x" * 4096)
    except OSError:
        os.ftruncate(file, max(0, size - left_kib * 1024))
    finally:
        os.close(file)


def test_a_report_that_cannot_be_written_costs_neither_the_record_nor_the_other_reports(
    place: Any, api: Any, answering: Any, full_disk: Path
) -> None:
    api.answer(answering(0.0))
    here = place("reports")
    fill(full_disk / "filler", 0)
    ended = here.run("run", "b.json", "-o", f"html:{full_disk / 'page.html'}", "-o", "junit.xml")
    assert "Traceback" not in ended.said
    assert ended.code == 1
    assert len(here.records()) == 1
    assert (here.folder / "junit.xml").exists()
    assert "page.html" in ended.err


# Many at once


@pytest.mark.parametrize("count", [2, 8])
def test_processes_that_share_cache_and_results_lose_nothing_of_each_other(
    place: Any, api: Any, answering: Any, count: int, suite: Any
) -> None:
    api.answer(answering(LATENCY_S))
    here = place("shared")
    for cache in ("sqlite", "files"):
        (here.folder / "b.json").write_text(json.dumps(suite(8, cache=cache, name=f"shared {cache}")), encoding="utf-8")
        found = len(here.records())
        running = [here.start("run", "b.json", "-q") for _ in range(count)]
        ended = [one.end() for one in running]
        assert [one.code for one in ended] == [ended[0].code] * count, [one.said for one in ended]
        assert ended[0].code in (0, 1)
        assert not any("Traceback" in one.said or "locked" in one.said for one in ended)
        records = [strictly(path) for path in here.records()]
        assert len(records) == found + count
        assert len({record["run_id"] for record in records}) == found + count
        for record in records:
            assert [(combo["total"], combo["errors"]) for combo in record["results"]] == [(8, 0), (8, 0)]
        before = len(api.prompts)
        here.run("run", "b.json", "-q")
        assert len(api.prompts) == before
    assert not [path for path in (here.folder / "results").iterdir() if path.suffix not in (".json", ".md")]


def test_a_run_that_goes_on_leaves_one_that_is_still_running_alone(place: Any, api: Any, answering: Any) -> None:
    api.answer(answering(0.05))
    here = place("alive")
    first = here.start("run", "b.json", "-q")
    assert api.wait_for(lambda api: api.count - api.in_flight >= 6, 80)
    second = here.run("run", "b.json", "-q", "--resume")
    ended = first.end()
    assert (ended.code, second.code) == (0, 0) or ended.code == second.code, ended.said + second.said
    records = [strictly(path) for path in here.records()]
    assert len(records) == 2
    for record in records:
        assert [(combo["total"], combo["errors"]) for combo in record["results"]] == [(16, 0), (16, 0)]


# Few files, locked folders


def test_a_process_that_may_open_few_files_still_runs_everything(place: Any, api: Any, answering: Any) -> None:
    api.answer(answering(LATENCY_S))
    here = place("few")
    ended = here.run("run", "b.json", "-j", "100", files=48)
    assert "Traceback" not in ended.said
    assert [combo["errors"] for combo in here.record()["results"]] == [0, 0], ended.said


def test_a_file_that_may_not_grow_is_named_and_what_was_answered_is_not_lost(
    place: Any, api: Any, answering: Any
) -> None:
    api.answer(answering(0.0))
    here = place("small")
    ended = here.run("run", "b.json", file_size=12_000)
    assert "Traceback" not in ended.said
    assert ended.code == 1, ended.said
    for path in here.records():
        strictly(path)
    again = here.run("run", "b.json", "--resume")
    assert "Traceback" not in again.said
    assert [combo["errors"] for combo in here.record()["results"]] == [0, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere root cannot give up what lets it write everywhere")
@pytest.mark.parametrize("locked", ["everything", "results", "cache"])
def test_a_folder_that_cannot_be_written_to_is_named_before_anything_is_paid_for(
    place: Any, api: Any, answering: Any, locked: str
) -> None:
    api.answer(answering(0.0))
    here = place("locked")
    for name in {"everything": (), "results": ("results",), "cache": (".steelyard_cache",)}[locked]:
        (here.folder / name).mkdir()
        (here.folder / name).chmod(0o555)
    if locked == "everything":
        here.folder.chmod(0o555)
    ended = here.run("run", "b.json", humble=True)
    here.folder.chmod(0o755)
    assert "Traceback" not in ended.said
    if locked == "cache":
        # A cache is a convenience: the run goes on without, and says so.
        assert [combo["errors"] for combo in here.record()["results"]] == [0, 0]
        assert "cache" in ended.err
    else:
        assert (ended.code, len(api.prompts)) == (1, 0)
        assert "results" in ended.err
        assert "cannot be written to" in ended.err
