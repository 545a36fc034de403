"""Whether a run passes, decided on exact counts, and the one line that says so.

Every case that could not be scored counts as a failure here: a run in which most calls failed must not pass on the
few that did not. Nothing is rounded before it is compared, and a rate is printed with as many digits as it takes not
to contradict the verdict beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..api import ComboResult, Gate, Verdict
from .formulas.clusters import clustered_rate_interval
from .statistics import exactly, wilson

MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the gate says of a run."""

    verdict: Verdict
    note: str | None = None
    """Why the gate was dropped, if it was."""


def decide(gate: Gate, combos: Sequence[ComboResult]) -> Decision:
    """Decide whether a run passes.

    A run in which nothing could be scored fails whatever the gate says. Without a threshold any other run passes, with
    an empty message.

    Args:
        gate: What the benchmark asks for.
        combos: What the run came to.
    """
    gated = [combo for combo in combos if gate.model in (None, combo.model) and gate.prompt in (None, combo.prompt_id)]
    note = None
    threshold = gate.quality_threshold
    if threshold is not None and combos and not gated:
        note = f"gate: {_gated_name(gate)} is not part of this run; the gate is dropped for it"
        threshold = None
    if not any(combo.scored for combo in combos):
        return Decision(verdict=Verdict(passed=False, message="FAIL: nothing could be scored."), note=note)
    if threshold is None:
        return Decision(verdict=Verdict(passed=True, message=""), note=note)
    return Decision(verdict=_judged(gate, threshold, gated))


def _judged(gate: Gate, threshold: float, gated: Sequence[ComboResult]) -> Verdict:
    # max and min keep the first of equals, so the message names the combo that the file names first.
    decisive = (min if gate.every else max)(gated, key=lambda combo: _level(combo, gate.confidence))
    passed = _level(decisive, gate.confidence) * 100 >= exactly(threshold)
    wanted = gate.called or f"quality_threshold ({plain(threshold)})"
    if gate.confidence is not None:
        wanted += f" with {plain(float(exactly(gate.confidence) * 100))}% confidence"
    if passed:
        subject = "every score" if gate.every else f"{_subject(gate)} score"
        return Verdict(passed=True, message=f"PASS: {subject} meets {wanted}.")
    subject = f"{decisive.model} / {decisive.prompt_id}" if gate.every else _subject(gate)
    message = f"FAIL: {subject} score {percent_text(decisive.passed, decisive.total, threshold)} is below {wanted}"
    if gate.confidence is not None:
        score = percent_text(decisive.passed, decisive.total)
        bound = f"the lower bound is {_below(_lower(decisive, gate.confidence), threshold)}%"
        shown = "one cluster cannot show how another would do" if decisive.clusters == 1 else bound
        message = f"FAIL: {subject} score {score} does not meet {wanted}: {shown} (n = {decisive.total}{_in(decisive)})"
    return Verdict(passed=False, message=f"{message}{_unscored(decisive)}.")


def _below(bound: float, threshold: float) -> str:
    """Print a bound that misses the threshold with as many decimals as it takes to show that."""
    per_cent = 100 * bound
    return next(
        (text for digits in range(1, MOST_DIGITS) if Fraction(text := f"{per_cent:.{digits}f}") < exactly(threshold)),
        repr(per_cent),
    )


def _in(combo: ComboResult) -> str:
    return "" if combo.clusters is None else f" in {combo.clusters} cluster{'' if combo.clusters == 1 else 's'}"


def _level(combo: ComboResult, confidence: float | None) -> Fraction:
    """Return the rate that is held against the threshold."""
    if confidence is not None:
        return Fraction(_lower(combo, confidence))
    return Fraction(combo.passed, combo.total) if combo.total else Fraction(0)


def _lower(combo: ComboResult, confidence: float) -> float:
    if not combo.total:
        return 0.0
    if combo.clusters is None:
        return wilson(combo.passed, combo.total, confidence)[0]
    # Cases that could not be scored count as failed here, and are taken to be as alike within clusters as the others.
    size = (combo.effective_cases or 0.0) * combo.total / combo.scored
    bounds = clustered_rate_interval(combo.passed / combo.total, size, combo.clusters, confidence) if size else None
    return 0.0 if bounds is None else bounds[0]


def _subject(gate: Gate) -> str:
    return _gated_name(gate) or "best"


def _gated_name(gate: Gate) -> str:
    return " / ".join(part for part in (gate.model, gate.prompt) if part is not None)


def _unscored(combo: ComboResult) -> str:
    unscored = combo.total - combo.scored
    return f"; {unscored} of {combo.total} case(s) could not be scored and count as failed" if unscored else ""


def percent_text(passed: int, total: int, threshold: float | None = None) -> str:
    """Print a rate with one decimal, or as many as it takes to show on which side of the threshold it lies.

    100 % and 0 % are printed only for all and for none.
    """
    if not total:
        return "0.0%"
    exact = Fraction(100 * passed, total)
    marks = {Fraction(0), Fraction(100)} | ({exactly(threshold)} if threshold is not None else set())
    for digits in range(1, MOST_DIGITS):
        text = f"{float(exact):.{digits}f}"
        if all(_side(Fraction(text), mark) == _side(exact, mark) for mark in marks):
            return f"{text}%"
    return f"{float(exact)!r}%"


def _side(rate: Fraction, mark: Fraction) -> int:
    return (rate > mark) - (rate < mark)


def plain(number: float) -> str:
    """Print a number as a person writes it: 85 rather than 85.0, and never rounded."""
    return repr(number).removesuffix(".0")
