"""Paths that a suite names and that lead nowhere good: one line that says where, and nothing hangs."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="no such devices")
def test_a_file_without_end_is_refused(project: Any) -> None:
    project.write("s.yaml", "extends: /dev/zero\nname: x\n")

    done = project("validate", "s.yaml")

    assert done.returncode == 1
    assert "s.yaml:1:10: error: extends: /dev/zero: is larger than 256 MB" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_rows_from_a_pipe_are_refused_rather_than_waited_for(project: Any) -> None:
    os.mkfifo(project.folder / "rows.jsonl")
    project.one_case(test_cases="rows.jsonl")

    done = project("validate", "suite.json")

    assert done.returncode == 1
    assert "rows.jsonl: is no regular file" in done.stderr


@pytest.mark.parametrize("key", ["extends", "test_cases"])
def test_a_path_longer_than_a_name_can_be_is_blamed_on_the_line_that_holds_it(project: Any, key: str) -> None:
    project.one_case(**{key: f"{'x' * 300}.jsonl"})

    done = project("validate", "suite.json")

    assert done.returncode == 1
    assert done.stderr.startswith("suite.json:1:")
    assert "File name too long" in done.stderr
