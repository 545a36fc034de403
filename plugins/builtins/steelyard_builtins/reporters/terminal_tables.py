"""The tables of the terminal: the matrix of combos, and quality by tag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from steelyard.api import ComboResult, RunRecord, TagResult
from steelyard.text import one_line

from .figures import count, interval, milliseconds, money, percent
from .measures import Measure

_ENDLESS = 10_000
_KEPT = 3
"""What is dropped no sooner than this says what a run is about."""
_FOLDED_NAME = 16
"""The width to which the name of a model can be folded and still be read."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the matrix."""

    heading: str
    cells: Sequence[str]
    right: bool = True
    dropped: int = 0
    """When the terminal is too narrow: the highest goes first, 0 stays."""
    folds: bool = False
    """Whether its cells may be broken in two; those of others are words and figures, which are nothing in parts."""


def matrix(console: Console, record: RunRecord) -> Group:
    """Return the results of all combos, with as many of the columns as the width allows, and say which are left out."""
    columns = _columns(record)
    limits = sorted({column.dropped for column in columns}, reverse=True)
    for limit in limits:
        shown = [column for column in columns if column.dropped <= limit]
        table = _table(shown)
        # Rather than without what a run is about, a table stands with the names of its models in two lines.
        folded = max(0, _cell_width(columns[0]) - _FOLDED_NAME) if limit <= _KEPT else 0
        if _width(console, table) - folded <= console.width:
            break
    # When none fits, this is the narrowest, and names are folded further.
    titled = _titled(console, f"{one_line(record.benchmark)} — {one_line(record.run_id)}", table)
    left_out = [column.heading for column in columns if column not in shown]
    if not left_out:
        return titled
    note = f"Left out: {', '.join(left_out)}; a wider terminal shows more, and the record has all."
    return Group(titled, Text(note, style="dim"))


def tag_table(console: Console, label: str, tags: Iterable[TagResult], *, bounds: bool) -> Group:
    """Return quality by tag, with a sign at those that are poor.

    Args:
        console: Where it is shown.
        label: What it is of.
        tags: The tags.
        bounds: Whether to show intervals too: that is evalblink's table otherwise, to the letter.
    """
    listed = list(tags)
    columns = [
        Column("Tag", [tag.tag for tag in listed], right=False),
        Column("Cases", [str(tag.total) for tag in listed]),
        Column("Quality", [percent(tag.score, 0) for tag in listed]),
        Column("Errors", [str(tag.errors) for tag in listed]),
    ]
    if any(tag.not_run for tag in listed):
        columns.append(Column("Not run", [str(tag.not_run) for tag in listed]))
    columns.append(Column("⚠️", ["⚠️" if tag.warn else "" for tag in listed], right=False))
    if bounds:
        columns.append(Column("95 % interval", [interval(tag.score_low, tag.score_high) for tag in listed]))
    return _titled(console, label, _table(columns))


def measure_table(console: Console, label: str, measure: Measure) -> Group:
    """Return one of the tables of a combo that ``-v`` shows."""
    columns = [
        Column(heading, [row[index] for row in measure.rows], right=index > 0)
        for index, heading in enumerate(measure.headings)
    ]
    return _titled(console, f"{measure.title.upper()}\n({label})", _table(columns))


def _columns(record: RunRecord) -> list[Column]:
    combos = record.results
    gate = record.insights.quality_threshold

    def figures(heading: str, cells: Iterable[str], dropped: int = 0) -> Column:
        return Column(heading, list(cells), dropped=dropped)

    columns = [
        Column("Model", [combo.model for combo in combos], right=False, folds=True),
        Column("Prompt", [combo.prompt_id for combo in combos], right=False, folds=True),
        figures("Score", (percent(combo.score, threshold=gate) for combo in combos)),
        figures("Pass/Scored", (f"{combo.passed}/{combo.scored}" for combo in combos), 2),
        figures("Errors", (str(combo.errors) for combo in combos), 1),
        figures("Prompt tok", (count(combo.prompt_tokens) for combo in combos), 7),
        figures("Completion tok", (count(combo.completion_tokens) for combo in combos), 7),
        figures("Cost", (money(combo.cost_usd) for combo in combos), _KEPT),
    ]
    if any(combo.not_run for combo in combos):
        columns.append(figures("Not run", (str(combo.not_run) for combo in combos), 1))
    if record.repeat > 1:
        columns.append(figures("Flaky", (str(combo.flaky) for combo in combos), 5))
    if any(_spent_otherwise(combo) for combo in combos):
        columns.append(figures("Spent now", (money(combo.spent_usd) for combo in combos), 6))
    columns += [
        figures("95 % interval", (interval(combo.score_low, combo.score_high) for combo in combos), 4),
        figures("p50", (milliseconds(combo.latency_p50_ms) for combo in combos), 8),
        figures("p95", (milliseconds(combo.latency_p95_ms) for combo in combos), 8),
    ]
    return columns


def _spent_otherwise(combo: ComboResult) -> bool:
    return combo.spent_usd is not None and money(combo.spent_usd) != money(combo.cost_usd)


def _titled(console: Console, title: str, table: Table) -> Group:
    """Put a title over a table, or before it where it is wider: Rich would break a run's name in two."""
    width = min(_width(console, table), console.width)
    if all(cell_len(line) <= width for line in title.split("\n")):
        table.title = Text(title, justify="center")
        return Group(table)
    return Group(Text(title, style="table.title", no_wrap=True, overflow="ignore"), table)


def _width(console: Console, table: Table) -> int:
    """Return the width that a table would take if there were no end to it."""
    return Measurement.get(console, console.options.update(max_width=_ENDLESS), table).maximum


def _cell_width(column: Column) -> int:
    return max((cell_len(one_line(cell)) for cell in column.cells), default=0)


def _table(columns: Sequence[Column]) -> Table:
    table = Table()
    whole = any(column.folds for column in columns)
    for column in columns:
        table.add_column(
            Text(column.heading),
            justify="right" if column.right else "left",
            overflow="fold",
            min_width=cell_len(column.heading),
            no_wrap=whole and not column.folds,
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return table
