"""Comparing two runs: per combo the difference of quality and cost, whether it is real, and which cases changed.

Scores are per cent of those scored, as in a record. The regression rule is the gate's: a case that could not be scored
counts as not passed, and rates are compared exactly. Whether a difference is real is asked of the cases that both runs
could score; where several combos are compared, the answers hold for all of them together (Holm).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction

from ..api import ComboResult, RunRecord
from .difference_words import Verdict, in_words, now_breaking, unscored, verdict_of
from .evidence import Evidence
from .formulas.many_tests import holm
from .pairing import Pairs, pair
from .shared_cases import apart, figures_of_shared

STABLE_POINTS = Fraction(5, 100)
"""A difference of rates up to this is called stable: it is what rounding to one decimal may hide."""


_SUMS = 1e-9
"""What sums of scores may be off by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComboChange:
    """One combo that both runs have."""

    model: str
    prompt_id: str
    pairs: Pairs
    score_before: float | None
    """Per cent passed of those scored."""
    score_after: float | None
    cost_before: float | None
    cost_after: float | None
    errors_before: int
    errors_after: int
    evidence: Evidence
    """Of the cases that both could score."""
    drop_evidence: Evidence
    """Of all cases that both have, those that could not be scored counted as not passed."""
    score_evidence: Evidence | None = None
    """Of the scores of the cases that both could score; ``None`` where scores say no more than pass and fail."""
    p_adjusted: float | None = None
    """The p value corrected for the number of combos that are compared."""
    drop_p_adjusted: float | None = None
    score_p_adjusted: float | None = None
    compared: int = 1
    """How many combos are compared at once: what ``p_adjusted`` is corrected for."""
    scores_compared: int = 1
    """The same of scores."""
    shared: bool = False
    """Whether the cases that both runs have are compared although one has others besides."""
    gone: tuple[str, ...] = ()
    """Where only the shared cases are compared: the first ids that only the earlier run has."""
    new: tuple[str, ...] = ()
    """And those that only the later one has."""
    called_before: str = ""
    """``model / prompt`` of the earlier run where the combo had another name there."""

    @property
    def comparable(self) -> bool:
        """Whether the rates of both runs can be held against each other."""
        return self.pairs.same_cases or (self.shared and self.pairs.total > 0)

    @property
    def effect(self) -> float | None:
        """What the cases that both could score gained on average, in points; with repeats of the share of passed runs.

        It differs from ``delta`` where the runs scored different cases, or where the share of passed runs is another
        measure than whether a case passed.
        """
        return 100 * self.evidence.effect if self.evidence.cases else None

    @property
    def repeated(self) -> bool:
        """Whether cases were run several times, so that ``effect`` is of the share of passed runs."""
        return self.pairs.scored_differences.repeated

    @property
    def delta_low(self) -> float | None:
        """The lower bound of the 95 % interval of ``effect``, in points."""
        return None if self.evidence.low is None else 100 * self.evidence.low

    @property
    def delta_high(self) -> float | None:
        """The upper bound of it."""
        return None if self.evidence.high is None else 100 * self.evidence.high

    @property
    def p_value(self) -> float | None:
        """The p value of this combo by itself."""
        return self.evidence.p_value

    @property
    def method(self) -> str:
        """How it was tested."""
        return self.evidence.method

    @property
    def verdict(self) -> Verdict:
        """Whether the second run is better or worse, or these cases cannot show it."""
        return verdict_of(self.evidence, self.p_adjusted)

    @property
    def message(self) -> str:
        """The same as a sentence: in words first, then in figures, and what passed before and breaks now."""
        pairs = self.pairs
        if not self.evidence.cases:
            said = unscored(pairs.total, pairs.errors_before, pairs.errors_after)
        else:
            everywhere = not pairs.new_errors and not pairs.recovered
            said = in_words(
                self.evidence, pairs.scored_differences, self.p_adjusted, self.compared, everywhere=everywhere
            )
        return f"{said}{now_breaking(len(pairs.lost_to_errors))}"

    @property
    def score_verdict(self) -> Verdict | None:
        """The same of the scores; ``None`` where they say no more than pass and fail."""
        return None if self.score_evidence is None else verdict_of(self.score_evidence, self.score_p_adjusted)

    @property
    def score_message(self) -> str:
        """The same as a sentence; empty where scores say no more than pass and fail."""
        if self.score_evidence is None:
            return ""
        return in_words(self.score_evidence, self.pairs.score_differences, self.score_p_adjusted, self.scores_compared)

    def fell_for_sure(self, confidence: float) -> bool:
        """Whether the pass rate fell, and not by chance, unscored cases counted as failures."""
        if self.drop_evidence.effect >= 0 or not self.comparable:
            return False
        # Again at this confidence: the bootstrap that checks a t test of few cases goes by it too.
        return self.pairs.all_differences.evidence(confidence).shows(self.drop_p_adjusted, confidence)

    @property
    def delta(self) -> float | None:
        """Score after minus score before, in points; ``None`` when a run scored nothing."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_after - self.score_before

    @property
    def cost_delta(self) -> float | None:
        """Cost after minus cost before, in USD; ``None`` when one is unknown."""
        if self.cost_before is None or self.cost_after is None:
            return None
        return self.cost_after - self.cost_before

    @property
    def same_scored_cases(self) -> bool:
        """Whether both scores are of the same cases: otherwise the difference compares different sets."""
        return self.comparable and not self.pairs.new_errors and not self.pairs.recovered

    @property
    def drop(self) -> Fraction | None:
        """How far the pass rate fell, in points, unscored cases counted as failures; ``None`` for other cases."""
        if not self.comparable:
            return None
        return Fraction(100 * (self.pairs.passed_before - self.pairs.passed_after), self.pairs.total)

    @property
    def score_drop(self) -> float | None:
        """How far the mean score fell, in points, unscored cases counted as 0; ``None`` for other cases."""
        if not self.comparable:
            return None
        return 100 * (self.pairs.score_before - self.pairs.score_after) / self.pairs.total

    @property
    def improved(self) -> bool:
        """Whether the score rose beyond rounding, on the same cases."""
        return self.same_scored_cases and self.delta is not None and Fraction(self.delta) > STABLE_POINTS

    @property
    def lost(self) -> tuple[str, ...]:
        """The cases that passed before and do not now, whether they fail or could not be scored."""
        return (*self.pairs.regressed, *self.pairs.lost_to_errors)

    @property
    def changed(self) -> bool:
        """Whether quality, cost or errors differ beyond rounding."""
        moved = self.delta is None or abs(Fraction(self.delta)) > STABLE_POINTS
        return moved or self.errors_before != self.errors_after or bool(self.cost_delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs side by side."""

    before: RunRecord
    after: RunRecord
    combos: tuple[ComboChange, ...]
    """Those that both runs have; changed ones first, each part in the order of the second run."""
    only_before: tuple[tuple[str, str], ...] = ()
    only_after: tuple[tuple[str, str], ...] = ()

    @property
    def comparable(self) -> bool:
        """Whether any combo ran the same cases in both runs, the slice of the benchmark included."""
        return any(combo.comparable for combo in self.combos)

    @property
    def left_out(self) -> tuple[ComboChange, ...]:
        """The combos that count neither as improved nor as not: their scores are of different cases."""
        return tuple(combo for combo in self.combos if not combo.same_scored_cases)

    def only(self, models: Collection[str] = (), prompts: Collection[str] = ()) -> Comparison:
        """Return the part with these models and prompts; without any names, with all of them."""

        def wanted(model: str, prompt_id: str) -> bool:
            return (not models or model in models) and (not prompts or prompt_id in prompts)

        return replace(
            self,
            combos=tuple(adjusted([combo for combo in self.combos if wanted(combo.model, combo.prompt_id)])),
            only_before=tuple(key for key in self.only_before if wanted(*key)),
            only_after=tuple(key for key in self.only_after if wanted(*key)),
        )

    def regressions(self, points: Fraction, confidence: float | None = None) -> tuple[ComboChange, ...]:
        """Return the combos whose pass rate fell by more than so many points; 0 means beyond rounding.

        With a ``confidence`` (0.95) only those of them whose fall is not chance at that level.
        """
        allowed = max(points, STABLE_POINTS)
        fallen = (combo for combo in self.combos if combo.drop is not None and combo.drop > allowed)
        return tuple(combo for combo in fallen if confidence is None or combo.fell_for_sure(confidence))

    def score_regressions(self, points: Fraction, confidence: float | None = None) -> tuple[ComboChange, ...]:
        """Return the combos whose mean score fell by more than so many points; 0 means beyond rounding.

        With a ``confidence`` only those whose scores are shown to be worse.
        """
        allowed = float(max(points, STABLE_POINTS)) + _SUMS
        fallen = (combo for combo in self.combos if combo.score_drop is not None and combo.score_drop > allowed)
        return tuple(combo for combo in fallen if confidence is None or combo.score_verdict == "worse")


