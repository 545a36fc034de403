"""The Python API, as a script or a notebook uses it."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

import steelyard
from steelyard import RunOptions, open_session
from steelyard.api import (
    Completion,
    NoSettings,
    PluginContext,
    ProviderSpec,
    Reporter,
    ReporterSpec,
    RunPlan,
    RunRecord,
    Score,
    ScorerSpec,
    Status,
)
from steelyard.errors import BenchmarkError, ProviderError, SteelyardError, UsageError


def write(folder: Path, **changes: Any) -> Path:
    benchmark = {
        "name": "Small",
        "models": [{"id": "echo", "provider": "mock"}],
        "prompts": [{"id": "p", "template": "{{ word }}"}],
        "test_cases": [
            {"id": "yes", "variables": {"word": "a"}, "expected_output": "a", "evaluation": "exact_match"},
            {"id": "no", "variables": {"word": "b"}, "expected_output": "c", "evaluation": "exact_match"},
        ],
        **changes,
    }
    path = folder / "b.json"
    path.write_text(json.dumps(benchmark), encoding="utf-8")
    return path


def plugin(**specs: Any) -> Any:
    """A plugin that is an object: the kind in the plural -> the specs that it offers."""

    def hook(offered: Any) -> Any:
        def implementation() -> Any:
            return offered

        return staticmethod(steelyard.hookimpl(implementation))

    return type("Plugin", (), {f"steelyard_register_{kind}": hook(offered) for kind, offered in specs.items()})()


def test_one_call_runs_a_file_and_returns_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record = steelyard.run(write(tmp_path), quiet=True)
    assert (record.results[0].passed, record.results[0].failed) == (1, 1)
    assert [case.status for case in record.results[0].cases] == [Status.SCORED, Status.SCORED]
    assert (tmp_path / "results" / f"{record.run_id}.json").is_file()


def test_a_notebook_with_a_running_event_loop_can_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path)

    async def cell() -> RunRecord:
        return steelyard.run(path, quiet=True)

    assert asyncio.run(cell()).results[0].passed == 1


def test_a_run_that_stores_nothing_leaves_nothing_but_its_record(tmp_path: Path) -> None:
    session = open_session(cwd=tmp_path, warn=pytest.fail)
    record = session.run(write(tmp_path), RunOptions(store=False, quiet=True, cache=False))
    assert [case.id for case in record.results[0].cases] == ["yes", "no"]
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


def test_a_selection_of_nothing_is_an_error_and_no_pass(tmp_path: Path) -> None:
    session = open_session(cwd=tmp_path)
    with pytest.raises(UsageError, match="no test case is left to run"):
        session.run(write(tmp_path), RunOptions(tags=("nobody",)))
    assert not (tmp_path / "results").exists()


def test_a_model_that_the_file_does_not_name_cannot_be_selected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no model 'ecko'; did you mean 'echo'"):
        open_session(cwd=tmp_path).run(write(tmp_path), RunOptions(models=("ecko",)))


def test_a_bad_file_is_refused_with_every_problem_before_anything_is_made(tmp_path: Path) -> None:
    path = write(tmp_path, qualty_threshold=1, models=[{"id": "x", "provider": "nobody"}])
    with pytest.raises(BenchmarkError) as caught:
        open_session(cwd=tmp_path).run(path)
    messages = [str(problem) for problem in caught.value.problems]
    assert any("qualty_threshold" in message for message in messages)
    assert any("unknown provider 'nobody'" in message for message in messages)
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]


def test_the_prefix_of_a_model_names_its_provider_only_when_there_is_one(tmp_path: Path) -> None:
    path = write(tmp_path, models=["mock:echo", "vendor/model:free"])
    checked = open_session(cwd=tmp_path).check(path)
    assert [(plan.offer.name, plan.use.model) for plan in checked.models] == [
        ("mock", "echo"),
        ("openrouter", "vendor/model:free"),
    ]


def test_a_prefix_of_no_installed_provider_is_warned_about_unless_the_default_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {"id": "c", "provider": "mock", "model": "bedrock:c"}
    path = write(tmp_path, models=["bedrock:claude", "vendor/model:free", "mock:echo", whole])
    (problem,) = open_session(cwd=tmp_path).check(path).problems
    assert (problem.severity, problem.path) == ("warning", "models[0]")
    assert problem.message.startswith("no provider 'bedrock' is installed")
    monkeypatch.setenv("STEELYARD_DEFAULT_PROVIDER", "ollama")
    assert open_session(cwd=tmp_path).check(path).problems == ()


def test_a_missing_key_stops_a_run_before_its_first_call_but_not_a_check(tmp_path: Path) -> None:
    path = write(tmp_path, models=["vendor/model"])
    session = open_session(cwd=tmp_path, environ={})
    assert session.check(path).ok
    with pytest.raises(UsageError, match="OPENROUTER_API_KEY"):
        session.run(path)
    assert not (tmp_path / "results").exists()


class Listening:
    """A reporter that notes whether the record was there when it heard the end."""

    stored: bool | None = None
    path: Path | None = None

    def run_started(self, plan: RunPlan) -> None:
        self.path = plan.record_path

    def case_finished(self, result: Any) -> None:
        """Nothing to note."""

    def run_finished(self, record: RunRecord) -> None:
        assert self.path is not None
        self.stored = self.path.exists()


class Failing(Listening):
    def run_finished(self, record: RunRecord) -> None:
        raise RuntimeError("no ink")


def reporting(name: str, reporter: Reporter) -> Any:
    def create(settings: NoSettings, context: PluginContext) -> Reporter:
        return reporter

    return plugin(reporters=[ReporterSpec(name=name, summary="", settings=NoSettings, create=create, automatic=True)])


def test_the_record_is_on_disk_before_any_reporter_hears_the_end(tmp_path: Path) -> None:
    reporter = Listening()
    open_session(cwd=tmp_path, plugins=[reporting("listening", reporter)]).run(write(tmp_path), RunOptions(quiet=True))
    assert reporter.stored is True


def test_a_failing_reporter_is_named_after_the_others_have_finished(tmp_path: Path) -> None:
    reporter = Listening()
    plugins = [reporting("a-failing", Failing()), reporting("listening", reporter)]
    session = open_session(cwd=tmp_path, plugins=plugins)
    with pytest.raises(SteelyardError, match=r"reporter 'a-failing' of plugin .*RuntimeError: no ink"):
        session.run(write(tmp_path), RunOptions(quiet=True))
    assert reporter.stored is True
    assert len(list((tmp_path / "results").glob("*.json"))) == 1


def scorer_that(what: str) -> Any:
    class Scorer:
        def score(self, case: Any, output: Any, ask: Any) -> Any:
            if what == "raises":
                raise KeyError("x")
            if what == "exits":
                raise SystemExit(0)
            if what == "is not a number":
                return Score(value=float("nan"), passed=True)
            return {"passed": True}

    spec = ScorerSpec(name="odd", summary="", settings=NoSettings, create=lambda settings, context: Scorer())
    return plugin(scorers=[spec])


@pytest.mark.parametrize("what", ["raises", "exits", "is not a number", "returns a dict"])
def test_a_scorer_that_breaks_costs_its_score_and_never_passes(tmp_path: Path, what: str) -> None:
    cases = [{"id": "a", "variables": {"word": "a"}, "evaluation": "odd"}]
    session = open_session(cwd=tmp_path, plugins=[scorer_that(what)])
    record = session.run(write(tmp_path, test_cases=cases), RunOptions(quiet=True))
    (case,) = record.results[0].cases
    assert case.status is Status.INTERNAL_ERROR
    assert not case.passed
    assert case.score is None
    assert case.runs[0].response == "a"
    assert "scorer 'odd' of plugin 'Plugin' (object 1)" in (case.error or "")
    assert not record.insights.passed


def test_a_component_that_cannot_be_created_is_blamed_before_any_call(tmp_path: Path) -> None:
    def create(settings: NoSettings, context: PluginContext) -> Any:
        raise ZeroDivisionError("division by zero")

    spec = ScorerSpec(name="odd", summary="", settings=NoSettings, create=create)
    cases = [{"id": "a", "variables": {"word": "a"}, "evaluation": "odd"}]
    session = open_session(cwd=tmp_path, plugins=[plugin(scorers=[spec])])
    with pytest.raises(BenchmarkError, match=r"creating: scorer 'odd': ZeroDivisionError: division by zero"):
        session.run(write(tmp_path, test_cases=cases))


def test_a_required_plugin_that_is_not_there_stops_the_run(tmp_path: Path) -> None:
    path = write(tmp_path, require_plugins=["steelyard-nobody"])
    with pytest.raises(BenchmarkError, match="no installed distribution has that name"):
        open_session(cwd=tmp_path).run(path)


def test_without_the_built_ins_a_session_opens_and_says_what_is_missing(tmp_path: Path) -> None:
    session = open_session(cwd=tmp_path, no_plugins=["steelyard"])
    assert all(report.state == "blocked" for report in session.plugins if report.distribution == "steelyard")
    with pytest.raises(BenchmarkError, match="no plugin in use offers a format"):
        session.run(write(tmp_path))


def test_two_sessions_know_nothing_of_each_other(tmp_path: Path) -> None:
    blocked = open_session(cwd=tmp_path, no_plugins=["exact_match"])
    free = open_session(cwd=tmp_path)
    assert "exact_match" not in blocked.registry.names("scorer")
    assert "exact_match" in free.registry.names("scorer")


class Interrupting(Listening):
    """A reporter that interrupts the run it hears of, after so many cases; never again after that."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.task: asyncio.Task[RunRecord] | None = None

    def case_finished(self, result: Any) -> None:
        self.left -= 1
        if self.left == 0 and self.task is not None:
            self.task.cancel()


