"""Which kinds of cases fail more often than the others, and whether that may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...api import CaseResult, Status
from ..formulas.fisher import fisher_exact, rate_difference
from ..formulas.many_tests import holm
from ..statistics import wilson
from .traits import Trait, traits_of

FEWEST_FAILURES = 2
"""A kind with fewer failures is an anecdote."""

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cases of one kind that fail more often than the others."""

    trait: Trait
    failed: int
    count: int
    """Scored cases of the kind."""
    low: float
    """The lower bound of the 95 % interval of the share that failed, from 0 to 1."""
    high: float
    others_failed: int
    others: int
    difference_low: float
    """Of the interval of how much larger the share is than among the others."""
    difference_high: float
    p_value: float
    p_adjusted: float
    """Corrected for all kinds that were looked at (Holm)."""
    cases: tuple[str, ...]
    """Ids of those that failed."""

    @property
    def sure(self) -> bool:
        """Whether it is more than chance, after having looked at so many kinds."""
        return self.p_adjusted < SIGNIFICANT


def failing_groups(cases: Sequence[CaseResult]) -> list[Group]:
    """Return the kinds of cases that fail more often than the others, the surest first.

    Cases that could not be scored are no failures of the model, and are left out.
    """
    found = traits_of([case for case in cases if case.status is Status.SCORED])
    members: dict[Trait, list[CaseResult]] = {}
    for case, traits in found:
        for trait in traits:
            members.setdefault(trait, []).append(case)
    failed_in_all = sum(not case.passed for case, _ in found)
    tested = []
    for trait, mine in members.items():
        failed = sum(not case.passed for case in mine)
        rest, rest_failed = len(found) - len(mine), failed_in_all - failed
        tested.append((trait, mine, failed, fisher_exact(failed, len(mine), rest_failed, rest)))
    together = holm([p_value for *_, p_value in tested])
    groups = [
        _group(trait, mine, failed, p_value, adjusted, (failed_in_all - failed, len(found) - len(mine)))
        for (trait, mine, failed, p_value), adjusted in zip(tested, together, strict=True)
    ]
    worse = [
        group
        for group in groups
        if group.failed >= FEWEST_FAILURES and group.failed * group.others > group.others_failed * group.count
    ]
    return sorted(worse, key=lambda group: (group.p_value, str(group.trait)))


def _group(
    trait: Trait,
    mine: Sequence[CaseResult],
    failed: int,
    p_value: float,
    adjusted: float,
    others: tuple[int, int],
) -> Group:
    low, high = wilson(failed, len(mine))
    difference = rate_difference(failed, len(mine), *others)
    return Group(
        trait=trait,
        failed=failed,
        count=len(mine),
        low=low,
        high=high,
        others_failed=others[0],
        others=others[1],
        difference_low=difference[0],
        difference_high=difference[1],
        p_value=p_value,
        p_adjusted=adjusted,
        cases=tuple(case.id for case in mine if not case.passed),
    )
