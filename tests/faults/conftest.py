"""Commands that can be killed, starved and crowded, and a server that counts what each of them pays for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply

KEY = "sk-or-v1-a-key-for-tests-0123456789"
KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
CHANGES = frozenset(("run_id", "timestamp", "duration_s", "cached", "attempts", "spent"))
LATENCIES = frozenset(("latency_ms", "latency_p50_ms", "latency_p95_ms"))
"""What may differ between a run that was cut off and one that was not: when it was, how long it took, what it paid."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    """The exit code; below 0 the signal that ended it."""
    out: str
    err: str
    peak_kib: int

    @property
    def said(self) -> str:
        return self.out + self.err


class Forks:
    """The process from which commands are forked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("command_forks.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._answer()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        with self._lock:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process from which commands are forked is gone"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._process.communicate()


@dataclass(frozen=True)
class Started:
    """A command that runs."""

    forks: Forks
    pid: int
    out: Path
    err: Path

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def end(self) -> Ended:
        """Wait for its end."""
        found = self.forks.ask({"wait": self.pid})
        said = [path.read_bytes().decode("utf-8", "replace") if path.exists() else "" for path in (self.out, self.err)]
        return Ended(found["code"], said[0], said[1], found["peak_kib"])


@dataclass(frozen=True)
class Place:
    """A folder in which commands run against one server."""

    forks: Forks
    folder: Path
    environ: Mapping[str, str]
    aside: Path
    """A folder for what commands say, which no fault touches."""

    def start(self, *arguments: str, **limits: Any) -> Started:
        number = len(list(self.aside.glob("*.out")))
        out, err = self.aside / f"{number}.out", self.aside / f"{number}.err"
        out.touch()
        err.touch()
        for path in (out, err):
            path.chmod(0o666)
        request = {
            "folder": str(self.folder),
            "environ": dict(self.environ),
            "arguments": list(arguments),
            "out": str(out),
            "err": str(err),
            **limits,
        }
        return Started(self.forks, self.forks.ask(request)["pid"], out, err)

    def run(self, *arguments: str, **limits: Any) -> Ended:
        return self.start(*arguments, **limits).end()

    def records(self) -> list[Path]:
        return sorted((self.folder / "results").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)

    def record(self) -> dict[str, Any]:
        (path,) = self.records()
        return strictly(path)

    def lasting(self) -> Any:
        """Return the only record without what may differ from run to run."""
        return lasting(self.record())


def strictly(path: Path) -> dict[str, Any]:
    def refuse(token: str) -> None:
        raise AssertionError(f"{path}: {token} is no JSON")

    found: dict[str, Any] = json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
    return found


def lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: lasting(inside) for key, inside in value.items() if key not in CHANGES | LATENCIES}
    if isinstance(value, list):
        return [lasting(inside) for inside in value]
    return value


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    made = Forks()
    yield made
    made.close()


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as server:
        yield server


@pytest.fixture
def place(forks: Forks, api: FakeAPI, tmp_path: Path) -> Callable[[str], Place]:
    """Make a folder with the benchmark in it."""

    def made(name: str) -> Place:
        folder, aside, home = (tmp_path / name / part for part in ("project", "aside", "home"))
        for path in (folder, aside, home):
            path.mkdir(parents=True)
        environ = {name: os.environ[name] for name in KEPT if name in os.environ}
        environ |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "PYTHONUTF8": "1"}
        environ |= {"OPENROUTER_BASE_URL": api.base_url, "OPENROUTER_API_KEY": KEY}
        (folder / "b.json").write_text(json.dumps(benchmark()), encoding="utf-8")
        return Place(forks, folder, environ, aside)

    return made


def benchmark(cases: int = 16, **keys: Any) -> dict[str, Any]:
    """Make a benchmark of two models: half of its cases are compared, the others judged by a third model."""
    judged = {"evaluation": "llm_judge", "criteria": "Is it polite?"}
    matched = {"evaluation": "exact_match", "expected_output": "ok"}
    return {
        "name": "faults",
        "quality_threshold": 50,
        "concurrency": 4,
        "retry_backoff": 0.001,
        "models": ["vendor/one", "vendor/two"],
        "prompts": [{"id": "p", "template": "Case #{{ n }}#"}],
        "evaluation": {"judge_model": "vendor/judge"},
        "test_cases": [
            {
                "id": f"c{n}",
                "variables": {"n": n},
                "tags": ["even"] if n % 4 < 2 else [],
                **(judged if n % 2 else matched),
            }
            for n in range(cases)
        ],
        **keys,
    }


@pytest.fixture(scope="session")
def suite() -> Callable[..., dict[str, Any]]:
    """Make a benchmark: see :func:`benchmark`."""
    return benchmark


def answers(latency_s: float) -> Callable[[FakeRequest], Reply]:
    """Answer every question always alike, and some of them wrongly."""

    def answer(request: FakeRequest) -> Reply:
        number = int(request.prompt.split("#")[1])
        if request.model == "vendor/judge":
            text = json.dumps({"reasoning": f"case {number}", "score": 1 + number % 5})
        else:
            text = "ok" if (number + len(request.model)) % 3 else f"no {number}"
        return Reply(text, cost_usd=0.001 * (1 + number), latency_s=latency_s)

    return answer


@pytest.fixture(scope="session")
def answering() -> Callable[[float], Callable[[FakeRequest], Reply]]:
    """Make a server's answers: see :func:`answers`."""
    return answers


@pytest.fixture(scope="session")
def paid() -> Callable[[FakeAPI, int], Counter[str]]:
    """Count how often each question was asked, from a number of requests on."""

    def counted(api: FakeAPI, start: int = 0) -> Counter[str]:
        asked = [request for request in api.requests[start:] if request.method == "POST"]
        return Counter(request.body.decode("utf-8") for request in asked)

    return counted
