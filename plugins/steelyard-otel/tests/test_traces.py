from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from datetime import datetime

import pytest
import steelyard_otel

from steelyard.api import (
    Completion,
    ModelUse,
    NoSettings,
    ProviderSpec,
    RunOptions,
    Score,
    Usage,
)
from steelyard.errors import ProviderError, ScorerError, UsageError
from steelyard.testing import (
    DictCache,
    FakeAPI,
    make_benchmark,
    make_case,
    make_uses,
    reporter_checks,
    session_with,
)
from steelyard.testing.fake_api import failure

(SPEC,) = steelyard_otel.steelyard_register_reporters()
SECRET_PROMPT, SECRET_OUTPUT = "what is the secret question", "the secret answer"


class Answers:
    """Answers after a while, but fails when it is told to."""

    async def complete(self, request):
        await asyncio.sleep(0.02)
        if "fail" in request.messages[-1].content:
            raise ProviderError(f"refused: {request.messages[-1].content}", status=400)
        return Completion(
            text=SECRET_OUTPUT, usage=Usage(prompt_tokens=11, completion_tokens=3), finish_reason="stop", cost_usd=0.5
        )


class Judges:
    """Passes 'good', fails 'bad', and cannot judge 'odd'."""

    def score(self, case, output, ask):
        if case.id == "odd":
            raise ScorerError(f"no verdict on {output.text}")
        return Score(value=0.75 if case.id == "good" else 0.25, passed=case.id == "good", reason=f"read {output.text}")


PROVIDER = ProviderSpec(name="gemini", summary="", settings=NoSettings, create=lambda _settings, _context: Answers())


def case(name, question=SECRET_PROMPT, **fields):
    return make_case(name, variables={"question": question}, scorers=make_uses(["fake_scorer"]), **fields)


def run(collector, tmp_path, *cases, environ=None, cache=(), endpoint=True, **fields):
    """Run cases with the reporter and return the record and what the user was told."""
    said = []
    where = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.origin} if endpoint else {}
    session = session_with(
        PROVIDER, Judges(), *cache, SPEC, cwd=tmp_path, environ={**where, **(environ or {})}, warn=said.append
    )
    benchmark = make_benchmark(
        cases=cases or [case("good")],
        models=[ModelUse(id="quick", provider="gemini", model="flash-2")],
        name="Greetings",
        **{"retries": 0, **fields},
    )
    return session.run(benchmark, RunOptions(reporters=("otel",))), said


def pairs(span, *names):
    return {name: span.attributes.get(name) for name in names}


def test_a_run_is_one_trace_of_run_cases_and_calls(collector, tmp_path):
    run(collector, tmp_path, case("good"), case("bad"))

    (root,) = collector.named("steelyard run")
    cases = {span.name: span for span in collector.named("case ")}
    calls = collector.named("chat ")
    assert root.name == "steelyard run Greetings"
    assert root.parent == ""
    assert {span.trace for span in collector.spans} == {root.trace}
    assert set(cases) == {"case good", "case bad"}
    assert {span.parent for span in cases.values()} == {root.id}
    assert sorted(call.parent for call in calls) == sorted(span.id for span in cases.values())
    assert len(collector.spans) == 5


def test_a_call_speaks_the_conventions_for_generative_ai(collector, tmp_path):
    run(collector, tmp_path)

    (call,) = collector.named("chat ")
    assert call.name == "chat flash-2"
    assert call.kind == 3  # SPAN_KIND_CLIENT of the protocol
    assert call.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",  # the conventions' name for it
        "gen_ai.request.model": "flash-2",
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.response.finish_reasons": ["stop"],
        "steelyard.call.attempts": 1,
        "steelyard.call.repeat": 0,
        "steelyard.call.cost_usd": 0.5,
    }
    assert call.status.code == 0


def test_verdicts_are_events_of_the_call_that_was_judged(collector, tmp_path):
    run(collector, tmp_path, case("good"), case("bad"))

    cases = {span.id: span.name for span in collector.named("case ")}
    events = {cases[call.parent]: call.events for call in collector.named("chat ")}
    for name, score, label in (("case good", 0.75, "pass"), ("case bad", 0.25, "fail")):
        assert events[name] == [
            (
                "gen_ai.evaluation.result",
                {
                    "gen_ai.evaluation.name": "fake_scorer",
                    "gen_ai.evaluation.score.value": score,
                    "gen_ai.evaluation.score.label": label,
                    "steelyard.call.repeat": 0,
                },
            )
        ]


def test_a_case_that_fails_is_no_error(collector, tmp_path):
    run(collector, tmp_path, case("bad", tags=("billing",)))

    (span,) = collector.named("case ")
    assert span.status.code == 0
    assert span.attributes == {
        "steelyard.case.id": "bad",
        "steelyard.case.model": "quick",
        "steelyard.case.prompt_id": "p1",
        "steelyard.case.tags": ["billing"],
        "steelyard.case.status": "scored",
        "steelyard.case.passed": False,
        "steelyard.case.score": 0.25,
    }


