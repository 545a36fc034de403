"""Two runs of which one has cases that the other lacks: what can be said of those that both have."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ..api import ComboResult
from .pairing import Pairs

MOST_NAMED = 10


def apart(before: ComboResult, after: ComboResult) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the first ids that only the earlier run has, and those that only the later one has."""
    earlier, later = ({case.id for case in _outlines(combo)} for combo in (before, after))
    return _without(before, later), _without(after, earlier)


def figures_of_shared(pairs: Pairs) -> dict[str, Any]:
    """Return the figures of the cases that both runs have: scores and errors. What single cases cost is unknown."""
    scored = pairs.scored
    return {
        "score_before": 100 * (pairs.both_passed + pairs.lost) / scored if scored else None,
        "score_after": 100 * (pairs.both_passed + pairs.won) / scored if scored else None,
        "cost_before": None,
        "cost_after": None,
        "errors_before": pairs.errors_before,
        "errors_after": pairs.errors_after,
    }


def _without(combo: ComboResult, known: set[str]) -> tuple[str, ...]:
    return tuple(islice((case.id for case in _outlines(combo) if case.id not in known), MOST_NAMED))


def _outlines(combo: ComboResult) -> Iterable[Any]:
    quick = getattr(combo.cases, "outlines", None)
    return combo.cases if quick is None else quick()
