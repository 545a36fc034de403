"""The first page: runs in progress, benchmarks, how their combos developed, every run, and what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


def charts_of(trends: Trends) -> tuple[LineChart, ...]:
    """Return the three pictures of how a benchmark developed."""
    few = len(trends.trends) <= _FEW_LINES
    return (
        _chart(trends, "Pass rate", lambda combo: combo.score, percent, percent_ticks, top=100.0, whiskers=few),
        _chart(trends, "Cost of 1,000 cases", cost_of_thousand, money, money_ticks),
        _chart(trends, "Latency of an answer, median", lambda combo: combo.latency_p50_ms, milliseconds, time_ticks),
    )


def _chart(
    trends: Trends,
    title: str,
    measure: Callable[[ComboResult], float | None],
    written: Callable[[float], str],
    labels: Labels,
    *,
    top: float | None = None,
    whiskers: bool = False,
) -> LineChart:
    lines = [_readings(trends, number, measure, written) for number in range(len(trends.trends))]
    return line_chart(
        title,
        lines,
        [day(run.record.timestamp) for run in trends.runs],
        labels=labels,
        summary=_in_words(trends, lines, written),
        top=top,
        whiskers=whiskers,
    )


def _readings(
    trends: Trends, number: int, measure: Callable[[ComboResult], float | None], written: Callable[[float], str]
) -> list[Reading]:
    trend = trends.trends[number]
    readings = []
    for position, (run, combo) in enumerate(zip(trends.runs, trend.combos, strict=True)):
        value = None if combo is None else finite(measure(combo))
        if combo is None or value is None:
            continue
        part = ", a part of the benchmark" if run.partial else ""
        readings.append(
            Reading(
                run=position,
                value=value,
                note=f"{_name(trend)}: {written(value)}, {_how_sure(combo)}on {moment(run.record.timestamp)}{part}",
                low=finite(combo.score_low),
                high=finite(combo.score_high),
                hollow=run.partial,
            )
        )
    return readings


def _how_sure(combo: ComboResult) -> str:
    bounds = interval(combo.score_low, combo.score_high)
    return f"{f'95 % interval {bounds}, ' if bounds else ''}{of_cases(combo)}, "


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
