"""A collector on this machine: a real server that takes traces as protobuf and decodes them."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from steelyard.testing import FakeAPI, Reply

TOOK = Reply(body=b"", content_type="application/x-protobuf")


class Told:
    """One span, as the collector has it."""

    def __init__(self, span: Any, resource: dict[str, Any]) -> None:
        self.name: str = span.name
        self.kind: int = span.kind
        self.id = span.span_id.hex()
        self.trace = span.trace_id.hex()
        self.parent = span.parent_span_id.hex()
        self.start, self.end = span.start_time_unix_nano, span.end_time_unix_nano
        self.attributes = attributes(span.attributes)
        self.events = [(event.name, attributes(event.attributes)) for event in span.events]
        self.status = span.status
        self.resource = resource


def attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: value(pair.value) for pair in pairs}


def value(any_value: Any) -> Any:
    kind = any_value.WhichOneof("value")
    if kind == "array_value":
        return [value(one) for one in any_value.array_value.values]
    return getattr(any_value, kind)


class Collector:
    def __init__(self, server: FakeAPI) -> None:
        self.server = server
        self.origin = server.origin
        self.reply(TOOK)

    def reply(self, reply: Reply) -> None:
        for path in ("/v1/traces", "/elsewhere"):
            self.server.route(path, lambda _request: reply)

    @property
    def posts(self) -> tuple[Any, ...]:
        return self.server.requests

    @property
    def spans(self) -> list[Told]:
        found = []
        for post in self.posts:
            for group in ExportTraceServiceRequest.FromString(post.body).resource_spans:
                resource = attributes(group.resource.attributes)
                found += [Told(span, resource) for scope in group.scope_spans for span in scope.spans]
        return found

    def named(self, beginning: str) -> list[Told]:
        return [span for span in self.spans if span.name.startswith(beginning)]

    @property
    def text(self) -> str:
        """Everything that was sent, readable."""
        return "\n".join(f"{dict(post.headers)}{post.body!r}" for post in self.posts) + json.dumps(
            [[span.name, span.attributes, span.events, span.status.message, span.resource] for span in self.spans]
        )


@pytest.fixture
def collector(monkeypatch):
    """The standard variables of this process lead nowhere; tests give their own environment."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    with FakeAPI() as server:
        yield Collector(server)
