"""Reporters that take everything from the record are not told the cases one by one."""

from __future__ import annotations

from dataclasses import replace

from steelyard import hookimpl
from steelyard.api import NoSettings, ReporterSpec, RunOptions, Score, ScorerSpec
from steelyard.testing import ScriptedProvider, make_benchmark, session_with


class Listening:
    def __init__(self):
        self.cases = []
        self.ends = 0

    def run_started(self, plan):
        pass

    def case_finished(self, result):
        self.cases.append(result.id)

    def run_finished(self, record):
        self.ends += 1


class Accepts:
    def score(self, case, output, ask):
        return Score(value=1.0, passed=True)


ACCEPTS = ScorerSpec(name="accepts", summary="Accepts", settings=NoSettings, create=lambda _s, _c: Accepts())


class Plugin:
    def __init__(self, hearing, waiting):
        spec = ReporterSpec(
            name="hearing", summary="Hears", settings=NoSettings, create=lambda _s, _c: hearing, automatic=True
        )
        silent = replace(spec, name="waiting", create=lambda _s, _c: waiting, hears_cases=False)
        self._specs = [spec, silent]

    @hookimpl
    def steelyard_register_reporters(self):
        return self._specs


def test_a_reporter_that_hears_no_cases_hears_only_the_end(tmp_path):
    hearing, waiting = Listening(), Listening()
    session = session_with(
        ScriptedProvider("ok"), ACCEPTS, Plugin(hearing, waiting), cwd=tmp_path, settings={"cache": False}
    )

    session.run(make_benchmark(cases=2, scorers=("accepts",)), RunOptions(store=False))

    assert hearing.cases == ["case-1", "case-2"]
    assert waiting.cases == []
    assert (hearing.ends, waiting.ends) == (1, 1)
