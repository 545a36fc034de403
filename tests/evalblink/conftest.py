"""What evalblink's users have: a project folder, a key, benchmark files, and a server that plays OpenRouter.

A command runs in the process of the test, on real files and real sockets, with a folder and an environment of its own:
a hundred of them then take seconds. What only a process of its own can show has a fixture of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.boundary import guarded
from steelyard.cli.invocation import Invocation
from steelyard.cli.root import root
from steelyard.testing.fake_api import FakeAPI, catalog_entry

KEY = "sk-or-v1-a-key-for-tests-0123456789"
CATALOG = (
    catalog_entry("openai/gpt-4o-mini", input_per_mtok=0.15, output_per_mtok=0.60),
    catalog_entry("anthropic/claude-sonnet-4.6", input_per_mtok=3.0, output_per_mtok=15.0),
    catalog_entry("mistralai/mistral-small-2603", input_per_mtok=0.15, output_per_mtok=0.60),
    catalog_entry("google/gemini-2.5-flash", input_per_mtok=0.30, output_per_mtok=2.50),
)
KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USERPROFILE")


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        return self.stdout + self.stderr


@dataclass(frozen=True)
class Desk:
    """Runs commands in a folder, and looks at what they leave there."""

    folder: Path
    environ: Mapping[str, str]

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None, typed: str = "") -> Done:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name in list(os.environ):
                if name not in KEPT:
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

    def apart(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Start the command in a process of its own, with these variables as well."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return subprocess.Popen(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=self.folder,
            env={**kept, "PYTHONUTF8": "1", **self.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def write(self, name: str, content: str | bytes | Mapping[str, Any]) -> Path:
        """Write a file: text as it stands, a mapping as JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Mapping):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def record(self, number: int = -1) -> dict[str, Any]:
        """Return a stored record, the latest unless told otherwise."""
        return read_strictly(self.records()[number])

    def records(self) -> list[Path]:
        return sorted((self.folder / "results").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)

    def cases(self, combo: int = 0) -> dict[str, dict[str, Any]]:
        """Return the cases of a combo of the latest record, by id."""
        return {case["id"]: case for case in self.record()["results"][combo]["test_cases"]}

    def report(self) -> str:
        """Return the Markdown report of the latest run."""
        return self.records()[-1].with_suffix(".md").read_text(encoding="utf-8")


def read_strictly(path: Path) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(f"{path}: {token} is no JSON")

    content: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
    return content


def benchmark(**keys: Any) -> dict[str, Any]:
    """Make a benchmark of one model, one prompt and three cases that want ``ok``; ``keys`` win, ``None`` removes."""
    whole = {
        "name": "Three cases",
        "retry_backoff": 0.001,
        "models": ["vendor/small"],
        "prompts": [{"id": "v1", "template": "Say ok to {{ text }}."}],
        "test_cases": [case("c1"), case("c2"), case("c3")],
        **keys,
    }
    return {key: value for key, value in whole.items() if value is not None}


def case(identity: str, **keys: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "variables": {"text": f"<{identity}>"},
        "expected_output": "ok",
        "evaluation": "exact_match",
        **keys,
    }


def desk_in(folder: Path, api: FakeAPI | None = None, key: str | None = None) -> Desk:
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    environ = {"HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    if api is not None:
        environ["OPENROUTER_BASE_URL"] = api.base_url
    if key is not None:
        environ["OPENROUTER_API_KEY"] = key
    return Desk(project, environ)


@pytest.fixture(scope="session")
def new_desk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, FakeAPI], Desk]:
    """Make a command with a key and a server, for what several tests look at."""
    return lambda name, api: desk_in(tmp_path_factory.mktemp(name), api, KEY)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """The command in an empty project, without a network and without a key."""
    return desk_in(tmp_path)


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    """A server that plays OpenRouter."""
    with FakeAPI() as server:
        server.reply("ok")
        yield server


@pytest.fixture
def keyless(desk: Desk, api: FakeAPI) -> Desk:
    """The command with the server's address, and without a key."""
    return replace(desk, environ={**desk.environ, "OPENROUTER_BASE_URL": api.base_url})


@pytest.fixture
def online(keyless: Desk) -> Desk:
    """The command with a key as well."""
    return replace(keyless, environ={**keyless.environ, "OPENROUTER_API_KEY": KEY})


@pytest.fixture
def make() -> Callable[..., dict[str, Any]]:
    """Make a benchmark: see :func:`benchmark`."""
    return benchmark


@pytest.fixture
def a_case() -> Callable[..., dict[str, Any]]:
    """Make a test case: see :func:`case`."""
    return case
