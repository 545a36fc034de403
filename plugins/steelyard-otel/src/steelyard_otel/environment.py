"""What OpenTelemetry's standard variables say: where traces go, who sends them, and whether texts are among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from opentelemetry.util.re import parse_env_headers

import steelyard
from steelyard.errors import UsageError

DEFAULT_ENDPOINT = "http://localhost:4318"
_PATH = "v1/traces"
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_PROVING = ("auth", "key", "token", "secret", "password", "cookie")
_CAPTURING = ("true", "1", "span_only", "span_and_event")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of one environment."""

    endpoint: str
    """Where traces are posted."""
    headers: Mapping[str, str] = field(repr=False)
    resource: Mapping[str, str]
    """Who sends: ``service.name`` and the like."""
    timeout_s: float
    """For all attempts at one post."""
    texts: bool
    """Whether prompts, outputs and what quotes them are sent."""
    disabled: bool

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values of those headers that prove who sends; others, such as a tenant's name, are ordinary words."""
        return tuple(value for name, value in self.headers.items() if any(word in name.lower() for word in _PROVING))

    @property
    def shown_endpoint(self) -> str:
        """The endpoint for people: a password in it is left out."""
        parts = urlsplit(self.endpoint)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def choices(environ: Mapping[str, str]) -> Choices:
    """Read the environment, ``.env`` included. Raises ``UsageError`` for what cannot be meant."""
    protocol = _of_traces(environ, "PROTOCOL") or "http/protobuf"
    if protocol != "http/protobuf":
        raise UsageError(f"OTEL_EXPORTER_OTLP_PROTOCOL: {protocol!r} is not spoken; set it to 'http/protobuf'")
    endpoint = environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    if not endpoint:
        base = environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip() or DEFAULT_ENDPOINT
        endpoint = f"{base.rstrip('/')}/{_PATH}"
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"OTEL_EXPORTER_OTLP_ENDPOINT: {endpoint!r} is no address; write http://HOST:4318")
    resource = parse_env_headers(environ.get("OTEL_RESOURCE_ATTRIBUTES", ""), liberal=True)
    name = environ.get("OTEL_SERVICE_NAME", "").strip() or resource.get("service.name", "steelyard")
    return Choices(
        endpoint=endpoint,
        headers=parse_env_headers(_of_traces(environ, "HEADERS"), liberal=True),
        resource={"service.version": steelyard.__version__, **resource, "service.name": name},
        timeout_s=_seconds(_of_traces(environ, "TIMEOUT")),
        texts=environ.get(_CAPTURE, "").strip().lower() in _CAPTURING,
        disabled=environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
        or environ.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none",
    )


def _of_traces(environ: Mapping[str, str], what: str) -> str:
    own = environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{what}", "").strip()
    return own or environ.get(f"OTEL_EXPORTER_OTLP_{what}", "").strip()


def _seconds(text: str) -> float:
    try:
        seconds = float(text or 10)
    except ValueError as error:
        raise UsageError(f"OTEL_EXPORTER_OTLP_TIMEOUT: {text!r} is no number; write seconds, such as 10") from error
    if not 0 < seconds < float("inf"):
        raise UsageError(f"OTEL_EXPORTER_OTLP_TIMEOUT: must be above 0, got {text!r}")
    return seconds
