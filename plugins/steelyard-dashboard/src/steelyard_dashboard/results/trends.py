"""How quality, cost and latency of each combo developed over the runs of one benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.api import ComboResult

from .runs import Run

MOST_RUNS = 60
MOST_COMBOS = 8
"""More lines than that nobody can tell apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """One combo over time."""

    model: str
    prompt_id: str
    combos: tuple[ComboResult | None, ...]
    """What became of it in each run of :attr:`Trends.runs`; ``None`` where it took no part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """The combos of one benchmark over its latest runs."""

    benchmark: str
    runs: tuple[Run, ...]
    """The oldest first."""
    trends: tuple[Trend, ...]
    left_out_runs: int = 0
    """Older runs than those."""
    left_out_combos: int = 0
    """Combos beyond those that are shown: the ones that took part least recently."""


def trends_of(runs: Sequence[Run], benchmark: str, *, model: str = "", prompt: str = "") -> Trends:
    """Return how the combos of a benchmark developed.

    Args:
        runs: Any runs, the newest first.
        benchmark: Which of them count.
        model: Only combos of this model; empty for all.
        prompt: Only combos of this prompt; empty for all.
    """
    alike = [run for run in runs if run.record.benchmark == benchmark and combos_of(run, model=model, prompt=prompt)]
    shown = tuple(reversed(alike[:MOST_RUNS]))
    keys = list(
        dict.fromkeys(
            (combo.model, combo.prompt_id)
            for run in reversed(shown)
            for combo in combos_of(run, model=model, prompt=prompt)
        )
    )
    return Trends(
        benchmark=benchmark,
        runs=shown,
        trends=tuple(_trend(shown, *key) for key in keys[:MOST_COMBOS]),
        left_out_runs=len(alike) - len(shown),
        left_out_combos=max(len(keys) - MOST_COMBOS, 0),
    )


def combos_of(run: Run, *, model: str = "", prompt: str = "") -> list[ComboResult]:
    """Return the combos of a run that have this model and this prompt; empty for any."""
    return [
        combo
        for combo in run.record.results
        if (not model or combo.model == model) and (not prompt or combo.prompt_id == prompt)
    ]


def cost_of_thousand(combo: ComboResult) -> float | None:
    """Return what 1,000 cases cost in USD, so that runs of different length can be compared; ``None`` if unknown."""
    done = combo.passed + combo.failed + combo.errors
    return None if combo.cost_usd is None or done <= 0 else 1000 * combo.cost_usd / done


def _trend(runs: Sequence[Run], model: str, prompt_id: str) -> Trend:
    found = (
        next((combo for combo in run.record.results if (combo.model, combo.prompt_id) == (model, prompt_id)), None)
        for run in runs
    )
    return Trend(model=model, prompt_id=prompt_id, combos=tuple(found))
