"""Several judges of one answer, and what they come to together."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from steelyard.api import JsonMapping

Combine = Literal["mean", "median", "majority"]
"""How the scores of several judges become one."""

_REASON_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge said."""

    model: str
    score: float
    """On the judge's scale."""
    reasoning: str
    cost_usd: float | None
    """What the question cost; ``None`` when unknown."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the judges come to."""

    score: float
    """On the judges' scale: their median for ``median``, else their mean."""
    value: float
    """From 0 to 1: how far up the scale, or for ``majority`` the share of judges that pass it."""
    passed: bool


def decide(opinions: Sequence[Opinion], how: Combine, scale: int, passes: Callable[[float], bool]) -> Decision:
    """Bring the judges together.

    Args:
        opinions: At least one.
        how: ``mean`` and ``median`` of the scores, or the ``majority``: more than half have to pass it.
        scale: The highest score.
        passes: Whether a score passes.
    """
    scores = [opinion.score for opinion in opinions]
    score = statistics.median(scores) if how == "median" else statistics.fmean(scores)
    if how == "majority":
        share = sum(map(passes, scores)) / len(scores)
        return Decision(score=score, value=share, passed=2 * sum(map(passes, scores)) > len(scores))
    return Decision(score=score, value=share_of(score, scale), passed=passes(score))


def share_of(score: float, scale: int) -> float:
    """Return how far up the scale a score is, from 0 to 1: 1.4 of 5 is 0.1, and not 0.09999999999999998."""
    return float((Fraction(repr(score)) - 1) / (scale - 1))


def panel_details(opinions: Sequence[Opinion], passes: Callable[[float], bool]) -> JsonMapping:
    """Return what the record keeps of each judge."""
    return {
        "judges": [
            {
                "model": opinion.model,
                "score": opinion.score,
                "passed": passes(opinion.score),
                "reasoning": opinion.reasoning[:_REASON_LENGTH],
                "cost": opinion.cost_usd,
            }
            for opinion in opinions
        ]
    }


def reasoning_of(opinions: Sequence[Opinion]) -> str:
    """Return the reasoning of the only judge, or of all with their names before it."""
    if len(opinions) == 1:
        return opinions[0].reasoning
    return "\n".join(f"{opinion.model} ({opinion.score:g}): {opinion.reasoning}" for opinion in opinions)
