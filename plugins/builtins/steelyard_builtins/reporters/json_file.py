"""The record as a JSON file: the same bytes as the one that is stored."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from steelyard import hookimpl
from steelyard.api import CaseResult, NoSettings, PluginContext, Reporter, ReporterSpec, RunPlan, RunRecord
from steelyard.records import record_chunks

from .outputs import STANDARD_OUTPUT, checked_output, write_report


class JsonReporter:
    """Writes the record to a file, or to standard output where none is named."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run_started(self, plan: RunPlan) -> None:
        """Nothing is known yet."""

    def case_finished(self, result: CaseResult) -> None:
        """The record has every case."""

    def run_finished(self, record: RunRecord) -> None:
        """Write the record."""
        write_report(self._path, record_chunks(record))


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return JsonReporter(checked_output(context) or STANDARD_OUTPUT)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="json",
            summary="The whole record as JSON",
            settings=NoSettings,
            create=create,
            extensions=(".json",),
        )
    ]
