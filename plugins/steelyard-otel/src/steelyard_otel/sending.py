"""Sending spans in the background, and knowing how many did not arrive."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from .environment import Choices

LONGEST_QUEUE = 200_000
"""Spans that may wait; those of a stored run are all there at once."""
_AT_ONCE = 512


class Counting(SpanExporter):
    """Counts what arrived. After the first failure nothing more is tried: a run must not end late for its traces."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner
        self._failed = False
        self.delivered = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans, unless that has failed before."""
        if self._failed:
            return SpanExportResult.FAILURE
        try:
            result = self._inner.export(spans)
        except Exception:  # whatever an exporter raises, it is the traces that are lost and not the run
            result = SpanExportResult.FAILURE
        if result is SpanExportResult.SUCCESS:
            self.delivered += len(spans)
        else:
            self._failed = True
        return result

    def shutdown(self) -> None:
        """Close the connections."""
        self._inner.shutdown()


class Sender:
    """A tracer whose spans go to the collector of the environment."""

    def __init__(self, choices: Choices) -> None:
        # The exporter logs each failure, with everything it knows, on a logger that would print it if nobody listens.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        self._exporter = Counting(
            OTLPSpanExporter(endpoint=choices.endpoint, headers=dict(choices.headers), timeout=choices.timeout_s)
        )
        self._provider = TracerProvider(
            resource=Resource.create(_plain(choices.resource)), sampler=ALWAYS_ON, shutdown_on_exit=False
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(self._exporter, max_queue_size=LONGEST_QUEUE, max_export_batch_size=_AT_ONCE)
        )
        self.tracer = self._provider.get_tracer("steelyard_otel", "0.1.0")
        self.ended = 0
        """Spans that were ended so far; to be counted by whoever ends them."""

    def finish(self) -> int:
        """Send what is left, close, and return how many spans did not arrive."""
        self._provider.shutdown()
        return self.ended - self._exporter.delivered


def _plain(attributes: Mapping[str, str]) -> dict[str, str | bool | int | float]:
    return dict(attributes)
