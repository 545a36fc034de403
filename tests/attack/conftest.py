"""A project in a folder of its own, in which the command runs as users run it: in a process, on real sockets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI

KEY = "sk-or-v1-0123456789abcdef-for-tests"


@dataclass
class Project:
    """The folder, and the environment that a command finds there."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def write(self, name: str, content: str | bytes | Mapping[str, Any]) -> Path:
        """Write a file; a mapping as JSON."""
        path = self.folder / name
        text = json.dumps(content) if isinstance(content, Mapping) else content
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    def suite(self, cases: Sequence[Mapping[str, Any]], **keys: Any) -> None:
        """Write a benchmark of one model and one prompt that says the case's ``q``."""
        whole = {"name": "t", "models": ["vendor/small"], "prompts": [{"id": "p", "template": "{{ q }}"}], "retries": 0}
        self.write("suite.json", {**whole, "test_cases": cases, **keys})

    def one_case(self, **keys: Any) -> None:
        """Write a benchmark of one case that wants the word ``billing``; ``keys`` are the benchmark's own."""
        case = {"id": "a", "variables": {"q": "hi"}, "expected_output": "billing", "evaluation": "exact_match"}
        self.suite([case], **keys)

    def __call__(
        self, *arguments: str, before: Sequence[str] = (), **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the command and wait for its end."""
        return subprocess.run(
            [*before, sys.executable, "-m", "steelyard", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONUTF8": "1", **self.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )

    def record(self) -> dict[str, Any]:
        """Return the latest record."""
        latest = max((self.folder / "results").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        found: dict[str, Any] = json.loads(latest.read_text(encoding="utf-8"))
        return found

    def cases(self) -> list[dict[str, Any]]:
        """Return the cases of the first combo of the latest record."""
        found: list[dict[str, Any]] = self.record()["results"][0]["test_cases"]
        return found

    def files_holding(self, text: str) -> list[str]:
        """Return which files of the project hold a text."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return [path.name for path in files if text.encode() in path.read_bytes()]


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, api: FakeAPI) -> Project:
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder, {"OPENROUTER_API_KEY": KEY, "OPENROUTER_BASE_URL": api.base_url})
