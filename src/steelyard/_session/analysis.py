"""What can be worked out about suites and past runs without asking a model: how large, how trustworthy, what fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..api import Benchmark, RunOptions, RunRecord
from .checking import Checked
from .estimating import Estimate
from .planning import select
from .sizing import Sizing, Wish, sizing

Source = Path | str | Benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Works things out for one session; asks no model."""

    check: Callable[[Source, RunOptions], Checked]
    estimate: Callable[[Source, RunOptions], Estimate]

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
        )
