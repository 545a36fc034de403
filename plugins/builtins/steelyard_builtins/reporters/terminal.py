"""The terminal: how far the run is on standard error, then the matrix and what it comes to on standard output."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import NoSettings, PluginContext, Reporter, ReporterSpec


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    from .terminal_reporter import TerminalReporter  # noqa: PLC0415 - Rich is slow to import, and not always needed

    del settings
    return TerminalReporter(context.environ)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="rich",
            summary="Progress, the matrix and the verdict in the terminal",
            settings=NoSettings,
            create=create,
            automatic=True,
            closing=True,
        )
    ]
