"""Several judges of the same outputs: what each gives and costs, and how far they agree.

A scorer that asks several judges says so in its details: ``judges``, a list of objects with ``model``, ``score`` and
``cost``. Agreement is Krippendorff's alpha by differences, whose sums run along, so that no verdict has to be kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..api import CaseRun, JsonValue, JudgeResult, PanelResult, is_sequence
from .formulas.bootstrap import percentile_interval
from .sums import Sum

_SEED = 20240102
_MOST_UNITS = 500
_RESAMPLES = 1000
_FEWEST = 2

_Sums = tuple[float, float, float, float]
"""Of one output: values, their sum, the sum of their squares, and what pairs of them are apart, squared."""


@dataclass(slots=True)
class _Judge:
    scored: int = 0
    passed: int = 0
    total: float = 0.0
    cost_usd: Sum = field(default_factory=Sum)


class PanelTally:
    """Counts what panels of judges say."""

    __slots__ = ("_judges", "_units")

    def __init__(self) -> None:
        self._judges: dict[str, _Judge] = {}
        self._units = array("d")

    def add(self, run: CaseRun) -> None:
        """Count the panels of a run."""
        for score in run.scores:
            opinions = score.details.get("judges")
            if is_sequence(opinions):
                self._add([opinion for opinion in opinions if isinstance(opinion, Mapping)])

    def _add(self, opinions: Sequence[Mapping[str, JsonValue]]) -> None:
        values = []
        for opinion in opinions:
            model, score, cost = opinion.get("model"), _number(opinion.get("score")), _number(opinion.get("cost"))
            if not isinstance(model, str) or score is None:
                continue
            judge = self._judges.setdefault(model, _Judge())
            judge.scored += 1
            judge.passed += opinion.get("passed") is True
            judge.total += score
            judge.cost_usd.add(cost)
            values.append(score)
        if len(values) >= _FEWEST:
            total, squares = sum(values), sum(value * value for value in values)
            apart = 2 * (len(values) * squares - total * total) / (len(values) - 1)
            self._units.extend((len(values), total, squares, apart))

    def result(self) -> PanelResult | None:
        """Return what the judges came to; ``None`` when no output had several."""
        units = [_unit(self._units, start) for start in range(0, len(self._units), 4)]
        if not units:
            return None
        low_high: tuple[float | None, float | None] = (None, None)
        found = _alpha(units)
        if found is not None and len(units) > _FEWEST:
            low_high = _interval(units)
        return PanelResult(
            judges=tuple(_judge_result(model, judge) for model, judge in self._judges.items()),
            outputs=len(units),
            alpha=found,
            alpha_low=low_high[0],
            alpha_high=low_high[1],
        )


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
    return JudgeResult(
        model=model,
        scored=judge.scored,
        passed=judge.passed,
        mean_score=judge.total / judge.scored,
        cost_usd=judge.cost_usd.total,
    )