def interrupt(session: steelyard.Session, path: Path, reporter: Interrupting, *, resumable: bool = True) -> None:
    options = RunOptions(quiet=True, resumable=resumable)

    async def run() -> None:
        reporter.task = asyncio.ensure_future(session.run_async(path, options))
        await reporter.task

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())


UNCACHED = {"id": "echo", "provider": "mock", "latency_ms": 1, "cache": False}


def test_an_interrupted_run_is_gone_on_with_and_asks_for_nothing_twice(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(12)]
    cases = [
        {"id": word, "variables": {"word": word}, "expected_output": word, "evaluation": "exact_match"}
        for word in words
    ]
    path = write(tmp_path, test_cases=cases, models=[UNCACHED], concurrency=2)
    reporter = Interrupting(after=4)
    session = open_session(cwd=tmp_path, plugins=[reporting("interrupting", reporter)])
    interrupt(session, path, reporter)
    (journal,) = (tmp_path / "results").glob("*.journal.jsonl")
    finished = len(journal.read_text(encoding="utf-8").splitlines()) - 1
    assert 4 <= finished < len(words)
    record = session.run(path, RunOptions(quiet=True, resume=True))
    assert [case.id for case in record.results[0].cases] == words
    assert record.results[0].passed == len(words)
    assert list((tmp_path / "results").glob("*.journal.jsonl")) == []


