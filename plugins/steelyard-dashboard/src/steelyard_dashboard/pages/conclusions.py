"""What a run comes to: the best combo, the best value, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steelyard.api import Best, ComboResult, RunnerUp, RunRecord

from ..figures import interval, money, of_cases, percent, points, probability


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """One of them."""

    title: str
    text: str
    doubtful: bool = False
    """Whether it takes something back."""


def conclusions_of(record: RunRecord) -> list[Conclusion]:
    """Return what a run comes to; empty when nothing could be scored."""
    return list(_conclusions(record))


def _conclusions(record: RunRecord) -> Iterator[Conclusion]:
    insights = record.insights
    best, value, next_best = insights.best_quality, insights.best_value, insights.runner_up
    if best is not None:
        yield Conclusion(title="Best quality", text=_best(record, best))
    if value is not None:
        price = "" if value.cost_usd is None else f", {money(value.cost_usd)} a run"
        yield Conclusion(title="Best value", text=_best(record, value) + price)
    if best is not None and next_best is not None:
        yield _how_sure(best, next_best)


def _best(record: RunRecord, best: Best) -> str:
    combos = (combo for combo in record.results if (combo.model, combo.prompt_id) == (best.model, best.prompt_id))
    combo = next(combos, None)
    said = f"{_name(best)}: {percent(best.score)}"
    return said if combo is None else f"{said} ({_of(combo)})"


def _of(combo: ComboResult) -> str:
    bounds = interval(combo.score_low, combo.score_high)
    return f"95 % interval {bounds}, {of_cases(combo)}" if bounds else of_cases(combo)


def _how_sure(best: Best, other: RunnerUp) -> Conclusion:
    if not other.told_apart:
        said = other.message or f"{_name(best)} cannot be told apart from {_name(other)}"
        return Conclusion(title="How sure", text=said, doubtful=True)
    figures = [f"{points(other.lead)} points"]
    if other.lead_low is not None and other.lead_high is not None:
        figures.append(f"95 % interval {points(other.lead_low)} to {points(other.lead_high)}")
    if other.p_value is not None:
        figures.append(probability(other.p_value))
    said = f"{_name(best)} is really better than {_name(other)}, the next best: {', '.join(figures)}, n = {other.cases}"
    return Conclusion(title="How sure", text=said)


def _name(combo: Best | RunnerUp) -> str:
    return f"{combo.model} / {combo.prompt_id}"