def test_a_call_that_fails_is_an_error_of_the_call_and_of_its_case(collector, tmp_path):
    run(collector, tmp_path, case("good", "please fail"))

    (call,), (span,) = collector.named("chat "), collector.named("case ")
    for one in (call, span):
        assert one.attributes["error.type"] == "api_error"
        assert (one.status.code, one.status.message) == (2, "api_error")
    assert "gen_ai.response.finish_reasons" not in call.attributes


def test_what_cannot_be_judged_is_an_error_of_the_case_and_of_the_verdict(collector, tmp_path):
    run(collector, tmp_path, case("odd"))

    (call,), (span,) = collector.named("chat "), collector.named("case ")
    assert span.attributes["error.type"] == "judge_error"
    assert "error.type" not in call.attributes
    ((_, event),) = call.events
    assert event["error.type"] == "judge_error"
    assert "gen_ai.evaluation.score.value" not in event


def test_texts_are_not_sent_unless_they_are_asked_for(collector, tmp_path):
    run(collector, tmp_path, case("good"), case("bad", f"fail at {SECRET_PROMPT}"), case("odd"))

    assert len(collector.spans) == 7
    assert SECRET_PROMPT not in collector.text
    assert SECRET_OUTPUT not in collector.text


@pytest.mark.parametrize("value", ["true", "SPAN_ONLY", "span_and_event"])
def test_texts_are_sent_where_the_standard_variable_says_so(collector, tmp_path, value):
    run(
        collector,
        tmp_path,
        case("good"),
        case("bad", "please fail"),
        environ={"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": value},
    )

    answered, failed = sorted(collector.named("chat "), key=lambda span: span.status.code)
    assert json.loads(answered.attributes["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": SECRET_PROMPT}]}
    ]
    assert json.loads(answered.attributes["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": SECRET_OUTPUT}], "finish_reason": "stop"}
    ]
    assert answered.events[0][1]["gen_ai.evaluation.explanation"] == f"read {SECRET_OUTPUT}"
    assert "refused: please fail" in failed.status.message


def test_times_are_true_as_far_as_they_are_known(collector, tmp_path):
    before = time.time_ns()
    record, _ = run(collector, tmp_path, case("good"))
    after = time.time_ns()

    (root,), (span,), (call,) = collector.named("steelyard"), collector.named("case "), collector.named("chat ")
    assert before <= root.start <= span.start <= call.start < call.end <= span.end <= root.end <= after
    # As long as the call took, to the microsecond.
    latency_ms = next(iter(record.results[0].cases)).runs[0].latency_ms
    assert call.end - call.start == pytest.approx(latency_ms * 1e6, abs=1000)


def test_an_answer_from_the_cache_is_no_call(collector, tmp_path):
    cache = DictCache()
    for _ in range(2):
        run(collector, tmp_path, cache=(cache,))

    assert len(collector.named("chat ")) == 1
    first, second = collector.named("case ")
    assert first.events == []
    assert second.events[0][1]["gen_ai.evaluation.score.label"] == "pass"
    assert second.start == second.end


def test_each_repeat_is_a_call(collector, tmp_path):
    run(collector, tmp_path, repeat=3)

    assert sorted(call.attributes["steelyard.call.repeat"] for call in collector.named("chat ")) == [0, 1, 2]
    assert len(collector.named("case ")) == 1


def test_the_run_says_what_came_of_it(collector, tmp_path):
    record, _ = run(collector, tmp_path, case("good"), case("bad"))

    (root,) = collector.named("steelyard")
    wanted = {
        "steelyard.run.id": record.run_id,
        "steelyard.benchmark": "Greetings",
        "steelyard.run.cases": 2,
        "steelyard.run.combos": 1,
        "steelyard.run.passed": True,
        "steelyard.run.best_score": 50.0,
        "steelyard.run.errors": 0,
        "steelyard.run.cost_usd": 1.0,
    }
    assert pairs(root, *wanted) == wanted
    assert datetime.fromisoformat(root.attributes["steelyard.run.started"]).tzinfo is not None


def test_two_runs_are_two_traces(collector, tmp_path):
    for _ in range(2):
        run(collector, tmp_path)

    assert len({span.trace for span in collector.spans}) == 2


def test_a_run_belongs_to_the_trace_of_whoever_started_it(collector, tmp_path):
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"  # the example of W3C's trace context
    run(collector, tmp_path, environ={"TRACEPARENT": f"00-{trace}-{parent}-01"})

    (root,) = collector.named("steelyard")
    assert (root.trace, root.parent) == (trace, parent)


def test_the_standard_variables_say_where_and_who(collector, tmp_path):
    run(
        collector,
        tmp_path,
        endpoint=False,
        environ={
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{collector.origin}/elsewhere",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a-token,x-tenant=team-7",
            "OTEL_SERVICE_NAME": "nightly",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=ci",
        },
    )

    (post,) = collector.posts
    assert post.path == "/elsewhere"
    assert post.headers["content-type"] == "application/x-protobuf"
    assert (post.headers["authorization"], post.headers["x-tenant"]) == ("Bearer a-token", "team-7")
    resource = collector.spans[0].resource
    assert resource["service.name"] == "nightly"
    assert resource["deployment.environment.name"] == "ci"


