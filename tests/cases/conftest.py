"""A project folder in which a whole command runs, for reports of what other tools got wrong.

A command runs in the process of the test, on real files and real sockets. Many cases share one run: what an output, a
judge or a server says is a table, and each row of it is a case.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli.boundary import guarded
from steelyard.cli.invocation import Invocation
from steelyard.cli.root import root
from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply

KEY = "sk-or-v1-a-key-for-tests-0123456789"
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

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name in list(os.environ):
                if name not in KEPT:
                    patch.delenv(name)
            for name, value in {**self.environ, **(env or {})}.items():
                patch.setenv(name, value)
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

    def apart(self, *arguments: str, utf8: bool = True, **variables: str) -> subprocess.Popen[bytes]:
        """Start the command in a process of its own, with these variables as well."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return subprocess.Popen(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=self.folder,
            env={**kept, **({"PYTHONUTF8": "1"} if utf8 else {}), **self.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )

    def write(self, name: str, content: str | bytes | Mapping[str, Any]) -> Path:
        """Write a file: bytes and text as they stand, a mapping as JSON."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Mapping):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def records(self) -> list[Path]:
        """Return the stored records, the latest last."""
        return sorted((self.folder / "results").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)

    def record(self) -> dict[str, Any]:
        """Return the latest record, read by a parser that knows no NaN."""
        return read_strictly(self.records()[-1])

    def cases(self, combo: int = 0) -> dict[str, dict[str, Any]]:
        """Return the cases of a combo of the latest record, by id."""
        return {case["id"]: case for case in self.record()["results"][combo]["test_cases"]}

    def outputs(self, rows: Sequence[Mapping[str, Any]], **keys: Any) -> dict[str, dict[str, Any]]:
        """Judge given outputs in one run, and return the cases by id.

        Each row is a case with the model's ``output`` in place of variables; the model is one that says what it hears.
        """
        cases = []
        for number, row in enumerate(rows):
            case = {"id": f"row-{number}", "variables": {"output": row["output"]}, **row}
            del case["output"]
            cases.append(case)
        model = {"id": "echo", "provider": "mock"}
        whole = {"name": "outputs", "models": [model], "prompts": [ECHO], "test_cases": cases, **keys}
        self.write("outputs.json", whole)
        done = self("run", "outputs.json")
        assert done.returncode in (0, 1), done.said
        assert self.records(), done.said
        return self.cases()


ECHO = {"id": "echo", "template": "{{ output }}"}


def read_strictly(path: Path) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(f"{path}: {token} is no JSON")

    content: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
    return content


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """The command in an empty project, without a network and without a key."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    return Desk(project, {"HOME": str(home), "XDG_CONFIG_HOME": str(home)})


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    """A server that plays every API."""
    with FakeAPI() as server:
        yield server


@pytest.fixture
def online(desk: Desk, api: FakeAPI) -> Desk:
    """The command with the server's address and a key for each provider."""
    addresses = {
        "OPENROUTER_BASE_URL": api.base_url,
        "OPENAI_BASE_URL": api.base_url,
        "ANTHROPIC_BASE_URL": api.origin,
        "GEMINI_BASE_URL": api.origin,
        "OLLAMA_HOST": api.origin,
    }
    keys = {f"{name}_API_KEY": KEY for name in ("OPENROUTER", "OPENAI", "ANTHROPIC", "GEMINI")}
    return replace(desk, environ={**desk.environ, **addresses, **keys})


@pytest.fixture
def asked(api: FakeAPI) -> Callable[[], int]:
    """How many questions reached the server; a catalog is none."""
    return lambda: sum(request.method == "POST" for request in api.requests)


@pytest.fixture
def judged(online: Desk, api: FakeAPI) -> Callable[..., dict[str, dict[str, Any]]]:
    """Run cases of a judge whose replies are given, all in one run.

    Takes rows of an id, the judge's reply, and maybe the candidate's answer; returns the cases by id.
    """

    def run(rows: Mapping[str, str | Reply | tuple[str | Reply, str]], **keys: Any) -> dict[str, dict[str, Any]]:
        told = {name: row if isinstance(row, tuple) else (row, "fine") for name, row in rows.items()}

        def answer(request: FakeRequest) -> Reply | str:
            name = request.prompt.split("~~")[1]
            return told[name][0] if request.model == "vendor/judge" else told[name][1]

        api.answer(answer)
        cases = [
            {"id": name, "evaluation": "llm_judge", "criteria": f"Case ~~{name}~~.", "variables": {"name": name}}
            for name in rows
        ]
        whole = {
            "name": "judged",
            "retries": 0,
            "models": ["openai:maker/candidate"],
            "prompts": [{"id": "p", "template": "Answer ~~{{ name }}~~"}],
            "evaluation": {"judge_model": "openai:vendor/judge"},
            "test_cases": cases,
            **keys,
        }
        online.write("judged.json", whole)
        done = online("run", "judged.json")
        assert online.records(), done.said
        return online.cases()

    return run
