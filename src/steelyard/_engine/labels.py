"""How well labels were told apart: which was taken for which, and for each label precision, recall and F1.

A scorer that compares labels says so in its details: ``label``, an object with ``expected`` and ``output``, both in the
form in which it compares them. Sources: van Rijsbergen, Information Retrieval (1979), chapter 7, for precision, recall
and their harmonic mean F1; Hand, Christen & Kirielle, Machine Learning 110 (2021) 451-456, for F1 as a function of a
share, which gives it an interval: of the answers that should have been or were a label, those that should have and
were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..api import CaseRun, LabelResult, LabelsResult, Status
from .formulas.figure import Figure
from .formulas.label_means import LabelMeans
from .rates import Rate, RateTally

MOST_LABELS = 50
"""What expects more different outputs than these is no choice among labels."""

_MOST_OUTPUTS = 1000
_PRECISION, _RECALL, _F1 = "precision", "recall", "f1"
_MEANS = ("macro_precision", "macro_recall", "macro_f1", "weighted_precision", "weighted_recall", "weighted_f1")


class LabelTally:
    """Counts which label was given where which one was wanted."""

    __slots__ = ("_all", "_counts", "_expected", "_outputs", "_shares")

    def __init__(self) -> None:
        self._all = RateTally()
        self._shares: dict[tuple[str, str], RateTally] = {}
        """For each figure and label: which of the answers that it is of were right, by cases and clusters."""
        self._counts: Counter[tuple[str, str]] = Counter()
        self._expected: Counter[str] = Counter()
        self._outputs: set[str] = set()

    def add(self, runs: Sequence[CaseRun], cluster: str | None = None) -> None:
        """Count the answers of a case, those of its runs that a scorer took for labels.

        Args:
            runs: The runs of the case.
            cluster: What the case shares with others; ``None`` when it stands for itself.
        """
        answers = [answer for run in runs if (answer := label_of(run)) is not None]
        if not answers or len(self._expected) > MOST_LABELS:
            return
        self._all.add(sum(expected == output for expected, output in answers), len(answers), cluster)
        of_case: dict[tuple[str, str], list[bool]] = {}
        for expected, answered in answers:
            output, right = self._count(expected, answered), expected == answered
            of_case.setdefault((_RECALL, expected), []).append(right)
            of_case.setdefault((_PRECISION, output), []).append(right)
            for label in {expected, output}:
                of_case.setdefault((_F1, label), []).append(right)
        for key, verdicts in of_case.items():
            self._shares.setdefault(key, RateTally()).add(sum(verdicts), len(verdicts), cluster)

    def _count(self, expected: str, output: str) -> str:
        """Count an answer, and return what it is counted as."""
        self._expected[expected] += 1
        if output != expected and output not in self._outputs:
            if len(self._outputs) >= _MOST_OUTPUTS:
                output = ""
            else:
                self._outputs.add(output)
        self._counts[expected, output] += 1
        return output

    def result(self) -> LabelsResult | None:
        """Return how well the labels were told apart; ``None`` when the outputs are no choice among labels."""
        answers = self._expected.total()
        # Outputs that are all different are no labels either.
        if not 1 < len(self._expected) <= MOST_LABELS or answers == len(self._expected):
            return None
        names = sorted(self._expected)
        confusion = tuple(tuple(self._counts[wanted, given] for given in names) for wanted in names)
        labels = tuple(self._label(name, names, confusion) for name in names)
        other = tuple(self._expected[name] - sum(row) for name, row in zip(names, confusion, strict=True))
        means = self._means(confusion, other)
        return LabelsResult(
            answers=answers,
            correct=sum(label.correct for label in labels),
            labels=labels,
            confusion=confusion,
            other=other,
            **means,
        )

    def _means(self, confusion: Sequence[Sequence[int]], other: Sequence[int]) -> dict[str, Any]:
        right = self._all.rate()
        together = self._all.clustered
        means = LabelMeans(
            confusion,
            other,
            size=None if right is None else right.size,
            units=right.units if together and right is not None else None,
        )
        fields: dict[str, Any] = {}
        for name in _MEANS:
            found: Figure = getattr(means, name)
            fields |= {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
        return fields

    def _label(self, name: str, names: Sequence[str], confusion: Sequence[Sequence[int]]) -> LabelResult:
        position = names.index(name)
        correct, expected = confusion[position][position], self._expected[name]
        predicted = sum(row[position] for row in confusion)
        recall, precision = self._share(_RECALL, name), self._share(_PRECISION, name)
        found = self._share(_F1, name)
        return LabelResult(
            label=name,
            expected=expected,
            predicted=predicted,
            correct=correct,
            precision=correct / predicted if predicted else None,
            precision_low=None if precision is None else precision.low,
            precision_high=None if precision is None else precision.high,
            recall=correct / expected,
            recall_low=None if recall is None else recall.low,
            recall_high=None if recall is None else recall.high,
            f1=2 * correct / (expected + predicted),
            f1_low=None if found is None else _f1_of(found.low),
            f1_high=None if found is None else _f1_of(found.high),
        )

    def _share(self, figure: str, label: str) -> Rate | None:
        found = self._shares.get((figure, label))
        return None if found is None else found.rate()


def label_of(run: CaseRun) -> tuple[str, str] | None:
    """Return what a run should have answered and what it did; ``None`` where no scorer took it for a label."""
    if run.status is not Status.SCORED:
        return None
    for score in run.scores:
        found = score.details.get("label")
        if isinstance(found, Mapping):
            expected, output = found.get("expected"), found.get("output")
            if isinstance(expected, str) and isinstance(output, str):
                return expected, output
    return None


def _f1_of(share: float | None) -> float | None:
    """Return the F1 for a share, of the answers that should have been or were a label, that should have and were."""
    return None if share is None else 2 * share / (1 + share)