def test_without_variables_the_service_is_steelyard(collector, tmp_path):
    run(collector, tmp_path)

    assert collector.spans[0].resource["service.name"] == "steelyard"


@pytest.mark.parametrize("off", [{"OTEL_SDK_DISABLED": "true"}, {"OTEL_TRACES_EXPORTER": "none"}])
def test_it_can_be_switched_off(collector, tmp_path, off):
    _, said = run(collector, tmp_path, environ=off)

    assert collector.posts == ()
    assert said == []


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "'grpc' is not spoken"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"}, "is no address; write http://HOST:4318"),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, "'soon' is no number"),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "-1"}, "must be above 0, got '-1'"),
    ],
)
def test_what_cannot_be_meant_stops_the_run_before_any_call(collector, tmp_path, environ, message):
    with pytest.raises(UsageError, match=message):
        run(collector, tmp_path, environ=environ)

    assert collector.posts == ()


def away():
    """An address where nobody listens."""
    with FakeAPI() as server:
        return server.origin


def test_a_collector_that_is_away_costs_a_warning_and_nothing_else(collector, tmp_path, capfd):
    environ = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": away().replace("http://", "http://me:my-password@"),
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
    }

    record, said = run(collector, tmp_path, endpoint=False, environ=environ)

    assert record.insights.passed
    (line,) = said
    assert line.startswith("reporter 'otel': 3 of 3 spans did not reach http://127.0.0.1:")
    assert line.endswith("/v1/traces; start a collector there, or set OTEL_EXPORTER_OTLP_ENDPOINT")
    assert "my-password" not in line
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("status", [400, 404])
def test_a_collector_that_refuses_costs_a_warning_too(collector, tmp_path, status, capfd):
    collector.reply(failure(status))

    record, said = run(collector, tmp_path, environ={"OTEL_EXPORTER_OTLP_TIMEOUT": "1"})

    assert record.insights.passed
    assert len(said) == 1
    assert capfd.readouterr() == ("", "")


def test_a_key_of_the_collector_is_kept_out_of_the_record(collector, tmp_path):
    environ = {"OTEL_EXPORTER_OTLP_HEADERS": f"x-api-key={SECRET_OUTPUT.replace(' ', '%20')}"}

    record, _ = run(collector, tmp_path, environ=environ)

    assert next(iter(record.results[0].cases)).runs[0].response == "[redacted]"


def test_all_spans_of_a_large_run_arrive(collector, tmp_path):
    cases = [case(f"case-{number}") for number in range(700)]

    _, said = run(collector, tmp_path, *cases, concurrency=100)

    assert said == []
    # One for the run, and one for each case and its call: more than go into one post.
    assert len(collector.spans) == 1 + 2 * 700
    assert len({span.id for span in collector.spans}) == 1401
    assert len(collector.posts) > 1


def test_a_stored_run_is_told_again_under_its_labels(collector, tmp_path):
    run(collector, tmp_path, case("good"))
    before = len(collector.spans)
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.origin}
    session = session_with(PROVIDER, Judges(), SPEC, cwd=tmp_path, environ=environ)
    history = session.history()

    session.report(history.run(), reporters=("otel",))

    (call,) = [span for span in collector.spans[before:] if span.name.startswith("chat ")]
    assert pairs(call, "gen_ai.provider.name", "gen_ai.request.model") == {
        "gen_ai.provider.name": "unknown",
        "gen_ai.request.model": "quick",
    }


class There:
    """The collector of the check that is running, and what it has been asked about."""

    collector = None
    seen = 0

    @classmethod
    def sent(cls):
        spans = cls.collector.spans[cls.seen :]
        cls.seen += len(spans)
        return json.dumps([[span.name, span.attributes, span.events] for span in spans], ensure_ascii=False)


SENDS = replace(
    SPEC,
    create=lambda settings, context: SPEC.create(
        settings, replace(context, environ={"OTEL_EXPORTER_OTLP_ENDPOINT": There.collector.origin})
    ),
)


@pytest.mark.parametrize("check", reporter_checks(SENDS, sent=There.sent), ids=str)
def test_the_reporter_keeps_the_contract(check, collector):
    There.collector, There.seen = collector, 0

    check()


class Interrupts(Judges):
    def score(self, case, output, ask):
        if case.id == "bad":
            raise KeyboardInterrupt
        return super().score(case, output, ask)


def test_an_interrupted_run_is_a_trace_too(collector, tmp_path):
    session = session_with(
        PROVIDER,
        Interrupts(),
        SPEC,
        cwd=tmp_path,
        environ={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.origin},
        warn=[].append,
    )
    benchmark = make_benchmark(
        cases=[case("good"), case("bad")],
        models=[ModelUse(id="quick", provider="gemini", model="flash-2")],
        concurrency=1,
    )

    with pytest.raises(KeyboardInterrupt):
        session.run(benchmark, RunOptions(reporters=("otel",)))

    (root,) = collector.named("steelyard")
    assert (root.attributes["error.type"], root.status.code) == ("interrupted", 2)
    assert [span.name for span in collector.named("case ")] == ["case good"]
