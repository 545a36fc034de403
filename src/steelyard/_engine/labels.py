"""How well labels were told apart: which was taken for which, and for each label precision, recall and F1.

A scorer that compares labels says so in its details: ``label``, an object with ``expected`` and ``output``, both in the
form in which it compares them. Source: van Rijsbergen, Information Retrieval (1979), chapter 7, for precision, recall
and their harmonic mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..api import CaseRun, LabelResult, LabelsResult, Status
from .statistics import wilson

MOST_LABELS = 50
"""What expects more different outputs than these is no choice among labels."""

_MOST_OUTPUTS = 1000


class LabelTally:
    """Counts which label was given where which one was wanted."""

    __slots__ = ("_counts", "_expected", "_outputs")

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._expected: Counter[str] = Counter()
        self._outputs: set[str] = set()

    def add(self, run: CaseRun) -> None:
        """Count the answer of a run, if a scorer took it for a label."""
        if run.status is not Status.SCORED or len(self._expected) > MOST_LABELS:
            return
        for score in run.scores:
            found = score.details.get("label")
            if isinstance(found, Mapping):
                expected, output = found.get("expected"), found.get("output")
                if isinstance(expected, str) and isinstance(output, str):
                    self._add(expected, output)
                    return

    def _add(self, expected: str, output: str) -> None:
        self._expected[expected] += 1
        if output != expected and output not in self._outputs:
            if len(self._outputs) >= _MOST_OUTPUTS:
                output = ""
            else:
                self._outputs.add(output)
        self._counts[expected, output] += 1

    def result(self) -> LabelsResult | None:
        """Return how well the labels were told apart; ``None`` when the outputs are no choice among labels."""
        answers = self._expected.total()
        # Outputs that are all different are no labels either.
        if not 1 < len(self._expected) <= MOST_LABELS or answers == len(self._expected):
            return None
        names = sorted(self._expected)
        confusion = tuple(tuple(self._counts[wanted, given] for given in names) for wanted in names)
        labels = tuple(_label(name, names, confusion, self._expected[name]) for name in names)
        return LabelsResult(
            answers=answers,
            correct=sum(label.correct for label in labels),
            labels=labels,
            confusion=confusion,
            other=tuple(self._expected[name] - sum(row) for name, row in zip(names, confusion, strict=True)),
            macro_precision=_mean([(label.precision or 0.0, 1) for label in labels]),
            macro_recall=_mean([(label.recall, 1) for label in labels]),
            macro_f1=_mean([(label.f1, 1) for label in labels]),
            weighted_precision=_mean([(label.precision or 0.0, label.expected) for label in labels]),
            weighted_recall=_mean([(label.recall, label.expected) for label in labels]),
            weighted_f1=_mean([(label.f1, label.expected) for label in labels]),
        )


def _label(name: str, names: Sequence[str], confusion: Sequence[Sequence[int]], expected: int) -> LabelResult:
    position = names.index(name)
    correct = confusion[position][position]
    predicted = sum(row[position] for row in confusion)
    recall = wilson(correct, expected)
    precision = wilson(correct, predicted) if predicted else (None, None)
    return LabelResult(
        label=name,
        expected=expected,
        predicted=predicted,
        correct=correct,
        precision=correct / predicted if predicted else None,
        precision_low=precision[0],
        precision_high=precision[1],
        recall=correct / expected,
        recall_low=recall[0],
        recall_high=recall[1],
        f1=2 * correct / (expected + predicted),
    )


def _mean(values: Sequence[tuple[float, int]]) -> float:
    """Return the mean of values by their weights."""
    return sum(value * weight for value, weight in values) / sum(weight for _, weight in values)
