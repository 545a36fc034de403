"""What a suite can show, how many cases it would take to show more, and what that would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from .._engine.insights import best_quality
from .._engine.suite_size import UNKNOWN, Scatter, SuiteSize, detectable_by, scatter_of, suite_sizes
from ..api import ComboResult, RunRecord
from ..errors import UsageError
from .estimating import Estimate
from .rating import Choice, chosen

_EVERYTHING: Final = Choice()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a suite should be able to show."""

    points: float = 5.0
    """The difference of pass rates, in points; above 0 and at most 100."""
    power: float = 0.8
    """The share of comparisons in which it is to be found."""
    confidence: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """How large a suite has to be."""

    wish: Wish
    cases: int
    """Cases that it has."""
    repeat: int
    """How often it runs each."""
    combos: int
    detectable: float
    """The smallest difference that it shows as it is, in points; above 100 it shows none."""
    sizes: tuple[SuiteSize, ...]
    scatter: Scatter
    cost_of_run: Decimal | None
    """USD for one run of one case under all combos; ``None`` when a price is unknown."""
    cost_basis: str
    """Whether that is what a past run paid, or the most that it can be."""
    notes: tuple[str, ...] = ()

    @property
    def least(self) -> bool:
        """Whether the sizes are the fewest that any difference of that size takes: the cases scatter less than it."""
        share = self.wish.points / 100
        return self.scatter.spread.variance(1) < share * (1 - share)

    def cost(self, size: SuiteSize) -> Decimal | None:
        """Return what a run of that size costs in USD, over all combos."""
        return None if self.cost_of_run is None else self.cost_of_run * size.runs


def sizing(
    *,
    cases: int,
    repeat: int,
    estimate: Estimate,
    record: RunRecord | None,
    wish: Wish,
    choice: Choice = _EVERYTHING,
    benchmark: str = "",
) -> Sizing:
    """Work out how large a suite has to be.

    Args:
        cases: Cases that it has; at least one.
        repeat: How often it runs each.
        estimate: What it costs at most as it is.
        record: A past run that shows how much its cases scatter, and what they cost.
        wish: What is to be shown.
        choice: Which combos of the record are meant.
        benchmark: What the suite is called; a record of another one is noted.

    Raises ``UsageError`` when nothing can be learned from the record.
    """
    scatter = UNKNOWN if record is None else _scatter(record, chosen(record, choice))
    paid = None if record is None else _paid(record, estimate)
    return Sizing(
        wish=wish,
        cases=cases,
        repeat=repeat,
        combos=len(estimate.combos),
        detectable=100 * detectable_by(cases, repeat, scatter, confidence=wish.confidence, power=wish.power),
        sizes=tuple(
            suite_sizes(wish.points / 100, scatter, confidence=wish.confidence, power=wish.power, own_repeat=repeat)
        ),
        scatter=scatter,
        cost_of_run=_at_most(estimate, cases * repeat) if paid is None else paid,
        cost_basis="at most, from prices and limits" if paid is None or record is None else f"as in {record.run_id}",
        notes=(*_other(record, benchmark), *estimate.notes, *estimate.unknown),
    )


def _other(record: RunRecord | None, benchmark: str) -> tuple[str, ...]:
    if record is None or not benchmark or record.benchmark == benchmark:
        return ()
    return (f"{record.run_id} is a run of another benchmark, {record.benchmark!r} and not {benchmark!r}",)


def _scatter(record: RunRecord, combos: Sequence[ComboResult]) -> Scatter:
    best = best_quality(combos)
    rivals = [combo for combo in combos if combo is not best]
    found = None if best is None else scatter_of(best, best_quality(rivals), record.run_id)
    if found is None:
        raise UsageError(f"{record.run_id}: fewer than two scored cases; take a run that says how much cases differ")
    return found


def _at_most(estimate: Estimate, runs: int) -> Decimal | None:
    if any(combo.cost is None or combo.judge_cost is None for combo in estimate.combos):
        return None
    return estimate.total / runs


def _paid(record: RunRecord, estimate: Estimate) -> Decimal | None:
    """Return what a run of a case cost under all combos; ``None`` when a cost is unknown or a combo was not run."""
    results = {(combo.model, combo.prompt_id): combo for combo in record.results}
    wanted = [results.get((combo.model, combo.prompt_id)) for combo in estimate.combos]
    costs = [None if combo is None else _paid_by(combo) for combo in wanted]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if len(known) == len(costs) else None


def _paid_by(combo: ComboResult) -> Decimal | None:
    if combo.cost_usd is None or not combo.runs:
        return None
    return Decimal(repr(combo.cost_usd)) / combo.runs
