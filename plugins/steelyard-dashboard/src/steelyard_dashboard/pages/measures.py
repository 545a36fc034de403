"""What a combo comes to beyond its score: labels told apart, judges that agree or do not, repeats and clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.api import ComboResult, LabelResult, LabelsResult, PanelResult, RunRecord

from ..figures import share_of

MOST_ACROSS = 12
"""Labels that a confusion matrix has room for; of more, the most frequent confusions are listed."""
MOST_LABELS = 100
_MOST_CONFUSIONS = 20
_MIDDLE = 50.0
_RELIABLE, _TENTATIVE = 0.8, 0.667
NEITHER = "none of them"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """How often one label was given where another, or the same, was expected."""

    count: int
    right: bool
    share: float | None
    """Per cent of the answers that should have been the expected label; ``None`` where there were none."""

    @property
    def warmth(self) -> float | None:
        """Where it stands on the scale of scores: above the middle for right answers, below it for wrong ones."""
        if self.share is None:
            return None
        return _MIDDLE + self.share / 2 if self.right else _MIDDLE - self.share / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Answers that were another label than they should have been."""

    expected: str
    given: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComboMeasures:
    """The measures of one combo; at least one is there."""

    position: int
    combo: ComboResult
    labels: tuple[LabelResult, ...] = ()
    more_labels: int = 0
    matrix: tuple[tuple[str, tuple[ConfusionCell, ...]], ...] = ()
    """Rows by expected label; the last cell of each is :data:`NEITHER`. Empty where there is no room for it."""
    confusions: tuple[Confusion, ...] = ()
    """The most frequent ones, where there is no matrix."""
    agreement: str = ""
    """How far the judges of a panel agree, in words."""


def measures_of(record: RunRecord) -> list[ComboMeasures]:
    """Return the measures of every combo that has some."""
    return [
        _measures(position, combo)
        for position, combo in enumerate(record.results)
        if combo.labels or combo.panel or combo.run_score is not None or combo.clusters is not None
    ]


def _measures(position: int, combo: ComboResult) -> ComboMeasures:
    found = combo.labels
    labels = found.labels if found else ()
    few = len(labels) <= MOST_ACROSS
    return ComboMeasures(
        position=position,
        combo=combo,
        labels=labels[:MOST_LABELS],
        more_labels=max(len(labels) - MOST_LABELS, 0),
        matrix=tuple(_matrix(found)) if found and few else (),
        confusions=tuple(_confusions(found)) if found and not few else (),
        agreement=_agreement(combo.panel) if combo.panel else "",
    )


def _matrix(found: LabelsResult) -> Iterable[tuple[str, tuple[ConfusionCell, ...]]]:
    for row, (label, counts, other) in enumerate(zip(found.labels, found.confusion, found.other, strict=True)):
        expected = sum(counts) + other
        yield (
            label.label,
            tuple(
                ConfusionCell(count=count, right=column == row, share=share_of(count, expected))
                for column, count in enumerate((*counts, other))
            ),
        )


def _confusions(found: LabelsResult) -> Sequence[Confusion]:
    names = [label.label for label in found.labels]
    wrong = [
        Confusion(expected=expected, given=given, count=count)
        for row, (expected, counts, other) in enumerate(zip(names, found.confusion, found.other, strict=True))
        for column, (given, count) in enumerate(zip((*names, NEITHER), (*counts, other), strict=True))
        if count and row != column
    ]
    return sorted(wrong, key=lambda one: (-one.count, one.expected, one.given))[:_MOST_CONFUSIONS]


def _agreement(found: PanelResult) -> str:
    answers = "1 answer" if found.outputs == 1 else f"{found.outputs} answers"
    if found.alpha is None:
        return f"The scores never differ over {answers}, so nothing can be said of agreement."
    bounds = (
        ""
        if found.alpha_low is None or found.alpha_high is None
        else f" (95 % interval {found.alpha_low:.2f} to {found.alpha_high:.2f})"
    )
    word = "reliable" if found.alpha >= _RELIABLE else "tentative" if found.alpha >= _TENTATIVE else "unreliable"
    return f"Agreement over {answers} that several judges scored: Krippendorff’s α {found.alpha:.2f}{bounds}, {word}."
