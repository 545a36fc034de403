"""Builders, fakes, sessions and fixtures: what a plugin author's own tests are made of."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields

import pytest

import steelyard.testing
from steelyard.api import (
    CaseResult,
    ComboResult,
    NoSettings,
    Output,
    Progress,
    Provider,
    Request,
    Score,
    ScorerSpec,
    ScorerUse,
    Status,
)
from steelyard.errors import ProviderError, TemplateError
from steelyard.records import read_record, write_record
from steelyard.testing import (
    DictCache,
    FakeAsk,
    FixedPrompt,
    RecordingReporter,
    ScriptedProvider,
    make_benchmark,
    make_case,
    make_case_result,
    make_case_run,
    make_combo,
    make_output,
    make_record,
    session_with,
    settled,
)
from steelyard.testing.hostile_records import records
from steelyard.testing.sessions import FAKE_SCORER

REQUEST = Request(model="m", messages=())


class SaysYes:
    """A scorer that passes every output of yes."""

    def score(self, case, output, ask):
        return Score(value=float(output.text == "yes"), passed=output.text == "yes", reason="asked for yes")


def test_every_public_name_of_the_kit_is_there_and_documented():
    for name in steelyard.testing.__all__:
        assert (getattr(steelyard.testing, name).__doc__ or "").strip() or name == "SECRET", name


def test_importing_the_kit_needs_no_pytest():
    program = "import sys; sys.path[:] = sys.argv[1:]; import steelyard.testing; sys.exit('pytest' in sys.modules)"

    subprocess.run([sys.executable, "-c", program, *sys.path], check=True)


def test_a_made_up_benchmark_has_what_a_run_needs():
    benchmark = make_benchmark(2, models=["a", "b"], scorers=["one", ScorerUse(type="two")])

    assert [model.id for model in benchmark.models] == ["a", "b"]
    assert [case.id for case in benchmark.cases] == ["case-1", "case-2"]
    assert [case.expected for case in benchmark.cases] == ["answer 1", "answer 2"]
    assert benchmark.cases[0].evaluation == "one + two"
    (prompt,) = benchmark.prompts
    assert [message.content for message in prompt.render(benchmark.cases[1])] == ["question 2"]


def test_a_fixed_prompt_fills_in_variables_once():
    prompt = FixedPrompt(text="Hi {{ name }}, {{name}}!", system="Be brief.")
    case = make_case(variables={"name": "{{ other }}"})

    assert [message.content for message in prompt.render(case)] == ["Be brief.", "Hi {{ other }}, {{ other }}!"]
    with pytest.raises(TemplateError, match="'name' is undefined"):
        prompt.render(make_case())


def test_an_output_has_defaults_and_takes_fields():
    assert make_output().text == "an answer"
    assert make_output("x", repeat=2) == Output(
        text="x", repeat=2, messages=make_output().messages, finish_reason="stop", model=make_output().model
    )


def test_the_numbers_of_a_record_agree():
    cases = [
        make_case_result("a"),
        make_case_result("b", passed=False),
        make_case_result("c", status=Status.API_ERROR),
        make_case_result("d", model="other"),
    ]

    record = make_record(cases)

    assert [(combo.model, combo.total) for combo in record.results] == [("fake-model", 3), ("other", 1)]
    for combo in record.results:
        assert combo.total == combo.passed + combo.failed + combo.errors + combo.not_run
    assert record.results[0].score == 50.0
    assert record.results[0].cost_usd is None, "the error's cost is unknown"
    assert record.results[1].cost_usd == pytest.approx(0.001)
    assert (record.insights.total, record.insights.errors) == (4, 1)


def test_fields_of_a_run_go_to_the_run_and_others_to_the_result():
    result = make_case_result("a", response="hello", tags=("easy",))

    assert result.runs[0].response == "hello"
    assert result.tags == ("easy",)


def test_repeats_that_disagree_are_flaky():
    runs = [make_case_run(), make_case_run(repeat=1, passed=False)]

    assert make_case_result("a", runs=runs).flaky
    assert not make_case_result("a", runs=runs[:1]).flaky


def test_an_error_never_passes():
    result = make_case_result("a", passed=True, status=Status.JUDGE_ERROR)

    assert not result.passed
    assert result.score is None
    assert result.error == "a judge_error"


@pytest.mark.parametrize("record", records().values(), ids=records())
def test_a_made_record_can_be_stored_and_read_again(record, tmp_path):
    path = tmp_path / f"{record.run_id}.json"

    write_record(path, record)

    json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    assert [combo.total for combo in read_record(path).results] == [combo.total for combo in record.results]


@pytest.mark.parametrize("kind", [CaseResult, ComboResult])
def test_builders_keep_up_with_the_fields_of_the_api(kind):
    made = make_case_result("a") if kind is CaseResult else make_combo([make_case_result("a")])

    assert {field.name for field in fields(kind)} == {field.name for field in fields(made)}


def test_a_scripted_provider_answers_in_turn_and_remembers():
    provider: Provider = ScriptedProvider([ProviderError("busy", retryable=True), "billing"])

    with pytest.raises(ProviderError, match="busy"):
        provider.complete(REQUEST)
    assert provider.complete(REQUEST).text == "billing"
    assert provider.calls == 2
    with pytest.raises(AssertionError, match="call 3 came"):
        provider.complete(REQUEST)


def test_a_script_may_be_one_reply_for_all_or_a_function():
    assert [ScriptedProvider("ok").complete(REQUEST).text for _ in range(3)] == ["ok"] * 3
    assert ScriptedProvider(lambda request: request.model).complete(REQUEST).text == "m"


def test_a_fake_ask_answers_both_kinds_of_scorers():
    ask = FakeAsk(["first", "second"])

    assert settled(lambda: ask.complete(model="judge", messages=())).text == "first"
    assert ask.complete_blocking(model="judge", messages=()).text == "second"
    assert [question.model for question in ask.questions] == ["judge", "judge"]


def test_a_session_knows_what_it_is_given_and_nothing_else(tmp_path):
    session = session_with(ScriptedProvider(), SaysYes(), RecordingReporter(), DictCache(), cwd=tmp_path)

    names = {kind: session.registry.names(kind) for kind in ("provider", "scorer", "reporter", "cache", "format")}

    assert names == {
        "provider": ("fake_provider",),
        "scorer": ("fake_scorer",),
        "reporter": ("fake_reporter",),
        "cache": ("fake_cache",),
        "format": (),
    }


def test_a_session_runs_with_fakes_alone(tmp_path):
    provider, reporter = ScriptedProvider(["yes", "no", "yes"]), RecordingReporter()
    session = session_with(provider, SaysYes(), reporter, cwd=tmp_path)

    record = session.run(make_benchmark(3, scorers=[FAKE_SCORER], concurrency=1))

    assert [result.passed for result in record.results[0].cases] == [True, False, True]
    assert [result.id for result in reporter.results] == ["case-1", "case-2", "case-3"]
    assert len(reporter.plans) == len(reporter.records) == 1
    assert all(isinstance(step, Progress) for step in reporter.steps)
    assert provider.calls == 3


def test_a_session_takes_specs_and_plugins_too(tmp_path):
    from steelyard import hookimpl

    class Plugin:
        @hookimpl
        def steelyard_register_scorers(self):
            return [spec("from_a_plugin")]

    def spec(name):
        return ScorerSpec(name=name, summary="One", settings=NoSettings, create=lambda _settings, _context: SaysYes())

    session = session_with(spec("from_a_spec"), Plugin(), SaysYes(), SaysYes(), cwd=tmp_path)

    assert session.registry.names("scorer") == ("fake_scorer", "fake_scorer-2", "from_a_plugin", "from_a_spec")


def test_two_sessions_know_nothing_of_each_other(tmp_path):
    first, second = (session_with(ScriptedProvider(), cwd=tmp_path) for _ in range(2))

    assert first.registry is not second.registry


def test_a_cache_that_fails_does_so_for_every_call():
    cache = DictCache(fails_with=OSError("full"))

    for use in (lambda: cache.get("k"), lambda: cache.put("k", b"v")):
        with pytest.raises(OSError, match="full"):
            use()


def test_the_fixtures_are_there_for_those_who_ask(tmp_path):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["steelyard.testing.fixtures"]\n')
    (tmp_path / "test_it.py").write_text(
        "from steelyard.testing import ScriptedProvider\n"
        "def test_it(session_with, fake_api):\n"
        "    assert session_with(ScriptedProvider()).registry.names('provider') == ('fake_provider',)\n"
        "    assert fake_api.base_url.startswith('http://127.0.0.1:')\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )

    assert "1 passed" in done.stdout, done.stdout + done.stderr