def compare(before: RunRecord, after: RunRecord) -> Comparison:
    """Compare two runs, combo by combo."""
    earlier = {(combo.model, combo.prompt_id): combo for combo in before.results}
    later = {(combo.model, combo.prompt_id): combo for combo in after.results}
    changes = adjusted([change_of(earlier[key], combo) for key, combo in later.items() if key in earlier])
    return Comparison(
        before=before,
        after=after,
        combos=tuple(sorted(changes, key=lambda change: not change.changed)),
        only_before=tuple(key for key in earlier if key not in later),
        only_after=tuple(key for key in later if key not in earlier),
    )


def compare_targets(before: RunRecord, after: RunRecord) -> Comparison:
    """Compare the one combo of each run, whatever it is called, on the cases that both have."""
    (old,), (new,) = before.results, after.results
    change = change_of(old, new)
    if not change.pairs.same_cases:
        gone, added = apart(old, new)
        change = replace(change, shared=True, gone=gone, new=added, **figures_of_shared(change.pairs))
    if (old.model, old.prompt_id) != (new.model, new.prompt_id):
        change = replace(change, called_before=f"{old.model} / {old.prompt_id}")
    return Comparison(before=before, after=after, combos=tuple(adjusted([change])))


def change_of(before: ComboResult, after: ComboResult) -> ComboChange:
    """Compare two combos, as if they were the only ones."""
    pairs = pair(before, after)
    return ComboChange(
        model=after.model,
        prompt_id=after.prompt_id,
        pairs=pairs,
        score_before=before.score,
        score_after=after.score,
        cost_before=before.cost_usd,
        cost_after=after.cost_usd,
        errors_before=before.errors,
        errors_after=after.errors,
        evidence=pairs.scored_differences.evidence(),
        drop_evidence=pairs.all_differences.evidence(),
        score_evidence=pairs.score_differences.evidence() if pairs.graded else None,
    )


def adjusted(changes: list[ComboChange]) -> list[ComboChange]:
    """Correct the p values of combos for each other."""
    single = _holm([change.evidence.p_value for change in changes])
    of_drops = _holm([change.drop_evidence.p_value for change in changes])
    of_scores = _holm([change.score_evidence.p_value if change.score_evidence else None for change in changes])
    compared, scores_compared = (sum(p_value is not None for p_value in some) for some in (single, of_scores))
    return [
        replace(
            change,
            p_adjusted=p_value,
            drop_p_adjusted=p_drop,
            score_p_adjusted=p_score,
            compared=compared,
            scores_compared=scores_compared,
        )
        for change, p_value, p_drop, p_score in zip(changes, single, of_drops, of_scores, strict=True)
    ]


def _holm(p_values: list[float | None]) -> list[float | None]:
    known = iter(holm([p_value for p_value in p_values if p_value is not None]))
    return [None if p_value is None else next(known) for p_value in p_values]
