"""A report in GitHub Markdown beside the record: the matrix, what is recommended, tags, and every case."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import NoSettings, PluginContext, Reporter, ReporterSpec

from .markdown_text import markdown_chunks
from .outputs import FileReporter, checked_output


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return FileReporter(checked_output(context), ".md", markdown_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="markdown",
            summary="A report for people, with every case",
            settings=NoSettings,
            create=create,
            hears_cases=False,
            extensions=(".md", ".markdown"),
            automatic=True,
        )
    ]
