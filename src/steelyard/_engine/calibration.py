"""How far a judge can be trusted: its scores beside those that people gave the same outputs.

Scores are compared on the scale from 1 to 5 that people use; whether an output passes, at the judge's own threshold and
at the score from which on a person passes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from .formulas.clusters import grouped, mean_estimate
from .formulas.correlation import pearson, spearman
from .formulas.figure import Figure
from .formulas.kappa import kappa, quadratic
from .formulas.rogan_gladen import Judged
from .rates import Rate, RateTally

LOWEST, HIGHEST = 1, 5
"""The scale of people."""

GOOD_PEARSON = 0.7
GOOD_KAPPA = 0.6
AMBIGUOUS = 0.4
"""Below it the judge and people see different things in the rubric."""

MOST_SHOWN = 10

_ROUNDING = 1e-9
"""How far floating point may take a figure from a limit that it meets exactly."""

Trust = Literal["good", "fair", "ambiguous", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """One output that both a judge and a person scored."""

    id: str
    """Of the case."""
    model: str
    prompt_id: str
    judge: float
    """From 1 to 5; not always whole."""
    human: float
    passed: bool
    """By the judge."""

    @property
    def difference(self) -> float:
        """How much more the judge gave."""
        return self.judge - self.human


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often judge and person pass and fail the same outputs."""

    both_pass: int = 0
    false_pass: int = 0
    """The judge passed what the person failed."""
    false_fail: int = 0
    """The judge failed what the person passed."""
    both_fail: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A judge measured against people."""

    count: int
    human_pass: float
    """The score from which on a person passes an output."""
    pearson: Figure
    spearman: Figure
    kappa: Figure
    """Of pass and fail."""
    kappa_quadratic: Figure
    """Of the scores from 1 to 5, near misses counted in part."""
    agreement: Figure
    """The share of outputs that both pass or both fail."""
    bias: Figure
    """How much more the judge gives on average, in points of the scale."""
    false_pass: Figure
    """Of the outputs that the person failed, the share that the judge passed."""
    false_fail: Figure
    """Of the outputs that the person passed, the share that the judge failed."""
    confusion: Confusion
    verdict: Trust
    worst: tuple[Rated, ...]
    """Where the two are furthest apart, those first; those that agree are left out."""
    rated: tuple[Rated, ...]
    judged: int
    """Outputs that the judge scored, whether or not a person did."""
    pass_rate: Figure
    """The share of them that it passed."""
    pass_rate_corrected: Figure
    """The share of them that people would pass, by how often the judge is wrong (Rogan & Gladen)."""
    only_score: float | None = None
    """What the judge gave every one of the outputs, where people told them apart; ``None`` where it varied."""


def calibrate(rated: Sequence[Rated], human_pass: float = 4.0, others: Sequence[tuple[str, bool]] = ()) -> Calibration:
    """Measure a judge.

    Outputs to the same case go alike, so shares and the bias go by cases.

    Args:
        rated: The outputs that both scored.
        human_pass: The score from which on a person passes an output.
        others: The outputs that only the judge scored: the id of the case, and whether it passed it.
    """
    judge, human = [one.judge for one in rated], [one.human for one in rated]
    confusion = _confusion(rated, human_pass)
    passed = _rate([*((one.id, one.passed) for one in rated), *others])
    verdicts = [
        [confusion.both_pass, confusion.false_pass],
        [confusion.false_fail, confusion.both_fail],
    ]
    correlation, chance_corrected = pearson(judge, human), kappa(verdicts)
    only_score = judge[0] if len(set(judge)) == 1 and len(set(human)) > 1 else None
    # A judge to whom all is alike goes along with nothing, although no coefficient can be worked out.
    association = 0.0 if only_score is not None else correlation.value
    return Calibration(
        count=len(rated),
        human_pass=human_pass,
        pearson=correlation,
        spearman=spearman(judge, human),
        kappa=chance_corrected,
        kappa_quadratic=kappa(_table(rated), quadratic(HIGHEST - LOWEST + 1)),
        agreement=_share((one.id, one.passed is (one.human >= human_pass)) for one in rated),
        bias=_bias(rated),
        false_pass=_share((one.id, one.passed) for one in rated if one.human < human_pass),
        false_fail=_share((one.id, not one.passed) for one in rated if one.human >= human_pass),
        confusion=confusion,
        verdict=_trust(association, chance_corrected.value),
        worst=_worst(rated),
        rated=tuple(rated),
        judged=len(rated) + len(others),
        pass_rate=_figure(passed),
        pass_rate_corrected=_corrected(confusion, others, _likeness(passed)),
        only_score=only_score,
    )


def on_human_scale(share: float) -> float:
    """Return a score from 0 to 1 on the scale from 1 to 5."""
    return LOWEST + share * (HIGHEST - LOWEST)


def _confusion(rated: Sequence[Rated], human_pass: float) -> Confusion:
    def count(by_judge: bool, by_human: bool) -> int:
        return sum(one.passed is by_judge and (one.human >= human_pass) is by_human for one in rated)

    return Confusion(
        both_pass=count(by_judge=True, by_human=True),
        false_pass=count(by_judge=True, by_human=False),
        false_fail=count(by_judge=False, by_human=True),
        both_fail=count(by_judge=False, by_human=False),
    )


def _table(rated: Sequence[Rated]) -> list[list[int]]:
    table = [[0] * (HIGHEST - LOWEST + 1) for _ in range(LOWEST, HIGHEST + 1)]
    for one in rated:
        table[_category(one.judge)][_category(one.human)] += 1
    return table


def _category(score: float) -> int:
    """Return the whole score that is nearest, from 0; halves go up, as people round them."""
    return min(HIGHEST, max(LOWEST, math.floor(score + 0.5))) - LOWEST


def _share(outputs: Iterable[tuple[str, bool]]) -> Figure:
    """Return the share of outputs for which something is so, each with the id of its case."""
    return _figure(_rate(outputs))


def _rate(outputs: Iterable[tuple[str, bool]]) -> Rate | None:
    tally = RateTally()
    for case_id, is_so in outputs:
        tally.add(int(is_so), cluster=case_id)
    return tally.rate()


def _figure(rate: Rate | None) -> Figure:
    return Figure() if rate is None else Figure(rate.passed / rate.count, rate.low, rate.high)


def _likeness(rate: Rate | None) -> float:
    return 1.0 if rate is None or rate.size is None else rate.count / rate.size


def _corrected(confusion: Confusion, others: Sequence[tuple[str, bool]], likeness: float) -> Figure:
    passed = sum(passed for _, passed in others)
    judged = Judged(
        both_pass=confusion.both_pass,
        false_pass=confusion.false_pass,
        false_fail=confusion.false_fail,
        both_fail=confusion.both_fail,
        other_pass=passed,
        other_fail=len(others) - passed,
    )
    return judged.true_share(likeness=likeness)


def _bias(rated: Sequence[Rated]) -> Figure:
    if not rated:
        return Figure()
    estimate = mean_estimate(grouped((one.id, one.difference) for one in rated))
    if estimate is None:
        return Figure(math.fsum(one.difference for one in rated) / len(rated))
    return Figure(estimate.mean, estimate.low, estimate.high)


def _trust(correlation: float | None, chance_corrected: float | None) -> Trust:
    if correlation is None or chance_corrected is None:
        return "unknown"
    found = correlation + _ROUNDING, chance_corrected + _ROUNDING
    if min(found) < AMBIGUOUS:
        return "ambiguous"
    return "good" if found[0] >= GOOD_PEARSON and found[1] >= GOOD_KAPPA else "fair"


def _worst(rated: Sequence[Rated]) -> tuple[Rated, ...]:
    apart = sorted((one for one in rated if one.difference), key=lambda one: -abs(one.difference))
    return tuple(apart[:MOST_SHOWN])
