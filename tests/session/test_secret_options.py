"""The value of a secret option is found nowhere: in no message, no reply, no reason, and nothing that is written."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from steelyard._config.option_secrets import secrets_given, secrets_of
from steelyard.api import (
    CacheSpec,
    Case,
    CaseResult,
    Completion,
    ModelUse,
    Problem,
    ProviderSpec,
    ReporterSpec,
    Score,
    ScorerSpec,
    ScorerUse,
    option,
)
from steelyard.errors import ProviderError, ScorerError, SteelyardError, UsageError
from steelyard.session import Session
from steelyard.testing import RecordingReporter, ScriptedProvider, make_benchmark, session_with

SECRET = "hunter2-of-the-option"


@dataclass(frozen=True, kw_only=True)
class Settings:
    token: str = option("", doc="A token.", secret=True)
    at: str = option("", doc="Where it is shown.")

    def __post_init__(self) -> None:
        if self.at == "settings":
            raise ValueError(f"{self.token} is no token")


class Shows:
    """A component of every kind that shows its token where it is told to."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def complete(self, request: object) -> Completion:
        if self._settings.at == "error":
            raise ProviderError(f"refused: {self._settings.token}")
        if self._settings.at == "crash":
            raise RuntimeError(self._settings.token)
        return Completion(text=f"you sent {self._settings.token}")

    def score(self, case: Case, output: object, ask: object) -> Score:
        if self._settings.at == "error":
            raise ScorerError(f"no verdict with {self._settings.token}")
        token = self._settings.token
        return Score(value=1.0, passed=True, reason=f"by {token}", details={"by": [token]})

    def check(self, benchmark: object, case: Case) -> list[Problem]:
        return [Problem(message=f"wrong: {self._settings.token}")] if self._settings.at == "check" else []


def create(settings: Settings, context: object) -> Any:
    if settings.at == "create":
        raise UsageError(f"{settings.token} cannot work")
    if settings.at == "create with a crash":
        raise RuntimeError(f"crashed with {settings.token}") from KeyError(settings)
    return Shows(settings)


PROVIDER = ProviderSpec(name="shows", summary="Shows", settings=Settings, create=create)
SCORER = ScorerSpec(name="judges", summary="Judges", settings=Settings, create=create)
CACHE = CacheSpec(name="keeps", summary="Keeps", settings=Settings, create=create, default=True)


def benchmark(*, provider: str = "", scorer: str = "") -> Any:
    model = ModelUse(id="m", model="m", provider="shows", options={"token": SECRET, "at": provider})
    use = ScorerUse(type="judges", options={"token": SECRET, "at": scorer})
    made = make_benchmark(1)
    return replace(made, models=(model,), cases=tuple(replace(case, scorers=(use,)) for case in made.cases))


class Listens(RecordingReporter):
    def __init__(self) -> None:
        super().__init__()
        self.heard: list[CaseResult] = []

    def case_finished(self, result: CaseResult) -> None:
        self.heard.append(result)


@pytest.mark.parametrize("where", [{}, {"provider": "error"}, {"provider": "crash"}, {"scorer": "error"}], ids=str)
def test_it_is_in_no_result_that_is_stored_or_heard(tmp_path: Path, where: dict[str, str]) -> None:
    listens = Listens()
    reporter = ReporterSpec(
        name="listens", summary="Listens", settings=Settings, create=lambda *_: listens, automatic=True
    )
    session = session_with(PROVIDER, SCORER, reporter, cwd=tmp_path, warn=lambda _line: None)

    record = session.run(benchmark(**where))

    shown = repr([record, *record.results[0].cases, listens.heard, listens.records])
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert len(listens.heard) == 1
    assert "[redacted]" in repr(listens.heard)
    assert b"[redacted]" in written
    assert SECRET not in shown
    assert SECRET.encode() not in written


def shown_by(use: Callable[[], object]) -> str:
    """Return everything that an error shows, with its causes and its traceback."""
    with pytest.raises(SteelyardError) as caught:
        use()
    return str(caught.value) + "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("at", ["settings", "create", "create with a crash"])
@pytest.mark.parametrize("kind", ["provider", "scorer"])
def test_it_is_in_no_error_of_a_run_and_in_no_problem_of_a_check(tmp_path: Path, kind: str, at: str) -> None:
    session = session_with(PROVIDER, SCORER, cwd=tmp_path)
    wanted = benchmark(**{kind: at})

    shown = shown_by(lambda: session.run(wanted)) + repr(session.check(wanted).problems)

    assert "[redacted]" in shown
    assert SECRET not in shown


