"""The first page: runs in progress, benchmarks, how their combos developed, every run, and what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from steelyard.api import ComboResult

from ..addresses import Here
from ..board import Board
from ..charts.lines import MARKS, LineChart, Reading, line_chart
from ..charts.ticks import Labels, money_ticks, percent_ticks, time_ticks
from ..figures import day, finite, interval, line, milliseconds, moment, money, number_of, of_cases, percent
from ..results.runs import Run
from ..results.selection import page_number, page_of
from ..results.trends import Trend, Trends, combos_of, cost_of_thousand, trends_of

_FEW_LINES = 3
"""With more lines than that, intervals hide more than they show."""
_SPARK_RUNS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSummary:
    """A benchmark as a row of a table."""

    name: str
    runs: int
    latest: Run
    best_scores: tuple[float | None, ...]
    """Of the latest runs, the oldest first."""


def overview(board: Board, request: Request) -> Response:
    """Show the first page."""
    query = request.query_params
    listing = board.runs.listing()
    live, unreadable_journals = board.live.all()
    chosen = {name: query.get(name, "") for name in ("benchmark", "model", "prompt")}
    benchmark = chosen["benchmark"] or next(iter(listing.benchmarks), "")
    wanted = [run for run in listing.runs if _suits(run, **chosen)]
    trends = trends_of(listing.runs, benchmark, model=chosen["model"], prompt=chosen["prompt"])
    of_benchmark = [run for run in listing.runs if run.record.benchmark == benchmark]
    return board.render.page(
        "overview.html",
        here=Here("/", chosen),
        chosen=chosen,
        live=live,
        listing=listing,
        unreadable=(*listing.unreadable, *unreadable_journals),
        benchmarks=[_summary(name, listing.runs) for name in listing.benchmarks],
        trends=trends,
        charts=charts_of(trends),
        marks=MARKS,
        cost_of_thousand=cost_of_thousand,
        models=sorted({combo.model for run in of_benchmark for combo in run.record.results}),
        prompts=sorted({combo.prompt_id for run in of_benchmark for combo in run.record.results}),
        page=page_of(wanted, page_number(query)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """What one of the charts shows."""

    title: str
    measure: Callable[[ComboResult], float | None]
    written: Callable[[float], str]
    labels: Labels
    basis: Callable[[ComboResult], str]
    """What a value is of, for whoever rests a pointer on it."""
    is_score: bool = False
    """Whether it is in per cent and has the interval of the score."""


def _cases(combo: ComboResult) -> str:
    return number_of(combo.passed + combo.failed + combo.errors, "case")


def _how_sure(combo: ComboResult) -> str:
    bounds = interval(combo.score_low, combo.score_high)
    return f"95 % interval {bounds}, {of_cases(combo)}" if bounds else of_cases(combo)


_FIGURES: Final = (
    _Figure(
        title="Pass rate",
        measure=lambda combo: combo.score,
        written=percent,
        labels=percent_ticks,
        basis=_how_sure,
        is_score=True,
    ),
    _Figure(title="Cost of 1,000 cases", measure=cost_of_thousand, written=money, labels=money_ticks, basis=_cases),
    _Figure(
        title="Latency of an answer, median",
        measure=lambda combo: combo.latency_p50_ms,
        written=milliseconds,
        labels=time_ticks,
        basis=_cases,
    ),
)


def charts_of(trends: Trends) -> tuple[LineChart, ...]:
    """Return the three pictures of how a benchmark developed."""
    return tuple(_chart(trends, figure) for figure in _FIGURES)


def _chart(trends: Trends, figure: _Figure) -> LineChart:
    lines = [_readings(trends, trend, figure) for trend in trends.trends]
    return line_chart(
        figure.title,
        lines,
        [day(run.record.timestamp) for run in trends.runs],
        labels=figure.labels,
        summary=_in_words(trends, lines, figure.written),
        top=100.0 if figure.is_score else None,
        whiskers=figure.is_score and len(trends.trends) <= _FEW_LINES,
    )


def _readings(trends: Trends, trend: Trend, figure: _Figure) -> list[Reading]:
    readings = []
    for position, (run, combo) in enumerate(zip(trends.runs, trend.combos, strict=True)):
        value = None if combo is None else finite(figure.measure(combo))
        if combo is None or value is None:
            continue
        when = moment(run.record.timestamp) + (", a part of the benchmark" if run.partial else "")
        readings.append(
            Reading(
                run=position,
                value=value,
                note=f"{_name(trend)}: {figure.written(value)}, {figure.basis(combo)}, on {when}",
                low=finite(combo.score_low) if figure.is_score else None,
                high=finite(combo.score_high) if figure.is_score else None,
                hollow=run.partial,
            )
        )
    return readings


def _in_words(trends: Trends, lines: Sequence[Sequence[Reading]], written: Callable[[float], str]) -> str:
    said = [
        f"{_name(trend)} from {written(readings[0].value)} to {written(readings[-1].value)}"
        for trend, readings in zip(trends.trends, lines, strict=True)
        if readings
    ]
    return (
        f"Over {number_of(len(trends.runs), 'run')}: {'; '.join(said)}. The table below has every figure."
        if said
        else "No figure."
    )


def _name(trend: Trend) -> str:
    return line(f"{trend.model} / {trend.prompt_id}")


def _suits(run: Run, *, benchmark: str, model: str, prompt: str) -> bool:
    if benchmark and run.record.benchmark != benchmark:
        return False
    return not (model or prompt) or bool(combos_of(run, model=model, prompt=prompt))


def _summary(name: str, runs: Sequence[Run]) -> BenchmarkSummary:
    alike = [run for run in runs if run.record.benchmark == name]
    bests = [run.best for run in reversed(alike[:_SPARK_RUNS])]
    return BenchmarkSummary(
        name=name,
        runs=len(alike),
        latest=alike[0],
        best_scores=tuple(None if best is None else finite(best.score) for best in bests),
    )
