"""A line chart over runs: one line for each combo, a mark for each run, a gap in nothing but what is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .scale import Scale, round_top
from .ticks import Labels

WIDTH, HEIGHT = 480, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 12, 28
_MOST_DATES = 5
_HIGHEST = 1e12
"""A value beyond it is a damaged record's and would flatten everything else."""

MARKS = (
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0Z",
    "M-3.3 -3.3H3.3V3.3H-3.3Z",
    "M0 -4.4L4.2 3.2H-4.2Z",
    "M0 -4.6L4.6 0L0 4.6L-4.6 0Z",
)
"""Outlines of marks around the origin, so that lines can be told apart without their colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The value of one line in one run."""

    run: int
    """Which run, counted from the oldest."""
    value: float
    note: str
    """What a pointer that rests on it reads."""
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    """Whether the run was not of the whole benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A reading on the picture."""

    x: float
    y: float
    note: str
    hollow: bool
    low_y: float | None = None
    high_y: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnLine:
    """One line on the picture."""

    number: int
    """Which line it is, from 1: it has that colour."""
    shape: str
    """The outline of its marks."""
    path: str
    """The line itself."""
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A label at an axis."""

    at: float
    label: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """A line chart, ready to be drawn."""

    title: str
    summary: str
    """What a reader who does not see the picture is told."""
    lines: tuple[DrawnLine, ...]
    rows: tuple[Tick, ...]
    columns: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM
    whiskers: bool = False
    empty: bool = field(default=False)


def line_chart(
    title: str,
    lines: Sequence[Sequence[Reading]],
    dates: Sequence[str],
    *,
    labels: Labels,
    summary: str,
    top: float | None = None,
    whiskers: bool = False,
) -> LineChart:
    """Lay a line chart out.

    Args:
        title: What is measured.
        lines: The readings of each line, the oldest run first; a run without one is passed over.
        dates: When each run was, for the axis.
        labels: How the values at the axis are written.
        summary: The picture in words.
        top: The end of the axis; a round number above all values when ``None``.
        whiskers: Whether to draw the intervals.
    """
    usable = [[reading for reading in line if 0 <= reading.value <= _HIGHEST] for line in lines]
    values = [reading.value for line in usable for reading in line]
    end, ticks = round_top(values) if top is None else (top, tuple(top * i / 4 for i in range(5)))
    up = Scale(end, HEIGHT - _BOTTOM, _TOP)
    along = Scale(max(len(dates) - 1, 1), _LEFT + 8, WIDTH - _RIGHT - 8)
    middle = (_LEFT + WIDTH - _RIGHT) / 2

    def across(run: int) -> float:
        return along.at(run) if len(dates) > 1 else middle

    return LineChart(
        title=title,
        summary=summary,
        lines=tuple(
            _drawn(number, line, across, up, whiskers=whiskers) for number, line in enumerate(usable, 1) if line
        ),
        rows=tuple(Tick(at=up.at(tick), label=label) for tick, label in zip(ticks, labels(ticks), strict=True)),
        columns=tuple(_date_ticks(dates, across)),
        whiskers=whiskers,
        empty=not values,
    )


def sparkline(values: Sequence[float | None], *, width: int = 96, height: int = 22) -> str:
    """Return the path of a small line for values from 0 to 100; empty when there are fewer than two."""
    known = [(i, value) for i, value in enumerate(values) if value is not None and 0 <= value <= 100]  # noqa: PLR2004
    if len(known) < 2:  # noqa: PLR2004 - a line has two ends
        return ""
    along, up = Scale(max(len(values) - 1, 1), 2, width - 2), Scale(100.0, height - 2, 2)
    return "M" + "L".join(f"{along.at(i)} {up.at(value)}" for i, value in known)


def _drawn(
    number: int, line: Sequence[Reading], across: Callable[[int], float], up: Scale, *, whiskers: bool
) -> DrawnLine:
    marks = tuple(
        Mark(
            x=across(reading.run),
            y=up.at(reading.value),
            note=reading.note,
            hollow=reading.hollow,
            low_y=up.at(reading.low) if whiskers and reading.low is not None else None,
            high_y=up.at(reading.high) if whiskers and reading.high is not None else None,
        )
        for reading in line
    )
    path = "M" + "L".join(f"{mark.x} {mark.y}" for mark in marks)
    return DrawnLine(number=number, shape=MARKS[(number - 1) % len(MARKS)], path=path, marks=marks)


def _date_ticks(dates: Sequence[str], across: Callable[[int], float]) -> list[Tick]:
    """Label at most a few runs, the first and the last among them; a date is not written twice."""
    last = len(dates) - 1
    wanted = (
        range(len(dates)) if last < _MOST_DATES else [round(i * last / (_MOST_DATES - 1)) for i in range(_MOST_DATES)]
    )
    ticks: list[Tick] = []
    for run in wanted:
        if dates[run] and (not ticks or ticks[-1].label != dates[run]):
            anchor = "end" if run == last and last > 0 else "middle"
            ticks.append(Tick(at=across(run), label=dates[run], anchor=anchor))
    return ticks
