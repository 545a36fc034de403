"""How large a share of cases is, with an interval that counts as the headline does: by cases, and by their clusters."""

from __future__ import annotations

from collections.abc import Iterable

from ...api import CaseResult
from ..rates import Rate, RateTally

Bounds = tuple[float, float]


def rate_of(cases: Iterable[tuple[CaseResult, int, int]]) -> Rate | None:
    """Return the rate of what was counted in cases: for each how often, and of how many."""
    tally = RateTally()
    for case, count, of in cases:
        tally.add(count, of, case.cluster)
    return tally.rate()


def bounds_of(cases: Iterable[tuple[CaseResult, int, int]]) -> Bounds:
    """Return the 95 % interval of such a rate, from 0 to 1: all of that where everything is of one unit."""
    rate = rate_of(cases)
    return (0.0, 1.0) if rate is None or rate.low is None or rate.high is None else (rate.low, rate.high)


def share_of(some: Iterable[CaseResult], among: Iterable[CaseResult]) -> Bounds:
    """Return the 95 % interval of the share that some cases are of others, from 0 to 1."""
    chosen = {id(case) for case in some}
    return bounds_of((case, int(id(case) in chosen), 1) for case in among)
