"""Means over labels of precision, recall and F1, with their errors.

Source: Takahashi, Yamamoto, Kuchiba & Koyama, Applied Intelligence 52 (2022) 4961-4972: answers fall into the cells of
the confusion table by chance, and what one more answer in a cell would move a mean by says how far that chance moves it
(the delta method). Precision, recall and F1 are those of van Rijsbergen, Information Retrieval (1979), chapter 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..statistics import score_interval
from .clusters import normal_quantile
from .figure import Figure
from .students_t import t_quantile

_NO_SCATTER = 1e-12

_Pull = Callable[[int, int | None], float]
"""What an answer moves a figure by, from what was expected and what was given (``None`` for none of the labels)."""


@dataclass(frozen=True)
class LabelMeans:
    """The means of one confusion table."""

    confusion: Sequence[Sequence[int]]
    """For each expected label how often each was given."""
    other: Sequence[int]
    """For each expected label the answers that were none of them."""
    size: float | None
    """How many independent answers tell as much; ``None`` when there is nothing to tell from."""
    units: int | None = None
    """The number of clusters; ``None`` when every answer stands for itself."""

    @property
    def macro_precision(self) -> Figure:
        """Of all labels alike; a label that was never given counts as 0."""
        return self._macro(self._precision, self._pull_of_precision)

    @property
    def macro_recall(self) -> Figure:
        """Of all labels alike."""
        return self._macro(self._recall, self._pull_of_recall)

    @property
    def macro_f1(self) -> Figure:
        """Of all labels alike."""
        return self._macro(self._f1, self._pull_of_f1)

    @property
    def weighted_precision(self) -> Figure:
        """By how often each label was expected."""
        return self._weighted(self._precision, self._pull_of_precision)

    @property
    def weighted_recall(self) -> Figure:
        """By how often each label was expected: the share of right answers."""
        return self._weighted(self._recall, self._pull_of_recall)

    @property
    def weighted_f1(self) -> Figure:
        """By how often each label was expected."""
        return self._weighted(self._f1, self._pull_of_f1)

    @cached_property
    def _count(self) -> int:
        return sum(map(sum, self.confusion)) + sum(self.other)

    @cached_property
    def _expected(self) -> list[float]:
        """The share of answers that should have been each label."""
        return [(sum(row) + none) / self._count for row, none in zip(self.confusion, self.other, strict=True)]

    @cached_property
    def _given(self) -> list[float]:
        return [sum(column) / self._count for column in zip(*self.confusion, strict=True)]

    @cached_property
    def _right(self) -> list[float]:
        return [row[label] / self._count for label, row in enumerate(self.confusion)]

    @cached_property
    def _precision(self) -> list[float]:
        return [right / given if given else 0.0 for right, given in zip(self._right, self._given, strict=True)]

    @cached_property
    def _recall(self) -> list[float]:
        return [right / expected for right, expected in zip(self._right, self._expected, strict=True)]

    @cached_property
    def _f1(self) -> list[float]:
        sums = zip(self._right, self._expected, self._given, strict=True)
        return [2 * right / (expected + given) for right, expected, given in sums]

    def _pull_of_precision(self, label: int) -> _Pull:
        given, value = self._given[label], self._precision[label]
        return lambda wanted, said: ((wanted == label) - value) / given if said == label else 0.0

    def _pull_of_recall(self, label: int) -> _Pull:
        expected, value = self._expected[label], self._recall[label]
        return lambda wanted, said: ((said == label) - value) / expected if wanted == label else 0.0

    def _pull_of_f1(self, label: int) -> _Pull:
        both, value = self._expected[label] + self._given[label], self._f1[label]
        return lambda wanted, said: (
            (2 * (wanted == said == label) - value * ((wanted == label) + (said == label))) / both
        )

    def _macro(self, values: Sequence[float], pull: Callable[[int], _Pull]) -> Figure:
        labels = len(values)
        pulls = [pull(label) for label in range(labels)]
        return self._figure(math.fsum(values) / labels, lambda wanted, said: _both(pulls, wanted, said) / labels)

    def _weighted(self, values: Sequence[float], pull: Callable[[int], _Pull]) -> Figure:
        mean = math.fsum(share * value for share, value in zip(self._expected, values, strict=True))
        pulls = [_times(share, pull(label)) for label, share in enumerate(self._expected)]
        # The weights are counts of answers too.
        return self._figure(mean, lambda wanted, said: _both(pulls, wanted, said) + values[wanted] - mean)

    def _figure(self, value: float, pull: _Pull) -> Figure:
        if self.size is None:
            return Figure(value)
        scatter = math.fsum(count * pull(wanted, said) ** 2 for wanted, said, count in self._cells()) / self._count
        quantile = normal_quantile(0.95) if self.units is None else t_quantile(0.95, self.units - 1)
        half = quantile * math.sqrt(scatter / self.size)
        if scatter < _NO_SCATTER:
            # All right leaves no scatter to measure: what share of answers may go wrong unseen is what can be said.
            half = score_interval(0.0, self.size, quantile)[1]
        return Figure(value, max(0.0, value - half), min(1.0, value + half))

    def _cells(self) -> Iterator[tuple[int, int | None, int]]:
        for wanted, (row, none) in enumerate(zip(self.confusion, self.other, strict=True)):
            yield wanted, None, none
            # A label that was never given moves nothing.
            yield from ((wanted, said, count) for said, count in enumerate(row) if count)


def _both(pulls: Sequence[_Pull], wanted: int, said: int | None) -> float:
    """Add up what an answer moves: the label that was expected and the one that was given, if that is another."""
    moved = pulls[wanted](wanted, said)
    return moved if said is None or said == wanted else moved + pulls[said](wanted, said)


def _times(share: float, pull: _Pull) -> _Pull:
    return lambda wanted, said: share * pull(wanted, said)
