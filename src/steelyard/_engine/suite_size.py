"""How many cases, and how many runs of each, a suite needs to show a difference; and what it can show as it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from ..api import CaseResult, ComboResult, Status
from .formulas.power import UNKNOWN_SPREAD, Spread, cases_needed, detectable

REPEATS = (1, 2, 3, 5, 10)
"""The numbers of runs of each case that are weighed against each other."""

_FEWEST = 2
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """How much paired differences scatter, and how one knows."""

    spread: Spread
    basis: str
    """Where the figures come from, as a sentence's end: ``between a / v1 and b / v1 in 50 cases of …``."""
    repeats_known: bool = True
    """Whether the part of single answers is known apart from that of cases."""


UNKNOWN: Scatter = Scatter(
    spread=UNKNOWN_SPREAD,
    basis="assumed, for want of a record: variance 1/9 between cases, 1/6 of one answer (Miller 2024)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSize:
    """How many cases show a difference when each is run so many times."""

    repeat: int
    cases: int

    @property
    def runs(self) -> int:
        """Answers of one combo."""
        return self.repeat * self.cases


def suite_sizes(
    difference: float, scatter: Scatter, *, confidence: float, power: float, own_repeat: int
) -> list[SuiteSize]:
    """Return how many cases it takes for each number of runs that can be judged.

    Args:
        difference: The true difference of the rates; above 0 and at most 1.
        scatter: How much cases scatter.
        confidence: 0.95 calls equals different in 5 % of comparisons.
        power: The share of comparisons in which the difference is found.
        own_repeat: How often the suite runs each case; a row for it is there in any case.
    """
    repeats = sorted({*REPEATS, own_repeat}) if scatter.repeats_known else [1]
    return [
        SuiteSize(repeat=repeat, cases=_needed(difference, repeat, scatter, confidence=confidence, power=power))
        for repeat in repeats
    ]


def _needed(difference: float, repeat: int, scatter: Scatter, *, confidence: float, power: float) -> int:
    variance = _variance(scatter.spread, repeat, difference)
    needed = cases_needed(difference, variance, confidence=confidence, power=power)
    # Verdicts of a few cases never convince the exact test, nor do shares of runs that all moved alike.
    decisive = fewest_decisive(confidence)
    return max(needed, math.ceil(decisive / difference - 1e-9) if repeat == 1 else decisive)


def fewest_decisive(confidence: float) -> int:
    """Return the fewest changed cases, all to one side, that the exact test calls a difference: 2 / 2ⁿ is below."""
    return next(count for count in range(1, 64) if 2 / 2**count < 1 - confidence)


def detectable_by(cases: int, repeat: int, scatter: Scatter, *, confidence: float, power: float) -> float:
    """Return the smallest difference that a suite shows, from 0; what is above 1 is never shown."""
    known = repeat if scatter.repeats_known else 1
    if _needed(1.0, known, scatter, confidence=confidence, power=power) > cases:
        return math.inf
    shown, hidden = 1.0, detectable(cases, scatter.spread.variance(known), confidence=confidence, power=power) / 2
    # The larger a difference, the fewer cases it takes.
    for _ in range(_HALVINGS):
        middle = (shown + hidden) / 2
        if _needed(middle, known, scatter, confidence=confidence, power=power) <= cases:
            shown = middle
        else:
            hidden = middle
    return shown


def _variance(spread: Spread, repeat: int, difference: float) -> float:
    """Return the variance of a case's difference; verdicts that differ on average scatter at least so much."""
    return max(spread.variance(repeat), difference * (1 - difference) / repeat)


def scatter_of(best: ComboResult, other: ComboResult | None, run_id: str) -> Scatter | None:
    """Return what a past run tells about the scatter; ``None`` when it has fewer than two scored cases.

    Args:
        best: A combo.
        other: Another one of the same run. Without it, half of what makes cases hard or easy is taken to be the same
            for any two combos.
        run_id: What the record is called.
    """
    if other is None:
        return _from_one(best, run_id)
    runs = {case.id: passed for case in best.cases if (passed := _passed(case))}
    pairs = [(runs[case.id], passed) for case in other.cases if case.id in runs and (passed := _passed(case))]
    if len(pairs) < _FEWEST:
        return _from_one(best, run_id)
    total = variance(fmean(one) - fmean(two) for one, two in pairs)
    of_best, of_other = _within([one for one, _ in pairs]), _within([two for _, two in pairs])
    names = f"{best.model} / {best.prompt_id} and {other.model} / {other.prompt_id}"
    basis = f"measured between {names} in {len(pairs)} cases of {run_id}"
    if of_best is None or of_other is None:
        return Scatter(spread=Spread(between=total, within=0.0), basis=basis, repeats_known=False)
    counts = fmean(len(one) for one, _ in pairs), fmean(len(two) for _, two in pairs)
    between = max(0.0, total - of_best / counts[0] - of_other / counts[1])
    return Scatter(spread=Spread(between=between, within=of_best + of_other), basis=basis)


def _from_one(combo: ComboResult, run_id: str) -> Scatter | None:
    runs = [passed for case in combo.cases if (passed := _passed(case))]
    if len(runs) < _FEWEST:
        return None
    total, within = variance(fmean(one) for one in runs), _within(runs)
    basis = f"from {len(runs)} cases of {combo.model} / {combo.prompt_id} in {run_id}, half of it taken to be shared"
    if within is None:
        return Scatter(spread=Spread(between=total, within=0.0), basis=basis, repeats_known=False)
    between = max(0.0, total - within / fmean(len(one) for one in runs))
    return Scatter(spread=Spread(between=between, within=2 * within), basis=basis)


def _passed(case: CaseResult) -> list[bool]:
    return [run.passed for run in case.runs if run.status is Status.SCORED]


def _within(cases: Sequence[Sequence[bool]]) -> float | None:
    """Return the variance of single answers to the same case; ``None`` when too few cases were run repeatedly."""
    repeated = [runs for runs in cases if len(runs) >= _FEWEST]
    if len(repeated) < _FEWEST:
        return None
    return fmean(variance(map(float, runs)) for runs in repeated)
