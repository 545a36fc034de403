"""JUnit XML for CI systems: one suite for each combo, one test for each case, valid whatever a model says."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import NoSettings, PluginContext, Reporter, ReporterSpec

from .junit_xml import junit_chunks
from .outputs import FileReporter, checked_output


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return FileReporter(checked_output(context), ".xml", junit_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="junit",
            summary="JUnit XML for CI systems",
            settings=NoSettings,
            create=create,
            hears_cases=False,
            extensions=(".xml",),
        )
    ]
