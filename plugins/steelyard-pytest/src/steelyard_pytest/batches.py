"""Which cases are asked together: as many as may be, and never one whose test is not going to run.

A benchmark's cases are asked several at once, so the first test of a file asks for all of them that were selected.
Where a later test may never run, each test asks for its own case alone when its turn comes: with ``-x`` and its like,
which end at a failure, and in a worker of pytest-xdist, which learns of its tests one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

from steelyard.api import NO_GATE, Benchmark, Case, CaseResult, ModelUse, Prompt, RunRecord
from steelyard.errors import MissingKeyError, SteelyardError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """One case under one combo: what a test is about."""

    model: ModelUse
    prompt: Prompt
    case: Case

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from the others of its file."""
        return self.model.id, self.prompt.id, self.case.id


Outcome = CaseResult | SteelyardError
"""What became of a case: its result, or why there is none."""


class NotRunError(SteelyardError):
    """The budget left no room for the case."""


class Outcomes:
    """What became of a file's cases, as far as they were asked.

    Args:
        benchmark: The file, read and checked.
        run: Runs a benchmark and returns its record.
    """

    def __init__(self, benchmark: Benchmark, run: Callable[[Benchmark], RunRecord]) -> None:
        self._benchmark = benchmark
        self._run = run
        self._found: dict[tuple[str, str, str], Outcome] = {}
        self._spent_usd = 0.0
        self._dearest_usd: dict[str, float] = {}
        """The most that a case has cost, by model."""

    def of(self, asked: Asked, together: Callable[[], Iterable[Asked]]) -> Outcome:
        """Return what became of a case; if it was not asked yet, ask, along with ``together`` where they were not."""
        if asked.key not in self._found:
            wanted = {one.key: one for one in (*together(), asked) if one.key not in self._found}
            for part in rectangles(list(wanted.values())):
                self._ask(part)
        return self._found[asked.key]

    def _ask(self, part: Sequence[Asked]) -> None:
        models = tuple({asked.model.id: asked.model for asked in part}.values())
        benchmark = replace(
            self._benchmark,
            models=models,
            prompts=tuple({asked.prompt.id: asked.prompt for asked in part}.values()),
            cases=tuple({asked.case.id: asked.case for asked in part}.values()),
            # Each case is a test of its own here, so there is nothing left for a gate over all of them to decide.
            gate=NO_GATE,
            max_cost_usd=self._budget_for(models),
        )
        try:
            record = self._run(benchmark)
        except MissingKeyError as error:
            if len(models) == 1:
                self._found.update({asked.key: error for asked in part})
                return
            # A key that one model lacks is no reason to leave the others out.
            for model in models:
                self._ask([asked for asked in part if asked.model.id == model.id])
            return
        except SteelyardError as error:
            self._found.update({asked.key: error for asked in part})
            return
        self._take(part, record)

    def _budget_for(self, models: Iterable[ModelUse]) -> float | None:
        """Return what the file's budget leaves for a run: nothing where a case like the earlier ones does not fit.

        A run lets the first call of each model pass, since it knows no price before it. Here the run may be the tenth.
        With nothing left it still takes answers from the cache.
        """
        budget = self._benchmark.max_cost_usd
        if budget is None:
            return None
        left = budget - self._spent_usd
        return left if left >= max(self._dearest_usd.get(model.id, 0.0) for model in models) else 0.0

    def _take(self, part: Sequence[Asked], record: RunRecord) -> None:
        for combo in record.results:
            for case in combo.cases:
                self._found[combo.model, combo.prompt_id, case.id] = case
                spent_usd = sum(run.spent_usd or 0.0 for run in case.runs)
                self._spent_usd += spent_usd
                self._dearest_usd[combo.model] = max(self._dearest_usd.get(combo.model, 0.0), spent_usd)
        for asked in part:
            message = f"case {asked.case.id!r} was not run: max_cost_usd left no room for it"
            self._found.setdefault(asked.key, NotRunError(message))


def rectangles(wanted: Sequence[Asked]) -> Iterator[list[Asked]]:
    """Split what is wanted into parts that are each all of some models × some prompts × some cases.

    A run asks every model and prompt about every case, so that anything else would ask what nobody wants.
    """
    of_combo: dict[tuple[str, str], dict[str, Asked]] = {}
    for asked in wanted:
        of_combo.setdefault((asked.model.id, asked.prompt.id), {})[asked.case.id] = asked
    prompts_of: dict[tuple[str, frozenset[str]], list[str]] = {}
    for (model, prompt), cases in of_combo.items():
        prompts_of.setdefault((model, frozenset(cases)), []).append(prompt)
    models_of: dict[tuple[tuple[str, ...], frozenset[str]], list[str]] = {}
    for (model, case_ids), prompts in prompts_of.items():
        models_of.setdefault((tuple(prompts), case_ids), []).append(model)
    for (shared, _), models in models_of.items():
        yield [asked for model in models for prompt in shared for asked in of_combo[model, prompt].values()]


def may_be_asked_together(config: pytest.Config) -> bool:
    """Return whether every selected test of a file is going to run in this process, whatever becomes of the others."""
    if config.getoption("maxfail", 0) or config.getoption("stepwise", default=False):
        return False
    worker = getattr(config, "workerinput", None)
    return worker is None or bool(worker.get("steelyard_whole_files"))
