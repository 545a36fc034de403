"""OpenTelemetry: each run as a trace, with the cases and the calls to models in it."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import NoSettings, PluginContext, Reporter, ReporterSpec


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter; OpenTelemetry is imported only here."""
    from .reporter import OtelReporter  # noqa: PLC0415 - start-up must not pay for it

    del settings
    return OtelReporter(context)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="otel",
            summary="Runs, cases and calls as OpenTelemetry traces, sent to a collector",
            settings=NoSettings,
            create=create,
        )
    ]
