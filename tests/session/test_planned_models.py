"""A reporter learns which model of which provider stands behind a label."""

from __future__ import annotations

from pathlib import Path

from steelyard.api import ModelUse, NoSettings, PlannedModel, ProviderSpec, Score
from steelyard.testing import RecordingReporter, ScriptedProvider, make_benchmark, session_with


class Accepts:
    def score(self, case: object, output: object, ask: object) -> Score:
        return Score(value=1.0, passed=True)


def test_each_model_is_named_once_with_its_provider(tmp_path: Path) -> None:
    reporter = RecordingReporter()
    specs = [
        ProviderSpec(name=name, summary="", settings=NoSettings, create=lambda _settings, _context: ScriptedProvider())
        for name in ("first", "second")
    ]
    models = ["first:vendor/small:free", ModelUse(id="mine", provider="second", model="large")]

    session_with(*specs, Accepts(), reporter, cwd=tmp_path).run(
        make_benchmark(1, models=models, prompts=["one", "two"], scorers=["fake_scorer"])
    )

    assert reporter.plans[0].models == (
        PlannedModel(id="first:vendor/small:free", provider="first", model="vendor/small:free"),
        PlannedModel(id="mine", provider="second", model="large"),
    )
