"""What a judge scored, read from its reply: an object with a ``score``, as :mod:`._judge_reply` finds it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from steelyard.api import JsonMapping, JsonValue, shown

from ._judge_reply import NoVerdictError, decision, reasoning_of, value_of

__all__ = ["JudgeVerdict", "NoVerdictError", "read_verdict"]

SCORE_KEY = "score"

_FRACTION = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*(?:/\s*([0-9]+)\s*)?")


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """A judge's decision."""

    score: float
    """From 1 to the top of the scale; fractions are taken as they are."""
    reasoning: str
    """As the judge wrote it; empty when it gave none."""


def read_verdict(reply: str, *, scale: int, candidate: str = "", cut_off: bool = False) -> JudgeVerdict:
    """Find the judge's decision in its reply.

    Args:
        reply: What the judge wrote.
        scale: The highest score.
        candidate: The text under judgement: an object quoted from it is not the judge's word.
        cut_off: Whether the token limit ended the reply, so that more was to come.

    Raises ``NoVerdictError`` when there is no decision that needs no guess.
    """
    verdict = decision(reply, SCORE_KEY, candidate=candidate, cut_off=cut_off)
    return JudgeVerdict(score=_score(verdict, scale), reasoning=reasoning_of(verdict))


def _score(verdict: JsonMapping, scale: int) -> float:
    value = value_of(verdict, SCORE_KEY)
    number = _number(value, scale)
    if number is None:
        raise NoVerdictError(f"its score is {shown(value)}, not a number from 1 to {scale}")
    return number


def _number(value: JsonValue, scale: int) -> float | None:
    if isinstance(value, str):
        written = _FRACTION.fullmatch(value)
        if written is None or (written[2] is not None and written[2] != str(scale)):
            return None
        value = float(written[1])
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 1 <= value <= scale:
        return None
    return float(value) if math.isfinite(value) else None
