"""To be used by default is to be named: a contested name is told, and never leaves out without a word what has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import CacheSpec, FormatSpec, NoSettings, ReporterSpec, RunOptions, Score, ScorerSpec
from steelyard.errors import NameConflictError, SteelyardError
from steelyard.session import Session
from steelyard.testing import RecordingReporter, ScriptedProvider, make_benchmark, session_with
from steelyard.testing.sessions import ComponentsOfTheTest


class Accepts:
    def score(self, case: object, output: object, ask: object) -> Score:
        return Score(value=1.0, passed=True)


class Anything:
    """A format that takes every file for its own."""

    def recognises(self, document: object) -> bool:
        return True

    def starter(self, answers: object) -> str:
        return ""


def reporter(**more: Any) -> ReporterSpec[NoSettings]:
    return ReporterSpec(
        name="paper", summary="Writes", settings=NoSettings, create=lambda *_: RecordingReporter(), **more
    )


def cache(**more: Any) -> CacheSpec[NoSettings]:
    return CacheSpec(name="shelf", summary="Keeps", settings=NoSettings, create=lambda *_: None, **more)


def scorer(**more: Any) -> ScorerSpec[NoSettings]:
    return ScorerSpec(name="pairs", summary="Compares", settings=NoSettings, create=lambda *_: Accepts(), **more)


def suite(**more: Any) -> FormatSpec:
    return FormatSpec(name="any", summary="Reads", create=lambda _tools: Anything(), **more)


@pytest.fixture
def provider() -> ScriptedProvider:
    return ScriptedProvider()


@pytest.fixture
def contested(tmp_path: Path, provider: ScriptedProvider) -> Callable[..., Session]:
    """Open a session in which two plugins offer one name."""

    def opened(one: Any, other: Any) -> Session:
        plugins = ComponentsOfTheTest([one]), ComponentsOfTheTest([other])
        settings = {"default_provider": "fake_provider", **({} if isinstance(one, CacheSpec) else {"cache": False})}
        return session_with(provider, Accepts(), *plugins, cwd=tmp_path, settings=settings)

    return opened


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (reporter(automatic=True), reporter()),
        (reporter(), reporter(automatic=True)),
        (cache(default=True), cache()),
        (cache(), cache(default=True)),
    ],
)
def test_a_contested_default_stops_a_run_before_its_first_call(
    contested: Callable[..., Session], provider: ScriptedProvider, one: Any, other: Any
) -> None:
    with pytest.raises(NameConflictError, match=f"^2 plugins offer the .* '{one.name}'.*block all but one"):
        contested(one, other).run(make_benchmark(1, scorers=["fake_scorer"]))

    assert provider.calls == 0


@pytest.mark.parametrize(
    ("pair", "options"),
    [
        ((reporter(), reporter(extensions=(".paper",))), RunOptions()),
        ((reporter(automatic=True), reporter()), RunOptions(automatic_reporters=False)),
        ((cache(), cache()), RunOptions()),
        ((cache(default=True), cache()), RunOptions(cache=False)),
    ],
)
def test_a_contested_name_that_nobody_needs_stops_nothing(
    contested: Callable[..., Session], provider: ScriptedProvider, pair: tuple[Any, Any], options: RunOptions
) -> None:
    contested(*pair).run(make_benchmark(1, scorers=["fake_scorer"]), options)

    assert provider.calls == 1


@pytest.mark.parametrize(
    ("pair", "use"),
    [
        ((reporter(extensions=(".paper",)), reporter()), lambda session: session.check_outputs(["out.paper"])),
        ((reporter(), reporter(extensions=(".paper",))), lambda session: session.check_outputs(["out.paper"])),
        ((reporter(), reporter()), lambda session: session.check_outputs(["paper:out"])),
        ((cache(default=True), cache()), lambda session: session.cache()),
        ((suite(), suite()), lambda session: session.formats.starter()),
        ((suite(default_provider="fake_provider"), suite()), lambda session: session.formats.starter()),
    ],
)
def test_what_is_wanted_for_what_it_does_is_told_to_be_contested(
    contested: Callable[..., Session], pair: tuple[Any, Any], use: Callable[[Session], object]
) -> None:
    with pytest.raises(NameConflictError, match=r"^2 plugins offer the .*block all but one"):
        use(contested(*pair))


def test_a_file_of_a_contested_format_is_told_from_one_that_nobody_knows(
    contested: Callable[..., Session], tmp_path: Path
) -> None:
    (tmp_path / "suite.yaml").write_text("a: 1\n", encoding="utf-8")

    (problem,) = contested(suite(), suite()).check(tmp_path / "suite.yaml").problems

    assert problem.message.startswith("2 plugins offer the format 'any'")


def test_a_stored_run_is_not_told_by_fewer_reporters_than_it_should(
    contested: Callable[..., Session], tmp_path: Path
) -> None:
    contested(reporter(), reporter()).run(make_benchmark(1, scorers=["fake_scorer"]))
    session = contested(reporter(), reporter(automatic=True, extensions=(".paper",)))

    with pytest.raises(SteelyardError, match=r"^2 plugins offer the reporter 'paper'"):
        session.report(session.history().runs(skipped=lambda *_: None)[0])


CLAIMS = """
from steelyard import hookimpl
from steelyard.api import CacheSpec, NoSettings, ReporterSpec

