"""Tables on standard output: drawn on a terminal, plain aligned columns for everything that reads a pipe."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

from ..text import one_line
from .output import print_line


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    color: bool | None = None,
    title: str = "",
    right: Collection[str] = (),
    marked: Collection[int] = (),
    as_written: bool = False,
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
    """
    shown = [[one_line(cell) for cell in row] for row in rows]
    if title:
        print_line(one_line(title))
    named = [one_line(header) for header in headers]
    if sys.stdout.isatty():
        tops = named if as_written else [name.capitalize() if name.islower() else name for name in named]
        _draw(tops, shown, color=color, right={tops[named.index(name)] for name in right}, marked=marked)
    else:
        tops = named if as_written else [name.upper() if name.islower() else name for name in named]
        _align(tops, shown, right={tops[named.index(name)] for name in right})


def _align(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[str]) -> None:
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    for row in (headers, *rows):
        cells = zip(headers, row, widths, strict=True)
        aligned = (cell.rjust(width) if name in right else cell.ljust(width) for name, cell, width in cells)
        print_line("  ".join(aligned).rstrip())


def _draw(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    color: bool | None,
    right: Collection[str],
    marked: Collection[int],
) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, and a pipe needs none of it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table()
    for header in headers:
        table.add_column(Text(header), overflow="fold", justify="right" if header in right else "left")
    for position, row in enumerate(rows):
        table.add_row(*(Text(cell) for cell in row), style="yellow" if position in marked else None)
    Console(no_color=color is False or None, highlight=False).print(table)
