"""Running the programs of answers, with and without a sandbox."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from steelyard_builtins.scorers import code_execution as plugin
from steelyard_builtins.scorers._code_isolation import find_way
from steelyard_builtins.scorers._code_programs import find_interpreter
from steelyard_builtins.scorers.code_execution import CodeExecutionSettings

from steelyard.testing import make_case, make_context, make_output

(SPEC,) = plugin.steelyard_register_scorers()


def why_no_sandbox() -> str:
    return find_way(find_interpreter("python", os.environ.get("PATH")), None, (), sandbox=True).obstacle


@pytest.fixture
def score(tmp_path):
    """Let an answer's program run; the project's folder is ``tmp_path``."""

    def run(
        answer, language="python", *, case=None, environ=None, warn=lambda _: None, note=lambda _: None, **settings
    ):
        context = make_context(tmp_path, environ=environ or {}, warn=warn, note=note)
        scorer = SPEC.create(CodeExecutionSettings(language=language, **settings), context)
        return asyncio.run(scorer.score(case or make_case(), make_output(answer), None))

    return run


@pytest.fixture
def bwrap():
    """Skip the test where there can be no sandbox, and say why."""
    obstacle = why_no_sandbox()
    if obstacle:
        pytest.skip(f"no sandbox here: {obstacle}")


@pytest.fixture(params=["bwrap", "limits"])
def attack(request, score):
    """Let a hostile program run, once in a sandbox and once with limits alone."""
    if request.param == "bwrap":
        request.getfixturevalue("bwrap")
    isolation = {"bwrap": "required", "limits": "none"}[request.param]

    def run(program, **settings):
        found = score(program, isolation=isolation, **settings)
        assert found.details["isolation"] == request.param
        return found

    run.kind = request.param
    return run


@pytest.fixture
def processes():
    """Find the processes that have a word in their command line, a few times until there are none."""

    def with_word(word):
        found = []
        for process in Path("/proc").iterdir():
            try:
                if process.name.isdigit() and word.encode() in (process / "cmdline").read_bytes():
                    found.append(int(process.name))
            except OSError:
                continue
        return found

    def left(word, patience_s=5.0):
        until = time.monotonic() + patience_s
        while (found := with_word(word)) and time.monotonic() < until:
            time.sleep(0.05)
        return found

    left.now = with_word
    return left
