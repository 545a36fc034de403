"""The reporter: a span for the run, one for each case in it, and one for each call to a model in that."""

from __future__ import annotations

import time
from collections.abc import Mapping

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from steelyard.api import CaseResult, CaseRun, PlannedModel, PluginContext, RunPlan, RunRecord
from steelyard.api import Status as Outcome
from steelyard.text import one_line

from . import attributes as words
from .environment import choices
from .sending import Sender

_NS_PER_MS = 1_000_000
_LONGEST_MESSAGE = 500


class OtelReporter:
    """Tells a run as a trace, while it goes on. A collector that is away costs a warning and nothing else."""

    def __init__(self, context: PluginContext) -> None:
        self._choices = choices(context.environ)
        self._environ = context.environ
        self._warn = context.warn
        for secret in self._choices.secrets:
            context.hide(secret)
        self._sender: Sender | None = None
        self._run: Span | None = None
        self._started_ns = 0
        self._models: Mapping[str, PlannedModel] = {}

    def run_started(self, plan: RunPlan) -> None:
        """Begin the trace."""
        if self._choices.disabled:
            return
        self._sender = Sender(self._choices)
        self._models = {model.id: model for model in plan.models}
        self._started_ns = time.time_ns()
        self._run = self._sender.tracer.start_span(
            f"steelyard run {one_line(plan.benchmark)}",
            context=_parent(self._environ),
            start_time=self._started_ns,
            attributes=words.of_plan(plan),
        )

    def case_finished(self, result: CaseResult) -> None:
        """Add a case with its calls. They end when they are heard of: a result says how long a call took, not when."""
        if self._sender is None or self._run is None:
            return
        now = time.time_ns()
        begins = [self._begin_of(run, now) for run in result.runs]
        case = self._sender.tracer.start_span(
            f"case {one_line(result.id)}",
            context=trace.set_span_in_context(self._run, Context()),
            start_time=min(begins),
            attributes=words.of_case(result),
        )
        for run, begin in zip(result.runs, begins, strict=True):
            self._add_run(result, run, case, (begin, now))
        if result.status is not Outcome.SCORED:
            case.set_status(self._fault(result.status, result.error))
        self._end(case, now)

    def run_finished(self, record: RunRecord) -> None:
        """End the trace and send the rest of it."""
        if self._run is not None:
            self._run.set_attributes(words.of_record(record))
            self._end(self._run, time.time_ns())
            self._run = None
        self._send()

    def close(self) -> None:
        """Send what there is of a run that was interrupted."""
        if self._run is not None:
            self._run.set_attribute("error.type", "interrupted")
            self._run.set_status(Status(StatusCode.ERROR, "interrupted"))
            self._end(self._run, time.time_ns())
            self._run = None
        self._send()

    def _add_run(self, result: CaseResult, run: CaseRun, case: Span, span_of_time: tuple[int, int]) -> None:
        """Add the call that a run of a case made, if it made one, and what its scorers said."""
        begin, end = span_of_time
        judged = case
        if run.attempts and self._sender is not None:
            model = words.model_behind(result.model, self._models)
            judged = self._sender.tracer.start_span(
                one_line(f"chat {model.model}".strip()),
                kind=SpanKind.CLIENT,
                context=trace.set_span_in_context(case, Context()),
                start_time=begin,
                attributes=words.of_call(run, model, texts=self._choices.texts),
            )
            if run.status is Outcome.API_ERROR:
                judged.set_status(self._fault(run.status, run.error))
        for score in run.scores:
            judged.add_event(words.EVALUATION, words.of_score(score, run, texts=self._choices.texts), timestamp=end)
        if judged is not case:
            self._end(judged, end)

    def _begin_of(self, run: CaseRun, end: int) -> int:
        """Return when a run began: as long before its end as its call took, which for a cached answer was no time."""
        took = run.latency_ms if run.attempts and run.latency_ms is not None else 0.0
        return max(end - int(took * _NS_PER_MS), self._started_ns)

    def _fault(self, status: Outcome, message: str | None) -> Status:
        said = one_line(message, _LONGEST_MESSAGE) if message and self._choices.texts else str(status)
        return Status(StatusCode.ERROR, said)

    def _end(self, span: Span, at: int) -> None:
        span.end(at)
        if self._sender is not None:
            self._sender.ended += 1

    def _send(self) -> None:
        if self._sender is None:
            return
        sender, self._sender = self._sender, None
        missing = sender.finish()
        if missing:
            self._warn(
                f"reporter 'otel': {missing} of {sender.ended} spans did not reach {self._choices.shown_endpoint}; "
                "start a collector there, or set OTEL_EXPORTER_OTLP_ENDPOINT"
            )


def _parent(environ: Mapping[str, str]) -> Context:
    """Return the trace that the run belongs to, if whoever started it says so, as build servers do."""
    carrier = {name.lower(): environ[name] for name in ("TRACEPARENT", "TRACESTATE") if name in environ}
    return TraceContextTextMapPropagator().extract(carrier, Context())
