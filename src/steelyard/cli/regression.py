"""Whether a comparison lets a build pass: the rules of ``--fail-on-regression``, ``--confidence`` and ``--strict``.

A run that was not compared is no run that passed: where nothing can be compared, the answer is no.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from .comparison_words import filters_text, label, lonely, missing, nothing_in_common, points_text

if TYPE_CHECKING:
    from ..session import ComboChange, Comparison

_SHOWN_IDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What makes a comparison fail; nothing unless asked for."""

    points: Fraction | None = None
    """The most points that the pass rate of a combo may fall by; 0 allows what rounding hides."""
    confidence: float | None = None
    """How sure a fall must be to count (0.95); ``None`` counts every fall, chance or not."""
    scores: bool = False
    """Whether the mean score may fall no further than the pass rate."""
    strict: bool = False
    """Whether a single case that passed before and does not now is one too many."""

    def of(self, *, scores: bool) -> Rules:
        """Return the rules as they are for runs whose scores count anyway."""
        return replace(self, scores=self.scores or scores)

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self.strict or self.allowed is not None

    @property
    def allowed(self) -> Fraction | None:
        """The points that a combo may fall by; asked for confidence alone, a sure fall of any size is too much."""
        return Fraction(0) if self.points is None and self.confidence is not None else self.points


@dataclass(slots=True)
class Ruling:
    """What the rules say of a comparison."""

    regressions: list[str] = field(default_factory=list)
    """A line for each combo that fell."""
    problem: str = ""
    """Why nothing could be compared; empty when something was."""
    warnings: list[str] = field(default_factory=list)
    """What was not compared, and what may be chance."""
    aside: list[str] = field(default_factory=list)
    """What was not compared, in few words, for the line that lets a build pass."""

    @property
    def passed(self) -> bool:
        """Whether the build may go on."""
        return not self.regressions and not self.problem


def judge(comparison: Comparison, rules: Rules) -> Ruling:
    """Apply the rules."""
    ruling = Ruling()
    # Single cases can be held against each other also where others are new or gone; rates cannot.
    paired = [change for change in comparison.combos if change.pairs.total]
    alike = [change for change in paired if change.comparable]
    if not (paired if rules.allowed is None else alike):
        lacking = nothing_in_common(comparison) or "; ".join(_unlike(comparison))
        ruling.problem = f"{lacking}; refresh the baseline with a record of the benchmark as it is now"
        return ruling
    ruling.warnings = [*_left_aside(comparison, paired if rules.strict else alike)]
    ruling.aside = [*_aside(comparison)]
    if rules.allowed is not None:
        fallen = comparison.regressions(rules.allowed, rules.confidence)
        ruling.regressions += [_fell(change, rules.allowed, rules.confidence) for change in fallen]
        ruling.warnings += [
            f"{label(change)}: the pass rate fell by {points_text(change.drop or Fraction(0), rules.allowed)} points, "
            "which may be chance"
            for change in comparison.regressions(rules.allowed)
            if change not in fallen
        ]
        if rules.scores:
            lower = comparison.score_regressions(rules.allowed, rules.confidence)
            ruling.regressions += [_fell_in_score(change, rules.allowed) for change in lower]
    if rules.strict:
        ruling.regressions += [_lost(change) for change in paired if change.lost]
    return ruling


def _unlike(comparison: Comparison) -> Iterator[str]:
    """Say why nothing can be compared although the runs have combos in common."""
    before, after = comparison.before, comparison.after
    yield f"no combo ran the same test cases in {before.run_id} and {after.run_id}"
    first, *more = comparison.combos
    yield f"{label(first)}: {missing(first)}" + (f"; {len(more)} more likewise" if more else "")
    parts = [filters_text(record.filters) for record in (before, after)]
    if parts[0] != parts[1]:
        yield f"A is a run of {parts[0]} and B of {parts[1]}: run the same part again"


def _left_aside(comparison: Comparison, compared: list[ComboChange]) -> Iterator[str]:
    for change in comparison.combos:
        if change.shared:
            yield from _apart(change)
        elif missing(change):
            aside = "" if change in compared else ", not compared"
            yield f"{label(change)}: {missing(change)}{aside}"
    yield from lonely(comparison)


def _apart(change: ComboChange) -> Iterator[str]:
    pairs = change.pairs
    for side, count, ids in (("A", pairs.only_before, change.gone), ("B", pairs.only_after, change.new)):
        if count:
            yield f"{label(change)}: {count} case(s) only in {side}, not compared: {_listed(ids, count)}"


def _listed(ids: Sequence[str], count: int) -> str:
    more = f" and {count - len(ids)} more" if count > len(ids) else ""
    return ", ".join(ids) + more


def _aside(comparison: Comparison) -> Iterator[str]:
    yield from (f"{label(change)}: {missing(change)}" for change in comparison.combos if missing(change))
    for side, combos in (("A", comparison.only_before), ("B", comparison.only_after)):
        if combos:
            yield f"{len(combos)} combo(s) only in {side}"


def _fell(change: ComboChange, allowed: Fraction, confidence: float | None) -> str:
    drop = change.drop or Fraction(0)
    sure = f", beyond chance at {100 * confidence:g} %" if confidence is not None else ""
    broken = ", cases that break counted as failures" if change.pairs.new_errors else ""
    fell = f"the pass rate fell by {points_text(drop, allowed)} points{broken}{sure}"
    return f"{label(change)}: {fell}; {_most(allowed)}"


def _fell_in_score(change: ComboChange, allowed: Fraction) -> str:
    drop = points_text(Fraction(change.score_drop or 0.0), allowed)
    return f"{label(change)}: the mean score fell by {drop} points; {_most(allowed)}"


def _most(allowed: Fraction) -> str:
    return f"at most {float(allowed):g} are allowed" if allowed else "no drop is allowed"


def _lost(change: ComboChange) -> str:
    lost = change.lost
    return f"{label(change)}: {len(lost)} case(s) do not pass any more: {_listed(lost[:_SHOWN_IDS], len(lost))}"
