"""A report in GitHub Markdown beside the record: the matrix, what is recommended, tags, and every case."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from steelyard import hookimpl
from steelyard.api import CaseResult, NoSettings, PluginContext, Reporter, ReporterSpec, RunPlan, RunRecord

from .markdown_text import markdown_lines
from .outputs import checked_output, write_report


class MarkdownReporter:
    """Writes the report to the file that ``-o`` names, or beside the record."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def run_started(self, plan: RunPlan) -> None:
        """Learn where the record will be."""
        if self._path is None and plan.record_path is not None:
            self._path = plan.record_path.with_suffix(".md")

    def case_finished(self, result: CaseResult) -> None:
        """The record has every case."""

    def run_finished(self, record: RunRecord) -> None:
        """Write the report."""
        if self._path is not None:
            write_report(self._path, (f"{line}\n".encode() for line in markdown_lines(record)))


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return MarkdownReporter(checked_output(context))


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="markdown",
            summary="A report for people, with every case",
            settings=NoSettings,
            create=create,
            extensions=(".md", ".markdown"),
            automatic=True,
        )
    ]
