"""Settings that a component refuses when it is created: found by a check, placed, and blamed on the component."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from steelyard import RunOptions, hookimpl, open_session
from steelyard.api import Completion, NoSettings, ProviderSpec, Score, ScorerSpec, option
from steelyard.errors import BenchmarkError, UsageError
from steelyard.testing import make_benchmark, session_with

BENCHMARK = """\
name: Zones
models:
  - {id: near, provider: zonal, model: small, zone: 1}
  - {id: far, provider: zonal, model: small, zone: 9}
prompts: [{id: p, template: "hi"}]
test_cases:
  - {id: a, evaluation: anything}
"""
BLAME = r"provider 'zonal' of plugin '.+' \(.+\)"


@dataclass(frozen=True, kw_only=True)
class ZoneSettings:
    zone: int = option(1, doc="Which zone.")


class Zonal:
    def __init__(self, closed: list[int], zone: int) -> None:
        self._closed, self._zone = closed, zone

    async def complete(self, request: object) -> Completion:
        return Completion(text="ok")

    async def close(self) -> None:
        self._closed.append(self._zone)


class Anything:
    def score(self, case: object, output: object, ask: object) -> Score:
        return Score(value=1.0, passed=True)


ANYTHING = ScorerSpec(name="anything", summary="Takes all", settings=NoSettings, create=lambda *_: Anything())


def zonal(create: Any) -> ProviderSpec[ZoneSettings]:
    return ProviderSpec(name="zonal", summary="By zone", settings=ZoneSettings, create=create)


def write(folder: Path) -> Path:
    path = folder / "zones.yaml"
    path.write_text(BENCHMARK, "utf-8")
    return path


def session(folder: Path, create: Any) -> Any:
    class Plugin:
        @hookimpl
        def steelyard_register_providers(self) -> list[ProviderSpec[ZoneSettings]]:
            return [zonal(create)]

        @hookimpl
        def steelyard_register_scorers(self) -> list[ScorerSpec[NoSettings]]:
            return [ANYTHING]

    return open_session(cwd=folder, environ={}, plugins=[Plugin()], settings={"cache": False}, warn=pytest.fail)


def refusing(settings: ZoneSettings, context: object) -> Zonal:
    if settings.zone > 3:
        raise UsageError(f"'zone' must be at most 3, got {settings.zone}")
    return Zonal([], settings.zone)


def test_a_check_finds_what_a_provider_refuses_at_the_model_that_says_it(tmp_path: Path) -> None:
    path = write(tmp_path)

    checked = session(tmp_path, refusing).check(path, RunOptions())

    assert not checked.ok
    (problem,) = checked.problems
    assert problem.place.startswith(f"{path}:4:")
    assert problem.path == "model 'far'"
    assert re.fullmatch(BLAME + r": 'zone' must be at most 3, got 9", problem.message)


def test_a_run_says_the_same_before_its_first_call(tmp_path: Path) -> None:
    path = write(tmp_path)

    with pytest.raises(BenchmarkError, match=BLAME + r": 'zone' must be at most 3, got 9") as raised:
        session(tmp_path, refusing).run(path)

    assert raised.value.problems[0].place.startswith(f"{path}:4:")


def test_a_run_of_another_model_does_not_make_the_one_that_is_refused(tmp_path: Path) -> None:
    record = session(tmp_path, refusing).run(write(tmp_path), RunOptions(models=("near",)))

    assert record.results[0].passed == 1


def test_a_check_finds_a_provider_that_crashes_when_it_is_made(tmp_path: Path) -> None:
    def crashing(settings: object, context: object) -> Zonal:
        raise KeyError("oops")

    checked = session(tmp_path, crashing).check(write(tmp_path), RunOptions())

    assert {problem.path for problem in checked.problems} == {"model 'near'", "model 'far'"}
    assert all("creating: provider 'zonal': KeyError: 'oops'" in problem.message for problem in checked.problems)


def test_a_check_makes_providers_where_an_event_loop_runs_and_closes_them(tmp_path: Path) -> None:
    closed: list[int] = []

    def on_a_loop(settings: ZoneSettings, context: object) -> Zonal:
        asyncio.get_running_loop()  # as the clients of some libraries do
        return Zonal(closed, settings.zone)

    checked = session(tmp_path, on_a_loop).check(write(tmp_path), RunOptions())

    assert checked.problems == ()
    assert sorted(closed) == [1, 9]


def test_a_scorer_that_refuses_its_settings_is_named(tmp_path: Path) -> None:
    def refuse(settings: object, context: object) -> Anything:
        raise UsageError("'strict' needs a language")

    spec = ScorerSpec(name="tone", summary="Friendly", settings=NoSettings, create=refuse)
    provider = zonal(refusing)
    benchmark = make_benchmark(cases=1, models=["zonal:small"], scorers=["tone"])

    checked = session_with(spec, provider, cwd=tmp_path).check(benchmark, RunOptions())

    assert [problem.message.partition(" (")[0] for problem in checked.problems] == [
        "scorer 'tone' of plugin 'ComponentsOfTheTest'"
    ]
    assert checked.problems[0].message.endswith("): 'strict' needs a language")


def test_a_message_that_names_its_component_is_not_named_again(tmp_path: Path) -> None:
    def refuse(settings: object, context: object) -> Anything:
        raise UsageError("tone: 'strict' needs a language")

    spec = ScorerSpec(name="tone", summary="Friendly", settings=NoSettings, create=refuse)
    benchmark = make_benchmark(cases=1, models=["zonal:small"], scorers=["tone"])

    checked = session_with(spec, zonal(refusing), cwd=tmp_path).check(benchmark, RunOptions())

    assert [problem.message for problem in checked.problems] == ["tone: 'strict' needs a language"]


def test_what_a_component_warns_of_names_it_and_its_plugin(tmp_path: Path) -> None:
    said: list[str] = []

    def warning(settings: object, context: Any) -> Anything:
        context.warn("the model is old")
        context.warn("tone: names itself")
        return Anything()

    spec = ScorerSpec(name="tone", summary="Friendly", settings=NoSettings, create=warning)
    benchmark = make_benchmark(cases=1, models=["zonal:small"], scorers=["tone"])

    session_with(spec, zonal(refusing), cwd=tmp_path, warn=said.append).check(benchmark, RunOptions())

    first, second = said
    assert first.startswith("scorer 'tone' of plugin 'ComponentsOfTheTest' (")
    assert first.endswith("): the model is old")
    assert second == "tone: names itself"
