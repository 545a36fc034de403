"""What the answers of a combo come to beyond their score: labels told apart, repeats, judges that agree or do not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelResult:
    """How well one label was told apart from the others; shares from 0 to 1, with their 95 % intervals.

    Where cases are repeated or belong together, the intervals go by cases and clusters; of one alone there is none.
    """

    label: str
    """In the form in which the scorer compares it."""
    expected: int
    """Answers that should have been this label."""
    predicted: int
    """Answers that were."""
    correct: int
    """Answers that should have been and were."""
    precision: float | None
    """Of the answers that were this label, the share that should have been; ``None`` when none was."""
    precision_low: float | None
    precision_high: float | None
    recall: float
    """Of the answers that should have been this label, the share that was."""
    recall_low: float | None
    recall_high: float | None
    f1: float
    """The harmonic mean of precision and recall."""
    f1_low: float | None = None
    f1_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsResult:
    """How well labels were told apart under one combo, counted over scored answers."""

    answers: int
    correct: int
    labels: tuple[LabelResult, ...]
    """Those that were expected, by name."""
    confusion: tuple[tuple[int, ...], ...]
    """For each expected label how often each label was given, both in the order of ``labels``."""
    other: tuple[int, ...]
    """For each expected label the answers that were none of them."""
    macro_precision: float
    """The mean over labels, each counting the same; a label that was never given counts as 0."""
    macro_recall: float
    macro_f1: float
    weighted_precision: float
    """The mean over labels by how often each was expected."""
    weighted_recall: float
    weighted_f1: float
    macro_precision_low: float | None = None
    """The bounds of the 95 % intervals of the means; ``None`` when there is nothing to tell them from."""
    macro_precision_high: float | None = None
    macro_recall_low: float | None = None
    macro_recall_high: float | None = None
    macro_f1_low: float | None = None
    macro_f1_high: float | None = None
    weighted_precision_low: float | None = None
    weighted_precision_high: float | None = None
    weighted_recall_low: float | None = None
    weighted_recall_high: float | None = None
    weighted_f1_low: float | None = None
    weighted_f1_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAtResult:
    """How likely some or all of k runs of a case pass, on average over cases; shares from 0 to 1.

    Intervals are of 95 %, over cases or clusters; ``None`` with one of them alone.
    """

    k: int
    cases: int
    """Cases of which at least k runs were scored: those that the figures are of."""
    some: float
    """At least one of k runs passes (pass@k)."""
    some_low: float | None
    some_high: float | None
    every: float
    """All of k runs pass (pass^k)."""
    every_low: float | None
    every_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeResult:
    """What one judge of a panel did under one combo."""

    model: str
    scored: int
    """Answers that it judged."""
    passed: int
    mean_score: float
    """On its own scale."""
    cost_usd: float | None
    """``None`` when a part is unknown."""
    passed_low: float | None = None
    """The lower bound of the 95 % interval of the share that passed, from 0 to 1; ``None`` with one case or cluster."""
    passed_high: float | None = None
    mean_score_low: float | None = None
    """The lower bound of the 95 % interval of the mean score; ``None`` with one case or cluster."""
    mean_score_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelResult:
    """How far several judges of the same answers agree."""

    judges: tuple[JudgeResult, ...]
    outputs: int
    """Answers that several judges scored."""
    alpha: float | None
    """Krippendorff's alpha by differences of scores: 1 for full agreement, 0 for chance, from 0.8 on reliable. ``None``
    when all scores are the same."""
    alpha_low: float | None = None
    """The lower bound of its 95 % interval, from resampled answers."""
    alpha_high: float | None = None
