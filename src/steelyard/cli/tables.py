"""Tables on standard output: drawn on a terminal, plain aligned columns for everything that reads a pipe."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

import click

from ..text import one_line
from .output import print_line

_FOLDED = 10
"""The width to which a column can be folded and still be read."""


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    color: bool | None = None,
    title: str = "",
    right: Collection[str] = (),
    marked: Collection[int] = (),
    as_written: bool = False,
    give_way: Sequence[str] = (),
) -> None:
    """Print rows of text, each cell literally and on one line. Columns are never cut in a pipe.

    Args:
        headers: The headings; those without a capital letter get some.
        rows: The cells, as many in each row as there are headings.
        color: Whether to colour; ``None`` leaves it to the terminal.
        title: A line above the table.
        right: The headings of columns of figures, which stand on the right.
        marked: The positions of rows that are to be noticed: yellow where there is colour.
        as_written: Whether the headings are names, which no capital is added to.
        give_way: The headings of columns that a terminal need not show, in the order in which they are left out until
            the first column, by which rows are called, fits in whole.
    """
    shown = [[one_line(cell) for cell in row] for row in rows]
    if title:
        print_line(one_line(title))
    named = [one_line(header) for header in headers]
    if sys.stdout.isatty():
        tops = named if as_written else [name.capitalize() if name.islower() else name for name in named]
        figures = {tops[named.index(name)] for name in right}
        dropped = [tops[named.index(name)] for name in give_way]
        _draw(tops, shown, color=color, right=figures, marked=marked, give_way=dropped)
    else:
        tops = named if as_written else [name.upper() if name.islower() else name for name in named]
        figures = {tops[named.index(name)] for name in right}
        _align(tops, shown, right=figures, yellow=marked if color else ())


def _align(
    headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[str], yellow: Collection[int]
) -> None:
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    for position, row in enumerate((headers, *rows), -1):
        cells = zip(headers, row, widths, strict=True)
        aligned = (cell.rjust(width) if name in right else cell.ljust(width) for name, cell, width in cells)
        line = "  ".join(aligned).rstrip()
        # Unless told otherwise, click takes colours out of what goes into a pipe.
        if position in yellow:
            print_line(click.style(line, fg="yellow"), color=True)
        else:
            print_line(line)


def _draw(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    color: bool | None,
    right: Collection[str],
    marked: Collection[int],
    give_way: Sequence[str],
) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, and a pipe needs none of it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(no_color=color is False or None, highlight=False)
    columns = [[Text(cell) for cell in column] for column in zip(headers, *rows, strict=True)]
    widths = [max(cell.cell_len for cell in column) for column in columns]
    kept = _fitting(headers, widths, console.width, give_way)
    table = Table()
    for index in kept:
        # What a row is called is copied into the next command: it stays whole, and the other columns are folded.
        whole = index == 0 and _least_width([widths[one] for one in kept]) <= console.width
        table.add_column(
            columns[index][0],
            overflow="fold",
            no_wrap=whole,
            justify="right" if headers[index] in right else "left",
        )
    for position, row in enumerate(rows):
        cells = (Text(row[index]) for index in kept)
        table.add_row(*cells, style="yellow" if position in marked else None)
    console.print(table)


def _fitting(headers: Sequence[str], widths: Sequence[int], width: int, give_way: Sequence[str]) -> list[int]:
    """Return which columns there is room for beside the first one; those that must stay are in it in any case."""
    kept = list(range(len(headers)))
    for name in give_way:
        if _least_width([widths[index] for index in kept]) <= width:
            break
        kept.remove(headers.index(name))
    return kept


def _least_width(widths: Sequence[int]) -> int:
    """Return how narrow a table can be while its first column is whole and the others can still be read."""
    first, *others = widths
    return first + sum(min(width, _FOLDED) for width in others) + 3 * len(widths) + 1
