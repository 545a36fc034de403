"""Programs that leave something behind."""

from __future__ import annotations

import sys
from typing import Any

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="no sessions of processes")
def test_a_child_that_left_the_group_and_holds_the_output_open_costs_only_its_call(project: Any) -> None:
    left_behind = "import os, time; os.fork() or (os.setsid(), time.sleep(3), os._exit(0)); time.sleep(30)"
    bot = {"id": "bot", "provider": "command", "command": [sys.executable, "-c", left_behind]}
    project.one_case(models=[bot], timeout=0.5)

    done = project("run", "suite.json")

    assert done.returncode == 1
    assert "timed out after 0.5 s" in project.cases()[0]["error"]
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
