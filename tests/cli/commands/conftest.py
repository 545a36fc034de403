"""What the commands work on: a project of its own, and a server that plays the models' API.

A command runs in the process of the test, on real files and real sockets, with an environment and a folder of its own:
a hundred commands then take seconds. What only a process of its own can show is tried one folder up.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import CaseResult, Status
from steelyard.cli.boundary import guarded
from steelyard.cli.invocation import Invocation
from steelyard.cli.root import root
from steelyard.records import write_record
from steelyard.testing.fake_api import FakeAPI, catalog_entry
from steelyard.testing.run_builders import make_case_result, make_combo, make_record

CATALOG = (
    catalog_entry("openai/gpt-4o-mini", input_per_mtok=0.15, output_per_mtok=0.60),
    catalog_entry("anthropic/claude-sonnet-4.6", input_per_mtok=3.0, output_per_mtok=15.0),
    catalog_entry("mistralai/mistral-small-2603", input_per_mtok=0.15, output_per_mtok=0.60),
    catalog_entry("google/gemini-2.5-flash", input_per_mtok=0.30, output_per_mtok=2.50),
)


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Desk:
    """Runs commands in a folder."""

    folder: Path
    environ: Mapping[str, str]

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None, typed: str = "") -> Done:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name in list(os.environ):
                if name not in ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR"):
                    patch.delenv(name)
            for name, value in {**self.environ, **(env or {})}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.StringIO(typed))
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = self._invoke(arguments)
        return Done(code, out.getvalue(), err.getvalue())

    def _invoke(self, arguments: tuple[str, ...]) -> int:
        invocation = Invocation(color=False)

        def work() -> int:
            with root.make_context("steelyard", list(arguments), obj=invocation) as context:
                root.invoke(context)
            return 0

        return guarded(work, invocation)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def result_of(case_id: str, letter: str, combo: tuple[str, str]) -> CaseResult:
    model, prompt_id = combo
    status = Status.API_ERROR if letter == "E" else Status.SCORED
    return make_case_result(case_id, passed=letter == "P", status=status, model=model, prompt_id=prompt_id)


@pytest.fixture
def keep(desk: Desk) -> Callable[..., Path]:
    """Store a run: ``keep("2026-01-01_000000_b", {("m", "p"): "PFE"})`` has a pass, a failure and an error."""

    def keep_run(run_id: str, combos: Mapping[tuple[str, str], str], *, first: int = 1, **fields: Any) -> Path:
        results = [
            make_combo([result_of(f"c{number}", letter, combo) for number, letter in enumerate(outcomes, first)])
            for combo, outcomes in combos.items()
        ]
        day, time, *_ = run_id.split("_")
        when = f"{day}T{time[:2]}:{time[2:4]}:{time[4:6]}+00:00"
        record = make_record(results, **{"run_id": run_id, "benchmark": "b", "timestamp": when, **fields})
        path = desk.folder / "results" / f"{run_id}.json"
        path.parent.mkdir(exist_ok=True)
        write_record(path, record)
        return path

    return keep_run


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """The command without a network."""
    home, folder = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    folder.mkdir()
    return Desk(folder, {"HOME": str(home), "XDG_CONFIG_HOME": str(home)})


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as server:
        server.catalog(CATALOG)
        yield server


@pytest.fixture
def keyless(desk: Desk, api: FakeAPI) -> Desk:
    """The command with the address of the fake API, and without a key."""
    return replace(desk, environ={**desk.environ, "OPENROUTER_BASE_URL": api.base_url})


@pytest.fixture
def online(keyless: Desk) -> Desk:
    """The command with a key as well."""
    return replace(keyless, environ={**keyless.environ, "OPENROUTER_API_KEY": "sk-or-a-key-for-tests"})


@pytest.fixture
def write(desk: Desk) -> Callable[[str, str], Path]:
    """Write a file of the project."""
    return desk.write
