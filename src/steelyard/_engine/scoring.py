"""What the scorers make of an answer: each verdict checked, turned into a result, and all of them brought together.

A scorer that raises, hangs or returns nonsense costs its own score and no other. ``threshold``, ``negate`` and
``weight`` are applied here and nowhere else; none of them touches an error.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass

from ..api import NOTHING, Case, Output, Score, ScoreResult
from ..errors import ScorerError
from .asking import Account, Judges, Patience, ScorerAsk
from .faults import BlamedError, NotMadeError, described, must_pass, one_line, scoring_status
from .plan import BoundScorer

ROUNDING = 1e-9
"""How far a score may miss a bound by through floating point alone: 0.7999999999999999 reaches a threshold of 0.8."""
REASON_LIMIT = 4000
"""Characters of a reason that are kept."""


_UNASKED = object()


@dataclass(slots=True)
class Scored:
    """One scorer's result, and whether it is missing only because a call was not made."""

    result: ScoreResult
    refused: bool = False


async def score(
    scorer: BoundScorer, case: Case, output: Output | None, *, judges: Judges, account: Account, repeat: int
) -> Scored:
    """Let one scorer judge one answer. Never raises, except for what means "stop".

    Args:
        scorer: Who judges.
        case: What was asked.
        output: The answer; ``None`` when the conversation has no such turn.
        judges: Whom the scorer may ask.
        account: Where its questions are booked.
        repeat: Which run of the case this is.
    """
    if output is None:
        missing = ScorerError(f"{scorer.name}: the conversation has no answer number {scorer.turn}")
        return Scored(_unjudged(scorer, missing))
    patience = Patience(scorer.timeout_s)
    ask = ScorerAsk(judges, account, patience, repeat=repeat)
    try:
        verdict: object = _UNASKED if scorer.judge_now is None else scorer.judge_now(case, output, ask)
        if verdict is _UNASKED:
            async with patience:
                verdict = await scorer.judge(case, output, ask)
        elif isinstance(verdict, Awaitable):
            async with patience:
                verdict = await verdict
        result = _applied(scorer, _sane(verdict, scorer))
        await ask.keep()
        return Scored(result)
    except BaseException as error:
        if must_pass(error):
            raise
        if patience.expired:
            error = BlamedError(f"{scorer.blame}: gave no verdict within {scorer.timeout_s:g} s")
        return Scored(_unjudged(scorer, error), refused=isinstance(error, NotMadeError))
    finally:
        ask.close()


def weighted_mean(scores: Sequence[ScoreResult]) -> float:
    """Return the mean of the scores by their weights, from 0 to 1."""
    total = math.fsum(one.weight for one in scores)
    if total <= 0:
        return math.fsum(one.score or 0.0 for one in scores) / len(scores)
    return min(1.0, max(0.0, math.fsum((one.score or 0.0) * one.weight for one in scores) / total))


def _sane(verdict: object, scorer: BoundScorer) -> Score:
    """Return a scorer's verdict if it is one. Raises ``BlamedError``."""
    if not isinstance(verdict, Score):
        raise BlamedError(f"{scorer.blame}: score returned {type(verdict).__name__} instead of a Score")
    if not isinstance(verdict.passed, bool):
        raise BlamedError(
            f"{scorer.blame}: returned a Score whose 'passed' is {type(verdict.passed).__name__}, not bool"
        )
    value = verdict.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BlamedError(f"{scorer.blame}: returned a Score whose 'value' is {type(value).__name__}, not a number")
    # Written so that NaN, which compares false with everything, is refused.
    if not -ROUNDING <= value <= 1 + ROUNDING:
        raise BlamedError(f"{scorer.blame}: returned a Score whose 'value' is {value!r}, not a number from 0 to 1")
    return verdict


def _applied(scorer: BoundScorer, verdict: Score) -> ScoreResult:
    value = min(1.0, max(0.0, float(verdict.value)))
    passed = verdict.passed if scorer.threshold is None else value + ROUNDING >= scorer.threshold
    if scorer.negate:
        passed, value = not passed, 1.0 - value
    return ScoreResult(
        scorer=scorer.type,
        name=scorer.name,
        passed=passed,
        score=value,
        reason=_reason(verdict.reason),
        weight=scorer.weight,
        details=verdict.details if isinstance(verdict.details, Mapping) else NOTHING,
    )


def _reason(reason: object) -> str:
    if reason is None:
        return ""
    return one_line(reason if isinstance(reason, str) else repr(reason), REASON_LIMIT)


def _unjudged(scorer: BoundScorer, error: BaseException) -> ScoreResult:
    return ScoreResult(
        scorer=scorer.type,
        name=scorer.name,
        passed=None,
        score=None,
        reason=described(error, scorer.blame, located=True),
        weight=scorer.weight,
        status=scoring_status(error),
    )
