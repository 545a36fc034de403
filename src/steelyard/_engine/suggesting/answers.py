"""The answer that failed cases share, whatever it means: a model that is stuck, or labels that no case expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...api import CaseResult, Status
from .shares import share_of

FEWEST: Final = 3
"""In fewer cases the same answer is no pattern."""
_SHARE: Final = 0.5
"""Of the failed cases that must share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SameAnswer:
    """One answer in many failed cases."""

    answer: str
    """As the first of them has it."""
    expected: str | None
    """What all of them expect, where that is one text."""
    cases: tuple[str, ...]
    of: int
    """Failed cases."""
    low: float
    """The lower bound of the 95 % interval of the share, from 0 to 1."""
    high: float
    passed_too: int
    """Cases that passed with it."""


def same_answer(cases: Sequence[CaseResult]) -> SameAnswer | None:
    """Return the answer that at least half of the failed cases share; ``None`` when there is none."""
    scored = [case for case in cases if case.status is Status.SCORED]
    failed = [case for case in scored if not case.passed]
    found: dict[str, list[CaseResult]] = {}
    for case in failed:
        for answer in _answers(case, passed=False):
            found.setdefault(answer, []).append(case)
    if not found:
        return None
    answer, alike = max(found.items(), key=lambda item: len(item[1]))
    if len(alike) < max(FEWEST, _SHARE * len(failed)):
        return None
    low, high = share_of(alike, failed)
    wanted = {case.expected if isinstance(case.expected, str) else None for case in alike}
    return SameAnswer(
        answer=next(run.response.strip() for run in alike[0].runs if _plain(run.response) == answer),
        expected=wanted.pop() if len(wanted) == 1 else None,
        cases=tuple(case.id for case in alike),
        of=len(failed),
        low=low,
        high=high,
        passed_too=sum(answer in _answers(case, passed=True) for case in scored if case.passed),
    )


def _answers(case: CaseResult, *, passed: bool) -> set[str]:
    answers = {_plain(run.response) for run in case.runs if run.status is Status.SCORED and run.passed is passed}
    return answers - {""}  # an empty one is a fault of its own


def _plain(answer: str) -> str:
    return answer.strip().casefold()