def test_it_is_in_no_problem_that_a_scorer_finds(tmp_path: Path) -> None:
    (problem,) = session_with(PROVIDER, SCORER, cwd=tmp_path).check(benchmark(scorer="check")).problems

    assert problem.message == "wrong: [redacted]"


def cache_of(folder: Path, at: str) -> Session:
    settings = {"caches": {"keeps": {"token": SECRET, "at": at}}}
    return session_with(ScriptedProvider(), CACHE, cwd=folder, settings=settings)


@pytest.mark.parametrize("at", ["settings", "create", "create with a crash"])
def test_it_is_in_no_error_of_a_cache(tmp_path: Path, at: str) -> None:
    shown = shown_by(lambda: cache_of(tmp_path, at).cache())

    assert "[redacted]" in shown
    assert SECRET not in shown


def test_it_is_in_no_error_of_what_is_done_with_the_session(tmp_path: Path) -> None:
    session = cache_of(tmp_path, "")

    def use() -> None:
        with session.hiding_secrets():
            session.cache()
            raise SteelyardError(f"lost {SECRET}")

    assert "lost [redacted]" in (shown := shown_by(use))
    assert "lost " + SECRET not in shown


@dataclass(frozen=True)
class Part:
    key: str = option("", doc="Secret.", secret=True)
    name: str = option("", doc="Not secret.")


@dataclass(frozen=True)
class Nested:
    keys: tuple[str, ...] = option((), doc="Secrets.", secret=True)
    pin: int = option(0, doc="A secret number.", secret=True)
    parts: tuple[Part, ...] = option((), doc="With secrets.")
    part: Part | None = option(None, doc="With a secret.")


def test_secrets_are_found_in_lists_numbers_and_nested_settings() -> None:
    given = {"keys": ["a", "b"], "pin": 4711, "parts": [{"key": "c", "name": "n"}], "part": {"key": "d"}}
    made = Nested(keys=("a", "b"), pin=4711, parts=(Part("c", "n"),), part=Part("d"))

    assert sorted(secrets_given(Nested, given)) == ["4711", "a", "b", "c", "d"]
    assert sorted(secrets_of(made)) == ["4711", "a", "b", "c", "d"]
    assert secrets_given(Nested, {"parts": "wrong", "part": ["worse"], "keys": "e"}) == ("e",)


@dataclass(frozen=True, kw_only=True)
class Headed:
    headers: Mapping[str, str] = option(default_factory=dict, doc="Headers.", secret=True)


def test_of_a_mapping_only_what_a_secret_would_be_called_is_hidden() -> None:
    headers = {"X-Api-Key": "one", "authorization": "two", "DB_PASSWORD": "three", "MODE": "production", "Accept": "*"}

    assert sorted(secrets_given(Headed, {"headers": headers})) == ["one", "three", "two"]
    assert sorted(secrets_of(Headed(headers=headers))) == ["one", "three", "two"]


LOCAL = """
from dataclasses import dataclass
from steelyard import hookimpl
from steelyard.api import Score, ScorerSpec, option

@dataclass(frozen=True)
class Settings:
    token: str = option(doc="x", secret=True)
    at: str = option("", doc="x")

class Leaks:
    def __init__(self, settings):
        self._settings = settings
    def score(self, case, output, ask):
        return Score(value=0.0, passed=False, reason=f"by {self._settings.token}")

def create(settings, context):
    if settings.at == "create":
        raise RuntimeError(settings.token)
    return Leaks(settings)

@hookimpl
def steelyard_register_scorers():
    return [ScorerSpec(name="leaks", summary="x", settings=Settings, create=create)]
"""


@pytest.mark.parametrize(("at", "code"), [("score", 0), ("create", 1)])
def test_the_command_shows_and_writes_it_nowhere(tmp_path: Path, at: str, code: int) -> None:
    (tmp_path / "scorers").mkdir()
    (tmp_path / "scorers" / "leaks.py").write_text(LOCAL, "utf-8")
    (tmp_path / "b.yaml").write_text(
        "name: b\nmodels: ['mock:echo']\nprompts: [{id: p, template: hello}]\n"
        f"test_cases: [{{id: a, scorers: [{{type: leaks, token: {SECRET}, at: {at}}}]}}]\n",
        "utf-8",
    )

    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "--debug", "run", "b.yaml", "--verbose", "--no-cache", "-o", "out.md"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )

    shown = done.stdout + done.stderr
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "b.yaml"]
    assert done.returncode == code
    assert "[redacted]" in shown + "".join(path.read_text("utf-8") for path in files if path.suffix == ".md")
    assert SECRET not in shown
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []
