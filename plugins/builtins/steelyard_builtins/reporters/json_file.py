"""The record as JSON, the same bytes as the stored one: in a file, or on standard output where none is named."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import NoSettings, PluginContext, Reporter, ReporterSpec
from steelyard.records import record_chunks

from .outputs import STANDARD_OUTPUT, FileReporter, checked_output


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return FileReporter(checked_output(context) or STANDARD_OUTPUT, ".json", record_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="json",
            summary="The whole record as JSON",
            settings=NoSettings,
            create=create,
            hears_cases=False,
            extensions=(".json",),
            prints=True,
        )
    ]
