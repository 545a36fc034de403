"""Several judges of the same outputs: what each gives and costs, and how far they agree.

A scorer that asks several judges says so in its details: ``judges``, a list of objects with ``model``, ``score`` and
``cost``. Agreement is Krippendorff's alpha by differences, whose sums run along, so that no verdict has to be kept.
What does not stand for itself is counted and drawn by its unit: the runs of a case by the case, the cases of a cluster
by the cluster.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from ..api import CaseRun, JsonValue, JudgeResult, PanelResult, ScoreResult, is_sequence
from .formulas.bootstrap import percentile_interval
from .formulas.clusters import Group, mean_estimate
from .rates import RateTally
from .sums import Sum

_SEED = 20240102
_MOST_UNITS = 500
_RESAMPLES = 1000
_FEWEST = 2

_Sums = tuple[float, float, float, float]
"""Of one output: values, their sum, the sum of their squares, and what pairs of them are apart, squared."""


class _Opinion(NamedTuple):
    judge: str
    score: float
    passed: bool
    cost: float | None


@dataclass(slots=True)
class _Judge:
    """What a judge said so far."""

    passed: RateTally = field(default_factory=RateTally)
    alone: list[Group] = field(default_factory=list)
    """Its scores, by case."""
    clusters: dict[str, Group] = field(default_factory=dict)
    cost_usd: Sum = field(default_factory=Sum)

    def add(self, opinions: Sequence[_Opinion], cluster: str | None) -> None:
        """Take in what it said of the runs of a case."""
        group = Group() if cluster is None else self.clusters.setdefault(cluster, Group())
        for opinion in opinions:
            group.add(opinion.score)
            self.cost_usd.add(opinion.cost)
        if cluster is None:
            self.alone.append(group)
        self.passed.add(sum(opinion.passed for opinion in opinions), len(opinions), cluster)


class PanelTally:
    """Counts what panels of judges say."""

    __slots__ = ("_clusters", "_judges", "_outputs", "_units")

    def __init__(self) -> None:
        self._judges: dict[str, _Judge] = {}
        self._outputs = 0
        self._units = array("d")
        self._clusters: dict[str, _Sums] = {}

    def add(self, runs: Sequence[CaseRun], cluster: str | None = None) -> None:
        """Count the panels of a case.

        Args:
            runs: The runs of the case.
            cluster: What the case shares with others; ``None`` when it stands for itself.
        """
        panels = [found for run in runs for score in run.scores if (found := _opinions(score))]
        said: dict[str, list[_Opinion]] = {}
        for opinion in chain.from_iterable(panels):
            said.setdefault(opinion.judge, []).append(opinion)
        for judge, opinions in said.items():
            self._judges.setdefault(judge, _Judge()).add(opinions, cluster)
        outputs = [_sums([opinion.score for opinion in panel]) for panel in panels if len(panel) >= _FEWEST]
        if not outputs:
            return
        self._outputs += len(outputs)
        if cluster is None:
            self._units.extend(_sum(outputs))
        else:
            self._clusters[cluster] = _sum(
                [*outputs, *([self._clusters[cluster]] if cluster in self._clusters else [])]
            )

    def result(self) -> PanelResult | None:
        """Return what the judges came to; ``None`` when no output had several."""
        units = [_unit(self._units, start) for start in range(0, len(self._units), 4)] + [*self._clusters.values()]
        if not units:
            return None
        low_high: tuple[float | None, float | None] = (None, None)
        found = _alpha(units)
        if found is not None and len(units) > _FEWEST:
            low_high = _interval(units)
        return PanelResult(
            judges=tuple(_judge_result(model, judge) for model, judge in self._judges.items()),
            outputs=self._outputs,
            alpha=found,
            alpha_low=low_high[0],
            alpha_high=low_high[1],
        )


def _opinions(score: ScoreResult) -> list[_Opinion]:
    """Return what the judges of a panel said, as far as it can be read; empty for other scorers."""
    opinions = score.details.get("judges")
    found = []
    for opinion in opinions if is_sequence(opinions) else ():
        if isinstance(opinion, Mapping):
            model, value = opinion.get("model"), _number(opinion.get("score"))
            if isinstance(model, str) and value is not None:
                found.append(_Opinion(model, value, opinion.get("passed") is True, _number(opinion.get("cost"))))
    return found


def _sums(values: Sequence[float]) -> _Sums:
    """Return the sums of an output that several judges scored."""
    total, squares = sum(values), sum(value * value for value in values)
    return len(values), total, squares, 2 * (len(values) * squares - total * total) / (len(values) - 1)


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _unit(units: Sequence[float], start: int) -> _Sums:
    return units[start], units[start + 1], units[start + 2], units[start + 3]


def _alpha(units: Sequence[_Sums]) -> float | None:
    """Return alpha from the sums: 1 - D_observed / D_expected, both over the same number of values."""
    values, total, squares, apart = (sum(column) for column in zip(*units, strict=True))
    expected = 2 * (values * squares - total * total) / (values - 1)
    # What floating point leaves of equal values is no disagreement to expect.
    return 1 - apart / expected if expected > 1e-9 * max(1.0, squares) else None


def _interval(units: Sequence[_Sums]) -> tuple[float, float]:
    """Return the interval by resampling outputs; many of them in batches, which takes no longer than a few hundred."""
    size = -(-len(units) // _MOST_UNITS)
    batches = [_sum(units[start : start + size]) for start in range(0, len(units), size)]
    return percentile_interval(
        batches, lambda drawn: 1.0 if (found := _alpha(drawn)) is None else found, seed=_SEED, resamples=_RESAMPLES
    )


def _sum(units: Sequence[_Sums]) -> _Sums:
    values, total, squares, apart = (sum(column) for column in zip(*units, strict=True))
    return values, total, squares, apart


def _judge_result(model: str, judge: _Judge) -> JudgeResult:
    passed = judge.passed.rate()
    groups = [*judge.alone, *judge.clusters.values()]
    score = mean_estimate(groups)
    scored = sum(group.count for group in groups)
    return JudgeResult(
        model=model,
        scored=scored,
        passed=0 if passed is None else passed.passed,
        mean_score=math.fsum(group.total for group in groups) / scored,
        cost_usd=judge.cost_usd.total,
        passed_low=None if passed is None else passed.low,
        passed_high=None if passed is None else passed.high,
        mean_score_low=None if score is None else score.low,
        mean_score_high=None if score is None else score.high,
    )