def test_a_run_that_nobody_can_go_on_with_leaves_nothing_behind(tmp_path: Path) -> None:
    cases = [
        {"id": f"c{n}", "variables": {"word": "w"}, "expected_output": "w", "evaluation": "exact_match"}
        for n in range(12)
    ]
    path = write(tmp_path, test_cases=cases, models=[UNCACHED], concurrency=2)
    reporter = Interrupting(after=4)
    session = open_session(cwd=tmp_path, plugins=[reporting("interrupting", reporter)])

    interrupt(session, path, reporter, resumable=False)

    assert list((tmp_path / "results").glob("*")) == []


def test_a_run_whose_data_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    path = write(tmp_path, models=[UNCACHED], concurrency=1)
    said: list[str] = []
    reporter = Interrupting(after=1)
    session = open_session(cwd=tmp_path, plugins=[reporting("interrupting", reporter)], warn=said.append)
    interrupt(session, path, reporter)
    changed = path.read_text(encoding="utf-8").replace('"word": "a"', '"word": "changed"')
    path.write_text(changed, encoding="utf-8")
    record = session.run(path, RunOptions(quiet=True, resume=True))
    assert record.results[0].cases[0].runs[0].response == "changed"
    assert any("no interrupted run" in line for line in said)


class ProviderOnly:
    """A provider that says nothing of what decides its answer."""

    asked = 0

    def complete(self, request: Any) -> Completion:
        ProviderOnly.asked += 1
        return Completion(text=request.messages[-1].content)


