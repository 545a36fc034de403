"""Which kinds of cases fail more often than the others, and whether that may be chance.

Kinds that are the same cases under several names are one kind. Where cases belong together in clusters, counts are
divided by what that costs before they are tested: Rao & Scott, Biometrics 48 (1992) 577-585.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...api import CaseResult, Status
from ..formulas.fisher import fisher_exact, rate_difference
from ..formulas.many_tests import holm
from .shares import bounds_of, rate_of
from .traits import Kind, Trait, traits_of

FEWEST_FAILURES = 2
"""A kind with fewer failures is an anecdote."""

SIGNIFICANT = 0.05

_CLEAREST: Final[tuple[Kind, ...]] = (
    "tag", "metadata", "expected", "conversation", "language", "script", "length",
)  # fmt: skip
"""By which of several names cases are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cases of one kind that fail more often than the others."""

    trait: Trait
    also: tuple[Trait, ...]
    """What else the same cases, and no others, have in common."""
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
    scored = [case for case, _ in found]
    tested = []
    for positions, traits in _kinds(found):
        mine = [scored[position] for position in positions]
        inside = set(positions)
        others = [case for position, case in enumerate(scored) if position not in inside]
        tested.append((traits, mine, others, _p_value(mine, others)))
    together = holm([p_value for *_, p_value in tested])
    groups = [
        _group(traits, mine, others, p_value, adjusted)
        for (traits, mine, others, p_value), adjusted in zip(tested, together, strict=True)
    ]
    worse = [
        group
        for group in groups
        if group.failed >= FEWEST_FAILURES and group.failed * group.others > group.others_failed * group.count
    ]
    return sorted(worse, key=lambda group: (group.p_value, str(group.trait)))


def _kinds(found: Sequence[tuple[CaseResult, frozenset[Trait]]]) -> Iterator[tuple[tuple[int, ...], list[Trait]]]:
    """Yield the cases of each kind, by their positions, with all that these cases alone have in common."""
    members: dict[Trait, list[int]] = {}
    for position, (_, traits) in enumerate(found):
        for trait in traits:
            members.setdefault(trait, []).append(position)
    named: dict[tuple[int, ...], list[Trait]] = {}
    for trait in sorted(members, key=lambda trait: (_CLEAREST.index(trait.kind), trait.name)):
        named.setdefault(tuple(members[trait]), []).append(trait)
    yield from named.items()


def _p_value(mine: Sequence[CaseResult], others: Sequence[CaseResult]) -> float:
    sizes = (_effective(mine), _effective(others))
    # With all cases of a side in one cluster nothing tells the kind from the cluster.
    return 1.0 if sizes[0] is None or sizes[1] is None else fisher_exact(*sizes[0], *sizes[1])


def _effective(cases: Sequence[CaseResult]) -> tuple[int, int] | None:
    """Return how many failed of how many cases, as many as would tell as much if they were independent."""
    rate = rate_of(_failures(cases))
    if rate is None or rate.size is None:
        return None
    count = max(1, round(rate.size))
    return round(count * rate.passed / rate.count), count


def _failures(cases: Sequence[CaseResult]) -> Iterator[tuple[CaseResult, int, int]]:
    return ((case, int(not case.passed), 1) for case in cases)


def _group(
    traits: Sequence[Trait], mine: Sequence[CaseResult], others: Sequence[CaseResult], p_value: float, adjusted: float
) -> Group:
    low, high = bounds_of(_failures(mine))
    sizes = (_effective(mine), _effective(others))
    difference = (-1.0, 1.0) if sizes[0] is None or sizes[1] is None else rate_difference(*sizes[0], *sizes[1])
    return Group(
        trait=traits[0],
        also=tuple(traits[1:]),
        failed=sum(not case.passed for case in mine),
        count=len(mine),
        low=low,
        high=high,
        others_failed=sum(not case.passed for case in others),
        others=len(others),
        difference_low=difference[0],
        difference_high=difference[1],
        p_value=p_value,
        p_adjusted=adjusted,
        cases=tuple(case.id for case in mine if not case.passed),
    )
