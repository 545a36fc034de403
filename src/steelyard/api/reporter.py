"""Reporters: what shows or writes a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol

from .plugin import PluginContext, S
from .results import CaseResult, RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedModel:
    """A model that is about to be asked."""

    id: str
    """The label in reports."""
    provider: str
    """The provider's name."""
    model: str
    """The model's name as the provider knows it; empty for a provider that needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What is about to be run."""

    run_id: str
    benchmark: str
    combos: tuple[tuple[str, str], ...]
    """Labels of model and prompt, in the order of the results."""
    cases: int | None
    """Cases of each combo; ``None`` while rows are still streaming and nobody has counted them."""
    repeat: int
    concurrency: int
    results_dir: Path
    record_path: Path | None
    """Where the record will be stored; ``None`` when it is only returned to the caller."""
    judge_model: str | None = None
    quality_threshold: float | None = None
    verbose: bool = False
    quiet: bool = False
    stdout_taken: bool = False
    """Whether another reporter writes a report to standard output, so that whatever is for people goes elsewhere."""
    models: tuple[PlannedModel, ...] = ()
    """What stands behind the labels of models; empty when a stored run is told again, whose record does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    done: int
    """Cases finished, over all combos."""
    total: int | None
    """Cases planned, over all combos; ``None`` while nobody has counted the rows."""
    passed: int
    failed: int
    errors: int
    spent_usd: float
    """What is known to have been paid in this run so far."""
    cost_unknown: bool
    """Whether something was paid for whose price is unknown."""
    elapsed_s: float
    by_combo: tuple[tuple[int, int, int], ...] = ()
    """For each combo: cases done, passed, errors."""


class Reporter(Protocol):
    """Shows or writes a run. Called from one thread, one call at a time."""

    def run_started(self, plan: RunPlan) -> None:
        """Hear what is about to be run, before the first call."""

    def case_finished(self, result: CaseResult) -> None:
        """Hear one result. They come in plan order: model by model, prompt by prompt, case by case."""

    def run_finished(self, record: RunRecord) -> None:
        """Hear the end. The record is stored already, so a failure here loses nothing.

        Raise to report a failure: the other reporters still get their turn, and the exit code is not 0.
        """


class SupportsProgress(Protocol):
    """A reporter that shows a run while it goes on."""

    def progress(self, progress: Progress) -> None:
        """Hear how far the run is. Comes as cases finish, in any order, at most a few times a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterSpec(Generic[S]):
    """How a plugin offers a reporter."""

    name: str
    """What a user writes as ``--reporter NAME`` or ``-o NAME:FILE``."""
    summary: str
    settings: type[S]
    create: Callable[[S, PluginContext], Reporter]
    """Makes the reporter, once per use; ``context.output`` is the file of ``-o``. Import heavy libraries here."""
    extensions: tuple[str, ...] = ()
    """File endings, with dot, that choose it for ``-o FILE``. An ending that two reporters claim chooses neither."""
    prints: bool = False
    """Whether it writes to standard output where no file is named."""
    closing: bool = False
    """Whether it hears ``run_finished`` after all others: for one that tells the user what there is now."""
    hears_cases: bool = True
    """False for one that takes everything from the record at the end: ``case_finished`` is then not called, and to tell
    a stored run again its cases need not be read twice."""
    automatic: bool = False
    """Whether it takes part in every run without being asked for (the terminal, the report beside the record)."""
    deprecated: str = ""
    """For a component that is to go: what to use instead, and in which version it goes. Whoever uses it is warned."""
