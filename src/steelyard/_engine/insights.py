"""What the combos of a run come to: which is best, which is the best value, and what to be warned about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..api import Best, ComboResult, Insights, RunnerUp, Verdict
from .evidence import Differences
from .rivals import runner_up

FEW = 2
"""The best combo is warned about when less than one in so many of its cases could be scored."""


Paired = Callable[[int, int], Differences]
"""Gives what each case gained from one combo to another, by their positions in the results."""


def insights(
    combos: Sequence[ComboResult],
    verdict: Verdict,
    quality_threshold: float | None = None,
    paired: Paired | None = None,
) -> Insights:
    """Return what the results come to.

    Args:
        combos: The results.
        verdict: What the gate says of them.
        quality_threshold: The gate's threshold, for the record.
        paired: Puts two combos side by side; without it nothing is said about how sure the best one is.
    """
    quality = best_quality(combos)
    tags = quality.tags if quality is not None else ()
    warnings = [f"{tag.tag} quality is below 70%." for tag in tags if tag.warn]
    if quality is not None and quality.scored * FEW < quality.total:
        warnings.append(
            f"the best score, of {quality.model} / {quality.prompt_id}, rests on {quality.scored} of "
            f"{quality.total} case(s): the others could not be scored."
        )
    return Insights(
        passed=verdict.passed,
        verdict=verdict.message,
        best_quality=_named(quality),
        best_value=_named(best_value(combos)),
        runner_up=None if quality is None or paired is None else _runner_up(combos, quality, paired),
        tags=tags,
        warnings=tuple(warnings),
        errors=sum(combo.errors for combo in combos),
        total=sum(combo.total for combo in combos),
        quality_threshold=quality_threshold,
    )


def best_quality(combos: Sequence[ComboResult]) -> ComboResult | None:
    """Return the combo with the highest score; of equals the cheaper one, then the first. ``None`` if none was scored.

    An unknown cost counts as dearer than any that is known. A combo that was cut short is named only when all were: the
    cases that a spent budget left out might have been the hard ones.
    """
    return max(_comparable(combos), key=_quality, default=None)


def _comparable(combos: Sequence[ComboResult]) -> list[ComboResult]:
    """Return the combos that were scored: those that were run to their end, if there are any."""
    scored = [combo for combo in combos if combo.scored]
    return [combo for combo in scored if not combo.not_run] or scored


def _quality(combo: ComboResult) -> tuple[Fraction, float]:
    return _rate(combo), -_cost_per_case(combo)


def _runner_up(combos: Sequence[ComboResult], best: ComboResult, paired: Paired) -> RunnerUp | None:
    """Hold the best combo against the one that would be best without it."""
    rivals = _comparable(combos)
    others = [index for index, combo in enumerate(combos) if any(combo is one for one in rivals) and combo is not best]
    if not others:
        return None
    second = max(others, key=lambda index: _quality(combos[index]))
    first = next(index for index, combo in enumerate(combos) if combo is best)
    return runner_up(best, combos[second], paired(second, first).evidence())


def best_value(combos: Sequence[ComboResult]) -> ComboResult | None:
    """Return the combo with the highest score for its money: per cent passed over the cost of a scored case.

    A free combo beats every paid one, and of several the one with the highest score wins. Combos of unknown cost, or in
    which nothing passed, are no value. The cost is taken for each case that was scored, because a combo whose calls
    failed has paid less for having delivered less.
    """
    known = [combo for combo in _comparable(combos) if combo.passed and combo.cost_usd is not None]
    return max(known, key=_value, default=None)


def _value(combo: ComboResult) -> tuple[bool, Fraction]:
    cost = _cost_per_case(combo)
    return (True, _rate(combo)) if cost == 0 else (False, _rate(combo) / Fraction(cost))


def _rate(combo: ComboResult) -> Fraction:
    return Fraction(combo.passed, combo.scored)


def _cost_per_case(combo: ComboResult) -> float:
    return float("inf") if combo.cost_usd is None else combo.cost_usd / combo.scored


def _named(combo: ComboResult | None) -> Best | None:
    if combo is None or combo.score is None:
        return None
    return Best(model=combo.model, prompt_id=combo.prompt_id, score=combo.score, cost_usd=combo.cost_usd)
