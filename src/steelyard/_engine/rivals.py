"""Whether the best combo is really better than the next one, and how many more cases would tell."""

from __future__ import annotations

import math

from ..api import ComboResult, RunnerUp
from .difference_words import probability, these_cases
from .evidence import Evidence
from .formulas.power import cases_needed, detectable

_DECISIVE = 6
"""The fewest changed cases, all to one side, that the exact test calls a difference: 2 / 2⁶ is below 0.05."""
_DIGITS = 2


def runner_up(best: ComboResult, other: ComboResult, found: Evidence) -> RunnerUp | None:
    """Return how sure the lead of the best combo is; ``None`` when no case was scored by both.

    Args:
        best: The best combo.
        other: The next best one.
        found: What the cases show that both could score: the gain from the other to the best.
    """
    if not found.cases or other.score is None:
        return None
    apart = found.shows(found.p_value)
    more = None if apart else _more_cases(found)
    return RunnerUp(
        model=other.model,
        prompt_id=other.prompt_id,
        score=other.score,
        cases=found.cases,
        lead=100 * found.effect,
        lead_low=None if found.low is None else 100 * found.low,
        lead_high=None if found.high is None else 100 * found.high,
        p_value=found.p_value,
        told_apart=apart,
        more_cases=more,
        message=_lead(best, other, found) if apart else _message(best, other, found, more),
    )


def _more_cases(found: Evidence) -> int | None:
    """Return about how many further cases would show a difference of the size that was seen; ``None`` for none."""
    size = abs(found.effect)
    if not size:
        return None
    needed = max(cases_needed(size, found.variance or 0.0), math.ceil(_DECISIVE / size))
    return _rounded_up(max(1, needed - found.cases))


def _lead(best: ComboResult, other: ComboResult, found: Evidence) -> str:
    if found.effect < 0:  # cases that only one of them was scored on turned the order of the scores
        names = f"{best.model} / {best.prompt_id} has the higher score, but {other.model} / {other.prompt_id}"
        both = f"{these_cases(found.cases)} that both were scored on"
        return f"{names} is really better on {both} ({_figures(found)}, {probability(found)})"
    names = f"{best.model} / {best.prompt_id} is really better than {other.model} / {other.prompt_id}, the next best,"
    return f"{names} on {these_cases(found.cases)} ({_figures(found)}, {probability(found)})"


def _message(best: ComboResult, other: ComboResult, found: Evidence, more: int | None) -> str:
    names = f"{best.model} / {best.prompt_id} cannot be told apart from {other.model} / {other.prompt_id}"
    said = f"{names} on {these_cases(found.cases)}"
    if more is None:
        return f"{said}: they passed equally often{_hidden(found)}"
    further = "1 more case" if more == 1 else f"{more:,} more cases"
    return f"{said} ({_figures(found)}); about {further} would probably settle a difference of this size"


def _figures(found: Evidence) -> str:
    """Write the difference and its interval, and the p value where the two seem to disagree."""
    figures = [f"difference {100 * found.effect:+.1f} points"]
    if found.low is not None and found.high is not None:
        figures.append(f"95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f}")
        if found.doubted and not found.low <= 0 <= found.high:
            figures.append("which a bootstrap does not confirm")
        elif (said := probability(found)).startswith("but"):
            figures.append(said)
    return ", ".join(figures)


def _hidden(found: Evidence) -> str:
    """Say how large a difference may hide, where that can be said."""
    if not found.variance:
        return ""
    return f", and a difference of less than {100 * detectable(found.cases, found.variance):.0f} points would not show"


def _rounded_up(count: int) -> int:
    """Round to two digits: more would claim a precision that such a forecast does not have."""
    step = int(10 ** max(0, len(str(count)) - _DIGITS))
    return -(-count // step) * step