@hookimpl
def steelyard_register_reporters():
    return [ReporterSpec(name="json", summary="x", settings=NoSettings, create=lambda *_: None)]

@hookimpl
def steelyard_register_caches():
    return [CacheSpec(name="sqlite", summary="x", settings=NoSettings, create=lambda *_: None)]
"""


@pytest.fixture
def steelyard(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command where a plugin claims names of built-in components that are used by default."""
    site = tmp_path / "site"
    info = site / "claims-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: claims\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[steelyard]\nclaims = claims\n[steelyard.commands]\nclaims = claims:x\n")
    (site / "claims.py").write_text(CLAIMS, "utf-8")
    benchmark = {
        "name": "b",
        "models": ["mock:echo"],
        "prompts": [{"id": "p", "template": "{{ q }}"}],
        "test_cases": [{"id": "a", "variables": {"q": "A"}, "expected_output": "A", "evaluation": "exact_match"}],
    }
    (tmp_path / "b.json").write_text(json.dumps(benchmark), "utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "steelyard", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site), "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


SETTLE = "block all but one: --no-plugin claims or --no-plugin"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["run", "b.json"], "cache 'sqlite'"),
        (["run", "b.json", "--no-cache", "-o", "out.json"], "reporter 'json'"),
        (["run", "b.json", "--no-cache", "--json", "out.json"], "reporter 'json'"),
        (["cache", "stats"], "cache 'sqlite'"),
    ],
)
def test_the_command_names_the_claimants_and_the_switch(
    steelyard: Callable[..., subprocess.CompletedProcess[str]], arguments: list[str], what: str
) -> None:
    done = steelyard(*arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert f"2 plugins offer the {what}: 'claims' (claims 1.0) and " in done.stderr
    assert SETTLE in done.stderr


def test_both_claimants_say_in_the_list_that_a_name_is_contested(
    steelyard: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    listed = json.loads(steelyard("plugins", "--format", "json").stdout)

    (claims,) = [plugin for plugin in listed if plugin["name"] == "claims"]
    assert claims["state"] == "ok"
    assert {"kind": "command", "name": "claims"} in claims["adds"]
    assert "2 plugins offer the reporter 'json': " in claims["why"]
    assert "2 plugins offer the cache 'sqlite': " in claims["why"]
    others = [(one["name"], one["state"], one["why"].partition(":")[0]) for one in listed if one["why"]]
    assert ("json", "ok", "2 plugins offer the reporter 'json'") in others
    assert ("sqlite", "ok", "2 plugins offer the cache 'sqlite'") in others
    assert len(others) == 3