class ScorerOnly:
    def score(self, case: Any, output: Any, ask: Any) -> Score:
        return Score(value=1.0, passed=True, reason="always")


def test_a_provider_that_gives_no_fingerprint_is_cached_by_all_that_it_is_asked(tmp_path: Path) -> None:
    acme = plugin(
        providers=[ProviderSpec(name="acme", summary="", settings=NoSettings, create=lambda s, c: ProviderOnly())],
    )
    session = open_session(cwd=tmp_path, plugins=[acme])
    path = write(tmp_path, models=["acme:m"])
    ProviderOnly.asked = 0
    session.run(path, RunOptions(quiet=True))
    session.run(path, RunOptions(quiet=True))
    assert ProviderOnly.asked == 2
    session.run(write(tmp_path, models=["acme:m"], inference={"params": {"top_p": 0.5}}), RunOptions(quiet=True))
    assert ProviderOnly.asked == 4


def test_components_of_two_kinds_may_share_a_name(tmp_path: Path) -> None:
    acme = plugin(
        providers=[ProviderSpec(name="acme", summary="", settings=NoSettings, create=lambda s, c: ProviderOnly())],
        scorers=[ScorerSpec(name="acme", summary="", settings=NoSettings, create=lambda s, c: ScorerOnly())],
    )
    cases = [{"id": "a", "variables": {"word": "a"}, "evaluation": "acme"}]
    session = open_session(cwd=tmp_path, plugins=[acme])
    record = session.run(write(tmp_path, models=["acme:m"], test_cases=cases), RunOptions(quiet=True))
    assert record.results[0].passed == 1


class TwoLanes:
    """A provider whose free models have used up their day."""

    def complete(self, request: Any) -> Completion:
        if request.model.endswith("free"):
            raise ProviderError("free-models-per-day", status=429, exhausted=True)
        return Completion(text=request.messages[-1].content)

    def lane(self, model: str) -> str:
        return "free" if model.endswith("free") else ""


def test_a_spent_quota_of_some_models_stops_no_others_of_the_same_key(tmp_path: Path) -> None:
    spec = ProviderSpec(name="acme", summary="", settings=NoSettings, create=lambda settings, context: TwoLanes())
    session = open_session(cwd=tmp_path, plugins=[plugin(providers=[spec])], warn=lambda line: None)
    path = write(tmp_path, models=["acme:free", "acme:paid"], concurrency=1)
    record = session.run(path, RunOptions(quiet=True))
    free, paid = record.results
    assert (free.errors + free.not_run, free.passed) == (2, 0)
    assert (paid.passed, paid.failed, paid.not_run) == (1, 1, 0)


def test_of_two_runs_within_a_second_the_later_one_is_the_latest_whatever_it_is_called(tmp_path: Path) -> None:
    session = open_session(cwd=tmp_path, environ={}, settings={"cache": False})
    for name in ("z", "a"):
        session.run(write(tmp_path, name=name), RunOptions(quiet=True))
        time.sleep(0.002)  # no two runs begin in one millisecond

    latest = session.store().latest()

    assert latest is not None
    assert latest.record.benchmark == "a"
