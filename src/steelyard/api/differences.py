"""How one combo stands to another: whether a difference is real, how large it is, and which cases make it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What became of the cases of one combo under another, or in a later run. Differences are in points, 0 to 100."""

    verdict: str
    """``better`` or ``worse``, for the second one; ``inconclusive`` when these cases cannot show a difference."""
    message: str
    """The same as a sentence, with effect, interval, p and n."""
    cases: int
    """How many cases both could score: what the following figures are of."""
    units: int
    """How many of them are independent: cases, or clusters of cases."""
    delta: float | None
    """The second score minus the first; ``None`` when one of them scored nothing."""
    effect: float | None
    """What the cases gained on average, of the share of passed runs where they were repeated; ``None`` without any."""
    low: float | None
    """The lower bound of the 95 % interval of ``effect``; ``None`` when there is nothing to tell it from."""
    high: float | None
    p_value: float | None
    """Of this difference by itself, two-sided; ``None`` when there is nothing to test."""
    p_adjusted: float | None
    """Corrected by Holm's method for all that were compared at once: what ``verdict`` goes by."""
    method: str
    """How it was tested: ``exact McNemar``, or a t test that is robust within clusters and repeats."""
    regressed: tuple[str, ...] = ()
    """The ids of cases that passed under the first and failed under the second."""
    improved: tuple[str, ...] = ()
    new_errors: tuple[str, ...] = ()
    """Cases that only the first could score."""
    recovered: tuple[str, ...] = ()
    """Cases that only the second could score."""
    of_scores: Difference | None = None
    """The same of the mean scores of the cases; ``None`` where scores say no more than pass and fail."""
