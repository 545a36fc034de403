"""What can be worked out about suites and past runs: how large, how trustworthy, who is better, what fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from .._engine.calibration import Calibration, calibrate
from .._engine.insights import best_quality
from .._engine.stated import StatedConfidence, stated_confidence
from .._engine.suggesting.hypotheses import Diagnosis, diagnose
from .._store import StoredRun
from ..api import Benchmark, CaseResult, RunOptions, RunRecord
from ..errors import BenchmarkError, UsageError
from .binding import ModelBinder
from .blocking import blocking
from .catalog import Catalog
from .checking import Checked
from .duelling import Duelling, DuelReport
from .estimating import Estimate
from .labels import Label, add_label, labels_path, read_labels
from .pairings import DuelWish
from .parts import Parts
from .planning import select
from .rating import Choice, chosen, criteria_of, ratings, scorer_names, to_label
from .reading import Reading
from .retelling import Retelling
from .sizing import Sizing, Wish, sizing

_EVERYTHING: Final = Choice()
_SHOWN: Final = 5

Source = Path | str | Benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Works things out for one session. Only :meth:`pairwise` and :meth:`retell` ask a model."""

    check: Callable[[Source, RunOptions], Checked]
    estimate: Callable[[Source, RunOptions], Estimate]
    reading: Reading
    binder: Callable[[Benchmark, Parts], tuple[ModelBinder, Catalog]]
    warn: Callable[[str], None]

    def sizing(
        self, source: Source, options: RunOptions, *, wish: Wish | None = None, record: RunRecord | None = None
    ) -> Sizing:
        """Say how many cases a suite needs to show a difference, what that costs, and what it shows as it is.

        Args:
            source: The suite.
            options: Which part of it, as for a run.
            wish: What is to be shown; 5 points in 80 % of comparisons by default.
            record: A past run that shows how much cases scatter, and what they cost.

        Raises ``BenchmarkError`` or ``UsageError`` when the suite cannot be run, or the record tells nothing.
        """
        checked = self.check(source, options)
        benchmark = checked.benchmark_or_raise()
        count = select(checked, options).count
        return sizing(
            cases=checked.cases if count is None else count,
            repeat=options.repeat or benchmark.repeat,
            estimate=self.estimate(source, replace(options, max_cost_usd=None)),
            record=record,
            wish=wish or Wish(),
            choice=Choice(models=options.models, prompts=options.prompts),
            benchmark=benchmark.name,
        )

    def labels(self, run: StoredRun, file: Path | None = None) -> list[Label]:
        """Return what people gave the outputs of a run.

        Args:
            run: The run.
            file: A data file with ``id`` and ``human_score``; the labels beside the record when ``None``.

        Raises ``BenchmarkError`` naming every row that is no label.
        """
        path = labels_path(run.path) if file is None else file
        if file is None and not path.exists():
            return []
        try:
            return read_labels(self.reading.tools.rows(str(path), base_dir=self.reading.cwd))
        except BenchmarkError as error:
            if file is not None:
                raise
            # Written by us, a line at a time: what cannot be read was cut off, by a full disk or a lost machine.
            torn = "delete this line, and score the output again: steelyard label"
            raise BenchmarkError([replace(one, hint=one.hint or torn) for one in error.problems]) from error

    def calibration(
        self, run: StoredRun, labels: Sequence[Label], choice: Choice = _EVERYTHING, *, human_pass: float = 4.0
    ) -> Calibration:
        """Measure the judge of a run against people.

        Args:
            run: The run; a ``human_score`` of its cases counts where no label names the output.
            labels: What people gave its outputs.
            choice: Which outputs and which scorer are meant.
            human_pass: The score from which on a person passes an output.

        Raises ``UsageError`` when there is nothing to compare.
        """
        found = ratings(run.record, labels, choice)
        name = run.record.run_id
        if not found.rated:
            if choice.scorer is not None and not found.others:
                known = ", ".join(scorer_names(run.record)) or "none"
                raise UsageError(f"{name}: no output was scored by {choice.scorer!r}; scorers there: {known}")
            raise UsageError(
                f"{name}: no output that a person scored too; add human_score to the cases, name labels, "
                f"or score some: steelyard label {name}"
            )
        if found.unmatched:
            names = ", ".join(map(repr, found.unmatched[:_SHOWN]))
            self.warn(f"{len(found.unmatched)} label(s) name no output that was judged in {name}: {names}")
        if found.repeated:
            self.warn(f"{found.repeated} output(s) have several human scores each; the mean of them counts")
        if found.unnamed and found.combos > 1:
            self.warn(
                f"human scores that name no combo are held against the outputs of all {found.combos} combos; "
                "choose one by model and prompt"
            )
        return calibrate(found.rated, human_pass, found.others)

    def stated_confidence(self, record: RunRecord, choice: Choice = _EVERYTHING) -> StatedConfidence:
        """Say whether answers that state how sure they are, are right as often.

        Raises ``UsageError`` when no answer states it.
        """
        cases = (case for combo in chosen(record, choice) for case in combo.cases)
        found = stated_confidence(cases)
        if not found.count:
            raise UsageError(
                f"{record.run_id}: no answer states its confidence; ask for a line such as 'CONFIDENCE: 80 %'"
            )
        return found

    def to_label(self, run: StoredRun, labels: Sequence[Label], choice: Choice, *, seed: int = 0) -> list[CaseResult]:
        """Return the outputs of a run that a person has not scored yet, shuffled."""
        return to_label(run.record, labels, choice, seed)

    def asked_for(self, source: Source) -> dict[str, tuple[str, ...]]:
        """Return what the scorers of a suite look for in an answer, by the id of the case: its criteria.

        Raises ``BenchmarkError`` when the suite cannot be read.
        """
        checked, _parts = self.reading.checked(source, RunOptions())
        return {case.id: criteria_of(case) for case in checked.benchmark_or_raise().cases}

    def add_label(self, run: StoredRun, label: Label) -> Path:
        """Keep a label beside the record of a run, and return the file."""
        path = labels_path(run.path)
        add_label(path, label)
        return path

    def diagnoses(self, record: RunRecord, choice: Choice = _EVERYTHING) -> list[Diagnosis]:
        """Say where combos of a run fail, and guess why; the best combo when none is chosen.

        Raises ``UsageError`` when there is no such combo.
        """
        combos = chosen(record, choice)
        if not (choice.models or choice.prompts):
            combos = [best_quality(combos) or combos[0]]
        file = record.manifest.get("file")
        return [diagnose(combo, file=file if isinstance(file, str) else None, run_id=record.run_id) for combo in combos]

    def retell(self, diagnoses: Sequence[Diagnosis], model: str, *, source: Source | None = None) -> list[str]:
        """Let a model put findings into words. Raises ``UsageError`` when it cannot be asked."""
        benchmark, parts, binder = self._asking(source)
        retelling = Retelling(benchmark=benchmark, parts=parts, binder=binder, warn=self.warn)
        told: list[str] = blocking(lambda: retelling.retell(diagnoses, model))
        return told

    def pairwise(
        self,
        runs: Sequence[StoredRun],
        wish: DuelWish,
        *,
        source: Source | None = None,
        told: Callable[[str], None] = lambda _line: None,
    ) -> DuelReport:
        """Let a judge compare the outputs of past runs two by two. Blocks until it is done.

        Args:
            runs: One or several; every two of their combos are compared.
            wish: What is to be compared, and by whom.
            source: The benchmark, for criteria, references, and judges that only it knows.
            told: Hears how much is going to be asked.

        Raises ``BenchmarkError`` or ``UsageError`` before any call when something is wrong.
        """
        benchmark, parts, binder = self._asking(source)
        duelling = Duelling(benchmark=benchmark, parts=parts, binder=binder, warn=self.warn)
        report: DuelReport = blocking(lambda: duelling.carry_out(runs, wish, told))
        return report

    def _asking(self, source: Source | None) -> tuple[Benchmark, Parts, ModelBinder]:
        """Return what models are asked with, for a benchmark that may name some."""
        if source is None:
            benchmark = Benchmark(name="", models=(), prompts=(), cases=())
            parts = self.reading.parts_without_benchmark()
        else:
            checked, parts = self.reading.checked(source, RunOptions())
            benchmark = checked.benchmark_or_raise()
        return benchmark, parts, self.binder(benchmark, parts)[0]
