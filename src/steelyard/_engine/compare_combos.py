"""Whether combos differ, whichever they are: the form in which plugins get a comparison."""

from __future__ import annotations

from collections.abc import Iterable

from ..api import ComboResult, Difference
from .compare import ComboChange, adjusted, change_of


def compare_combos(pairs: Iterable[tuple[ComboResult, ComboResult]]) -> tuple[Difference, ...]:
    """Say of each pair of combos whether the second is really better or worse than the first.

    The two may be of one run or of two, and of different models and prompts: cases are paired by their ids. The answers
    hold for all pairs together (Holm), so everything that somebody will look at side by side belongs into one call.

    Args:
        pairs: Combos of records, the first one the baseline.

    Raises ``RecordError`` when a case that is read from a record's file cannot be read.
    """
    return tuple(map(_difference, adjusted([change_of(before, after) for before, after in pairs])))


def _difference(change: ComboChange) -> Difference:
    return Difference(
        verdict=change.verdict,
        message=change.message,
        cases=change.evidence.cases,
        units=change.evidence.units,
        delta=change.delta,
        effect=change.effect,
        low=change.delta_low,
        high=change.delta_high,
        p_value=change.p_value,
        p_adjusted=change.p_adjusted,
        method=change.method,
        regressed=tuple(change.pairs.regressed),
        improved=tuple(change.pairs.improved),
        new_errors=tuple(change.pairs.new_errors),
        recovered=tuple(change.pairs.recovered),
        of_scores=_difference_of_scores(change),
    )


def _difference_of_scores(change: ComboChange) -> Difference | None:
    found = change.score_evidence
    if found is None:
        return None
    effect = 100 * found.effect if found.cases else None
    return Difference(
        verdict=change.score_verdict or "inconclusive",
        message=change.score_message,
        cases=found.cases,
        units=found.units,
        delta=effect,
        effect=effect,
        low=None if found.low is None else 100 * found.low,
        high=None if found.high is None else 100 * found.high,
        p_value=found.p_value,
        p_adjusted=change.score_p_adjusted,
        method=found.method,
    )
