"""Two runs of the same cases, put side by side: what became of each case, before and after.

Cases are paired by id within a combo. A pipeline error is neither a pass nor a fail, so it never counts as a regression
or an improvement of quality: it is a new error, or one that is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from ..api import CaseResult, ComboResult, Status
from .evidence import Differences
from .outcomes import passed_share

_ROUNDING = 1e-9
"""A mean of scores may differ by so much from the share that it is."""

Became = Literal["regressed", "improved", "new_error", "recovered", "same"]


@dataclass(slots=True)
class Pairs:
    """The cases of one combo that both runs have."""

    both_passed: int = 0
    lost: int = 0
    """Passed before, failed after."""
    won: int = 0
    """Failed before, passed after."""
    both_failed: int = 0
    scored_differences: Differences = field(default_factory=Differences)
    """Of the cases that both could score."""
    all_differences: Differences = field(default_factory=Differences)
    """Of the cases that both have: what could not be scored did not pass."""
    score_differences: Differences = field(default_factory=lambda: Differences(graded=True))
    """Of the scores of the cases that both could score."""
    graded: bool = False
    """Whether scores say more than how many runs passed: a judge's three of five, say."""
    passed_before: int = 0
    """Of all cases that both have, pipeline errors counted as not passed."""
    passed_after: int = 0
    score_before: float = 0.0
    """The sum of the scores of all cases that both have; what could not be scored counts as 0."""
    score_after: float = 0.0
    errors_before: int = 0
    errors_after: int = 0
    regressed: list[str] = field(default_factory=list)
    improved: list[str] = field(default_factory=list)
    new_errors: list[str] = field(default_factory=list)
    lost_to_errors: list[str] = field(default_factory=list)
    """Those of the new errors that passed before."""
    recovered: list[str] = field(default_factory=list)
    only_before: int = 0
    """Cases that the second run does not have."""
    only_after: int = 0

    @property
    def total(self) -> int:
        """Cases that both runs have."""
        return self.scored + len(self.new_errors) + len(self.recovered) + self.errors_in_both

    @property
    def scored(self) -> int:
        """Cases that both runs could score."""
        return self.both_passed + self.lost + self.won + self.both_failed

    @property
    def errors_in_both(self) -> int:
        """Cases that neither run could score."""
        return self.errors_before - len(self.recovered)

    @property
    def same_cases(self) -> bool:
        """Whether both runs have exactly the same cases."""
        return self.only_before == 0 and self.only_after == 0 and self.total > 0


def pair(before: ComboResult, after: ComboResult) -> Pairs:
    """Put the cases of a combo side by side."""
    earlier, again = _by_id(_outlines(before.cases))
    pairs = Pairs()
    for case in _outlines(after.cases):
        old = earlier.pop(case.id, None) or next(again.get(case.id, _NONE), None)
        if old is None:
            pairs.only_after += 1
        else:
            _add(pairs, case.id, old, _Outcome.of(case))
    pairs.only_before = len(earlier) + sum(1 for outcomes in again.values() for _ in outcomes)
    return pairs


def differences(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> Differences:
    """Return what the cases gained that both could score, going through both side by side."""
    found = Differences()
    waiting: tuple[dict[str, _Outcome], dict[str, _Outcome]] = ({}, {})
    for cases in zip_longest(_outlines(before), _outlines(after)):
        for side, case in enumerate(cases):
            if case is None:
                continue
            outcome, counterpart = _Outcome.of(case), waiting[1 - side].pop(case.id, None)
            if counterpart is None:
                waiting[side][case.id] = outcome
            elif outcome.scored and counterpart.scored:
                old, new = (counterpart, outcome) if side else (outcome, counterpart)
                found.add(
                    old.rate,
                    new.rate,
                    cluster=new.cluster or old.cluster,
                    repeated=new.repeated or old.repeated,
                )
    return found


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The little that has to be kept of a case, so that two records of any size fit."""

    scored: bool
    passed: bool
    rate: float
    """The share of passed runs of those that were scored."""
    rate_of_all: float
    """The share of passed runs, errors counted as not passed."""
    score: float | None
    repeated: bool
    cluster: str | None

    @classmethod
    def of(cls, case: CaseResult) -> _Outcome:
        scored = case.status is Status.SCORED
        passed = scored and case.passed
        if len(case.runs) < 2:  # noqa: PLR2004 - one run is no share
            return cls(scored, passed, float(passed), float(passed), case.score, repeated=False, cluster=case.cluster)
        of_all = sum(run.passed for run in case.runs) / len(case.runs)
        return cls(scored, passed, passed_share(case), of_all, case.score, repeated=True, cluster=case.cluster)

    @property
    def points(self) -> float:
        """The score, 0 when there is none; where it alone is unknown, what passing and failing say of it."""
        return self.rate if self.scored and self.score is None else self.score or 0.0

    @property
    def graded(self) -> bool:
        """Whether the score is not the share of passed runs."""
        return self.score is not None and abs(self.score - self.rate) > _ROUNDING


_NONE: Iterator[_Outcome] = iter(())


def _outlines(cases: Sequence[CaseResult]) -> Iterator[CaseResult]:
    """Go through cases of which only the verdicts matter: without their texts where they are read from a record."""
    quick: Callable[[], Iterator[CaseResult]] | None = getattr(cases, "outlines", None)
    return iter(cases) if quick is None else quick()


def _by_id(cases: Iterable[CaseResult]) -> tuple[dict[str, _Outcome], dict[str, Iterator[_Outcome]]]:
    """Return what became of the cases, and in order of those whose id came before: other tools allow that."""
    found: dict[str, _Outcome] = {}
    again: dict[str, list[_Outcome]] = {}
    for case in cases:
        if case.id in found:
            again.setdefault(case.id, []).append(_Outcome.of(case))
        else:
            found[case.id] = _Outcome.of(case)
    return found, {case_id: iter(outcomes) for case_id, outcomes in again.items()}


def _add(pairs: Pairs, case_id: str, old: _Outcome, new: _Outcome) -> None:
    pairs.passed_before += old.passed
    pairs.passed_after += new.passed
    pairs.score_before += old.points
    pairs.score_after += new.points
    pairs.errors_before += not old.scored
    pairs.errors_after += not new.scored
    cluster, repeated = new.cluster or old.cluster, new.repeated or old.repeated
    pairs.all_differences.add(old.rate_of_all, new.rate_of_all, cluster=cluster, repeated=repeated)
    if not (old.scored and new.scored):
        if old.scored:
            pairs.new_errors.append(case_id)
            if old.passed:
                pairs.lost_to_errors.append(case_id)
        elif new.scored:
            pairs.recovered.append(case_id)
        return
    pairs.scored_differences.add(old.rate, new.rate, cluster=cluster, repeated=repeated)
    if old.score is not None and new.score is not None:
        pairs.score_differences.add(old.score, new.score, cluster=cluster)
        pairs.graded |= old.graded or new.graded
    if old.passed == new.passed:
        pairs.both_passed += new.passed
        pairs.both_failed += not new.passed
    elif old.passed:
        pairs.lost += 1
        pairs.regressed.append(case_id)
    else:
        pairs.won += 1
        pairs.improved.append(case_id)
