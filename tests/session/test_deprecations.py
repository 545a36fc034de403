"""Whoever uses what is to go is told where, whose it is, what to use instead, and when. Nothing else changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import (
    FormatSpec,
    ModelUse,
    Node,
    NoSettings,
    ProviderSpec,
    ReporterSpec,
    RunOptions,
    Score,
    ScorerSpec,
    ScorerUse,
    option,
)
from steelyard.testing import RecordingReporter, ScriptedProvider, make_benchmark, session_with

NO_OPTIONS = RunOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    least: float | None = option(None, doc="The lowest score.", deprecated="use min_score; goes in 2.0")
    min_score: float | None = option(None, doc="The lowest score that passes.")


class Accepts:
    def __init__(self, *_: object) -> None: ...

    def score(self, case: object, output: object, ask: object) -> Score:
        return Score(value=1.0, passed=True)


def scorer(**fields: Any) -> ScorerSpec[Settings]:
    return ScorerSpec(name="floor", summary="Output is good", settings=Settings, create=Accepts, **fields)


def said_by(tmp_path: Path, uses: list[ScorerUse], *components: object, options: RunOptions = NO_OPTIONS) -> list[str]:
    said: list[str] = []
    session = session_with(*components, cwd=tmp_path, warn=said.append)
    record = session.run(make_benchmark(2, scorers=uses), options)
    assert [case.passed for case in record.results[0].cases] == [True, True]
    return said


def test_an_option_that_is_to_go_still_works_and_is_named_once_with_its_successor(tmp_path: Path) -> None:
    use = ScorerUse(type="floor", options={"least": 0.5}, place="b.yaml:7:3")

    said = said_by(tmp_path, [use], ScriptedProvider(), scorer())

    assert len(said) == 1
    assert said[0].startswith("b.yaml:7:3: ")
    assert "option 'least' of scorer 'floor' of plugin" in said[0]
    assert said[0].endswith("is deprecated; use min_score; goes in 2.0")


@pytest.mark.parametrize("options", [{}, {"min_score": 0.5}, {"least": None}])
def test_nobody_is_warned_of_an_option_that_he_does_not_set(tmp_path: Path, options: dict[str, Any]) -> None:
    use = ScorerUse(type="floor", options=options)

    assert said_by(tmp_path, [use], ScriptedProvider(), scorer()) == []


def test_a_scorer_that_is_to_go_says_so(tmp_path: Path) -> None:
    said = said_by(
        tmp_path, [ScorerUse(type="floor")], ScriptedProvider(), scorer(deprecated="use contains; goes in 2.0")
    )

    assert [line.partition("scorer 'floor'")[2].partition("is deprecated; ")[2] for line in said] == [
        "use contains; goes in 2.0"
    ]


def test_a_reporter_that_is_to_go_says_so_when_it_is_asked_for(tmp_path: Path) -> None:
    reporter = ReporterSpec(
        name="old",
        summary="Hears",
        settings=NoSettings,
        create=lambda _settings, _context: RecordingReporter(),
        deprecated="use new; goes in 2.0",
    )
    uses = [ScorerUse(type="floor")]

    unasked = said_by(tmp_path, uses, ScriptedProvider(), scorer(), reporter)
    asked = said_by(tmp_path, uses, ScriptedProvider(), scorer(), reporter, options=RunOptions(reporters=("old",)))

    assert unasked == []
    assert len(asked) == 1
    assert "reporter 'old'" in asked[0]
    assert asked[0].endswith("is deprecated; use new; goes in 2.0")


def test_a_provider_that_is_to_go_is_named_where_its_model_stands(tmp_path: Path) -> None:
    said: list[str] = []
    provider = ProviderSpec(
        name="old",
        summary="Answers",
        settings=NoSettings,
        create=lambda _settings, _context: ScriptedProvider(),
        deprecated="use new; goes in 2.0",
    )
    benchmark = make_benchmark(1, scorers=[ScorerUse(type="floor")])
    model = ModelUse(id="m", model="m", provider="old", place="b.yaml:2:5")

    checked = session_with(provider, scorer(), cwd=tmp_path, warn=said.append).check(
        replace(benchmark, models=(model,))
    )

    assert checked.ok
    assert [line[:10] for line in said] == ["b.yaml:2:5"]
    assert said[0].endswith("is deprecated; use new; goes in 2.0")


class Lines:
    def recognises(self, document: object) -> bool:
        return True

    def read(self, node: Node, path: Path) -> Any:
        return make_benchmark(1, scorers=[ScorerUse(type="floor")])


def test_a_format_that_is_to_go_is_a_warning_about_its_file(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text("anything: 1\n", "utf-8")
    old = FormatSpec(
        name="old", summary="Lines", create=lambda _tools: Lines(), deprecated="steelyard convert; goes in 2.0"
    )

    checked = session_with(ScriptedProvider(), scorer(), old, cwd=tmp_path).check(file)

    assert checked.ok
    assert [(problem.severity, problem.place, problem.hint) for problem in checked.problems] == [
        ("warning", str(file), "steelyard convert; goes in 2.0")
    ]
