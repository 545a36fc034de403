"""Answers that say how sure they are: whether they are right as often as they say.

An answer states its confidence in a line such as ``CONFIDENCE: 80 %``, ``confidence: 0.8`` or ``Confidence: 8/10``; of
several the last counts. Up to 1 and without a per cent sign a number is a share, so ``1`` is certain; above 1 it is per
cent. What is negative or more than certain states nothing.

Sources: Brier, Monthly Weather Review 78 (1950) 1-3, for the score; Murphy & Winkler, Applied Statistics 26 (1977)
41-47, for the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..api import CaseResult, Status
from .formulas.clusters import grouped, mean_estimate
from .formulas.figure import Figure
from .rates import RateTally

BINS = 10
"""Confidences are counted by tenths."""

_STATED = re.compile(
    r"\bconfidence\b\W{0,8}?[:=]\W{0,4}?([-\u2212]?)([0-9]{1,3}(?:[.,][0-9]{1,6})?|[.,][0-9]{1,6})"
    r"\s{0,4}(%|per ?cent|(?:/|out of)\s?(?:100|10)\b)?",
    re.IGNORECASE,
)
_PER_CENT = 100
_OF_TEN = 10


class _Answer(NamedTuple):
    unit: str
    """Its case or cluster."""
    confidence: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """The answers whose confidence lies between two tenths."""

    low: float
    """From 0 to 1; the answers of the bin are at least so sure."""
    high: float
    count: int
    stated: float
    """Their mean confidence."""
    right: Figure
    """The share of them that passed, with its Wilson interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedConfidence:
    """How far stated confidence can be taken at its word."""

    count: int
    unstated: int
    """Scored answers that state none."""
    brier: Figure
    """The mean squared difference of confidence and outcome: 0 is perfect, 0.25 is what "50 %" always gets."""
    skill: float | None
    """How much better than always saying the overall rate: 1 is perfect, below 0 worse; ``None`` if all went alike."""
    stated: float | None
    """The mean confidence."""
    right: Figure
    """The share of answers that passed."""
    gap: float | None
    """The mean distance, over bins by their size, between confidence and the share that passed."""
    bins: tuple[Bin, ...]
    """Those that hold answers, from the least sure."""


def stated_confidence(cases: Iterable[CaseResult]) -> StatedConfidence:
    """Hold what answers say of themselves against whether they passed.

    Every answer counts; intervals go by cases, or clusters of them, since answers to one case go alike.
    """
    runs = [(case.cluster or case.id, run) for case in cases for run in case.runs if run.status is Status.SCORED]
    found = [
        _Answer(unit, confidence, run.passed)
        for unit, run in runs
        if (confidence := read_confidence(run.response)) is not None
    ]
    if not found:
        return StatedConfidence(
            count=0,
            unstated=len(runs),
            brier=Figure(),
            skill=None,
            stated=None,
            right=Figure(),
            gap=None,
            bins=(),
        )
    rate = sum(answer.right for answer in found) / len(found)
    brier = _brier(found)
    bins = _bins(found)
    return StatedConfidence(
        count=len(found),
        unstated=len(runs) - len(found),
        brier=brier,
        skill=1 - (brier.value or 0.0) / (rate * (1 - rate)) if 0 < rate < 1 else None,
        stated=sum(answer.confidence for answer in found) / len(found),
        right=_right(found),
        gap=sum(one.count * abs((one.right.value or 0.0) - one.stated) for one in bins) / len(found),
        bins=bins,
    )


def read_confidence(answer: str) -> float | None:
    """Return the confidence that an answer states, from 0 to 1; ``None`` when it states none that makes sense."""
    found = _STATED.findall(answer)
    if not found:
        return None
    sign, number, unit = found[-1]
    if sign:
        return None
    value = float(number.replace(",", "."))
    if unit.endswith("10"):
        value /= _OF_TEN
    elif unit or value > 1:
        value /= _PER_CENT
    return value if value <= 1 else None


def _brier(found: Sequence[_Answer]) -> Figure:
    errors = [(answer.unit, (answer.confidence - answer.right) ** 2) for answer in found]
    estimate = mean_estimate(grouped(errors))
    if estimate is None:
        return Figure(sum(error for _, error in errors) / len(errors))
    return Figure(estimate.mean, max(0.0, estimate.low), min(1.0, estimate.high))


def _right(found: Sequence[_Answer]) -> Figure:
    tally = RateTally()
    for answer in found:
        tally.add(int(answer.right), cluster=answer.unit)
    rate = tally.rate()
    return Figure() if rate is None else Figure(rate.passed / rate.count, rate.low, rate.high)


def _bins(found: Sequence[_Answer]) -> tuple[Bin, ...]:
    members: dict[int, list[_Answer]] = {}
    for answer in found:
        # Rounded first: 0.7 in tenths is 7, not the 6.999… of floating point.
        members.setdefault(min(int(round(answer.confidence * BINS, 9)), BINS - 1), []).append(answer)
    return tuple(
        Bin(
            low=index / BINS,
            high=(index + 1) / BINS,
            count=len(mine),
            stated=sum(answer.confidence for answer in mine) / len(mine),
            right=_right(mine),
        )
        for index, mine in sorted(members.items())
    )
