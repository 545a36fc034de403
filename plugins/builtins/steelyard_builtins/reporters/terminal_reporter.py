"""The terminal reporter: what it hears of a run, and where it says it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from steelyard.api import CaseResult, Progress, RunPlan, RunRecord, Status
from steelyard.text import one_line, printable

from .cut_answers import cut_answers
from .figures import percent
from .measures import measures
from .terminal_cases import case_lines
from .terminal_console import can_move, console_on
from .terminal_progress import LiveProgress, PlainProgress, ProgressView
from .terminal_tables import matrix, measure_table, tag_table
from .wording import (
    Totals,
    combo_label,
    error_label,
    reason,
    recommendation,
)

_MOST_WARNINGS = 20
_MOST_FAILED = 10
_MOST_KINDS = 5
_MESSAGE_LENGTH = 300
_PENDING_LINES = 500


class TerminalReporter:
    """Shows progress on standard error, and the results on standard output."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._plan: RunPlan | None = None
        self._view: ProgressView | None = None
        self._lines: list[str] = []
        self._errors = 0
        self._first_errors: dict[tuple[Status, str | None], str] = {}
        self._combo: tuple[str, str] | None = None
        self._counts = (0, 0, 0)
        self._failed = 0

    def run_started(self, plan: RunPlan) -> None:
        """Start showing progress."""
        self._plan = plan
        console = console_on(sys.stderr, self._environ)
        live = can_move(sys.stderr, self._environ) and not plan.quiet
        self._view = LiveProgress(console, plan) if live else PlainProgress(console, silent=plan.quiet)

    def progress(self, progress: Progress) -> None:
        """Show how far the run is."""
        self._flush()
        if self._view is not None:
            self._view.update(progress)

    def case_finished(self, result: CaseResult) -> None:
        """Say at once what went wrong, and which cases failed; with ``-v`` how every case went, answer and all."""
        if self._plan is None:
            return
        if self._plan.quiet:
            self._remember(result)
            return
        if result.status is not Status.SCORED:
            self._errors += 1
            if self._plan.verbose or self._errors <= _MOST_WARNINGS:
                self._lines.append(_warning(result))
        if self._plan.verbose:
            self._lines.extend(case_lines(result))
        self._count(result)
        self._tell_failed(result)
        # Kept back until the next look at the progress: a live display is drawn anew for each print.
        if len(self._lines) >= _PENDING_LINES:
            self._flush()

    def run_finished(self, record: RunRecord) -> None:
        """Show the results."""
        self._combo_finished()
        if self._errors > _MOST_WARNINGS and self._plan is not None and not self._plan.verbose:
            self._lines.append(f"… and {self._errors - _MOST_WARNINGS} more errors; -v and the record show them all")
        self.close()
        aside = self._plan is not None and self._plan.stdout_taken
        console = console_on(sys.stderr if aside else sys.stdout, self._environ)
        if self._plan is None or not self._plan.quiet:
            self._show(console, record)
        elif not any(combo.scored for combo in record.results):
            self._say_errors()
        if record.insights.verdict:
            style = "bold green" if record.insights.passed else "bold red"
            _print(console, one_line(record.insights.verdict), style)
        console.file.flush()

    def close(self) -> None:
        """Take the display away and say what is left to say."""
        self._flush()
        if self._view is not None:
            self._view.stop()

    def _remember(self, result: CaseResult) -> None:
        """Keep the first error of each kind, for a quiet run that comes to nothing."""
        if result.status is not Status.SCORED and len(self._first_errors) < _MOST_KINDS:
            self._first_errors.setdefault((result.status, result.error), _warning(result))

    def _say_errors(self) -> None:
        console = console_on(sys.stderr, self._environ)
        for warning in self._first_errors.values():
            _print(console, warning)
        console.file.flush()

    def _flush(self) -> None:
        if self._lines and self._view is not None:
            self._view.say(self._lines)
            self._lines = []

    def _count(self, result: CaseResult) -> None:
        combo = (result.model, result.prompt_id)
        if combo != self._combo:
            self._combo_finished()
            self._combo, self._counts = combo, (0, 0, 0)
        passed, scored, errors = self._counts
        is_scored = result.status is Status.SCORED
        self._counts = (passed + result.passed, scored + is_scored, errors + (not is_scored))

    def _tell_failed(self, result: CaseResult) -> None:
        """Name a case that failed, unless it is told in full, and some of its combo's when they are many."""
        if result.status is not Status.SCORED or result.passed or self._plan is None or self._plan.verbose:
            return
        self._failed += 1
        if self._failed <= _MOST_FAILED:
            place = one_line(f"{combo_label(result.model, result.prompt_id)} / {result.id}")
            self._lines.append(f"Failed: {place}: {one_line(reason(result), _MESSAGE_LENGTH)}")

    def _combo_finished(self) -> None:
        """Say what is left to say of a combo, and how it did, when there are several and it is the others' turn."""
        if self._failed > _MOST_FAILED:
            self._lines.append(f"… and {self._failed - _MOST_FAILED} more failed; -v and the record show them all")
        self._failed = 0
        if self._combo is None or self._plan is None or len(self._plan.combos) == 1:
            return
        passed, scored, errors = self._counts
        score = percent(100 * passed / scored if scored else None, threshold=self._plan.quality_threshold)
        self._lines.append(
            one_line(f"{combo_label(*self._combo)}: {passed}/{scored} passed ({score}), {errors} error(s)")
        )
        self._combo = None

    def _show(self, console: Console, record: RunRecord) -> None:
        totals = Totals.of(record)
        console.print(matrix(console, record))
        _print(console, totals.accounting())
        _print(console, totals.cost())
        self._show_tags(console, record)
        _print(console, "")
        for line in _conclusion(record):
            _print(console, line)
        for line in self._saved():
            _print(console, line)
        _print(console, "")
        if totals.errors:
            _print(console, f"⚠  {totals.pipeline_errors()}\n", "yellow")
        if cut := cut_answers(record):
            _print(console, f"⚠  {cut}\n", "yellow")
        if totals.not_run:
            _print(console, f"⚠  {totals.left_out(interrupted=record.interrupted)}\n", "yellow")

    def _show_tags(self, console: Console, record: RunRecord) -> None:
        best, verbose = record.insights.best_quality, self._plan is not None and self._plan.verbose
        if best is not None and record.insights.tags:
            label = one_line(combo_label(best.model, best.prompt_id))
            title = f"QUALITY BY TAG — best combo\n({label})"
            console.print(tag_table(console, title, record.insights.tags, bounds=verbose))
        if not verbose:
            return
        for combo in record.results:
            if combo.tags and (best is None or (combo.model, combo.prompt_id) != (best.model, best.prompt_id)):
                label = one_line(combo_label(combo.model, combo.prompt_id))
                console.print(tag_table(console, f"QUALITY BY TAG\n({label})", combo.tags, bounds=True))
            for measure in measures(combo):
                label = one_line(combo_label(combo.model, combo.prompt_id))
                console.print(measure_table(console, label, measure))
                if measure.note:
                    _print(console, one_line(measure.note))

    def _saved(self) -> Iterator[str]:
        """Say which files are there now."""
        record = None if self._plan is None else self._plan.record_path
        if record is not None and record.exists():
            yield f"Results saved to {_shown_path(record)}"
            report = record.with_suffix(".md")
            if report.exists():
                yield f"Markdown report saved to {_shown_path(report)}"


def _conclusion(record: RunRecord) -> Iterator[str]:
    insights = record.insights
    yield "RECOMMENDATION"
    recommended = list(recommendation(record))
    for label, text in recommended:
        yield f"{label:<13}: {one_line(text)}"
    if not recommended:
        yield "Nothing could be scored."
    if insights.errors:
        yield f"{insights.errors} pipeline error(s) excluded from scoring."
    for warning in insights.warnings:
        yield f"⚠️  Warning  : {one_line(warning)}"


def _warning(result: CaseResult) -> str:
    label = one_line(error_label(result))
    place = one_line(f"{combo_label(result.model, result.prompt_id)} / {result.id}")
    return f"⚠️  {label[0].upper()}{label[1:]} on {place}: {one_line(result.error or 'no message', _MESSAGE_LENGTH)}"


def _print(console: Console, line: str, style: str = "") -> None:
    # Never wrapped by Rich: a path or a name that is cut in two cannot be copied.
    console.print(Text(printable(line, newlines=True), style=style), soft_wrap=True)


def _shown_path(path: Path) -> str:
    """Return a path as short as it can be typed from here."""
    relative = os.path.relpath(path) if path.is_absolute() and path.is_relative_to(Path.cwd()) else path
    return str(relative)
