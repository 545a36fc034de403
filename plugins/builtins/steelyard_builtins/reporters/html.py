"""One HTML file with everything in it, to be attached to a CI job or sent to somebody."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import NoSettings, PluginContext, Reporter, ReporterSpec

from .outputs import FileReporter, checked_output


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    from .html_page import html_chunks  # noqa: PLC0415 - hashing and the page itself, for those who want one

    del settings
    return FileReporter(checked_output(context), ".html", html_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="html",
            summary="One page with everything in it, for browsers",
            settings=NoSettings,
            create=create,
            hears_cases=False,
            extensions=(".html", ".htm"),
        )
    ]
