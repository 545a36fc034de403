"""A caller that shows results itself, such as a notebook or another tool, leaves the automatic reporters out."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.api import NoSettings, ReporterSpec, RunOptions, Score
from steelyard.testing import RecordingReporter, ScriptedProvider, make_benchmark, session_with


class Accepts:
    def score(self, case: object, output: object, ask: object) -> Score:
        return Score(value=1.0, passed=True)


@pytest.mark.parametrize(
    ("options", "heard"),
    [
        (RunOptions(), ["automatic"]),
        (RunOptions(automatic_reporters=False), []),
        (RunOptions(automatic_reporters=False, reporters=("asked",)), ["asked"]),
        (RunOptions(automatic_reporters=False, reporters=("automatic",)), ["automatic"]),
    ],
)
def test_a_caller_can_do_without_the_automatic_reporters(tmp_path: Path, options: RunOptions, heard: list[str]) -> None:
    reporters = {"automatic": RecordingReporter(), "asked": RecordingReporter()}

    def spec(name: str) -> ReporterSpec[NoSettings]:
        return ReporterSpec(
            name=name,
            summary="Hears",
            settings=NoSettings,
            create=lambda _settings, _context: reporters[name],
            automatic=name == "automatic",
        )

    session = session_with(ScriptedProvider(), Accepts(), *map(spec, reporters), cwd=tmp_path)

    session.run(make_benchmark(1, scorers=["fake_scorer"]), options)

    assert [name for name, reporter in reporters.items() if reporter.records] == heard
