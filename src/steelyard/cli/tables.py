"""Tables on standard output: drawn on a terminal, plain aligned columns for everything that reads a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..text import one_line
from .output import print_line


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool | None = None) -> None:
    """Print rows of text, each cell literally and on one line. Columns are never cut in a pipe."""
    shown = [[one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _draw(headers, shown, color=color)
    else:
        _align(headers, shown)


def _align(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    upper = [header.upper() for header in headers]
    widths = [max(map(len, column)) for column in zip(upper, *rows, strict=True)]
    for row in (upper, *rows):
        print_line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _draw(headers: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool | None) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, and a pipe needs none of it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table()
    for header in headers:
        table.add_column(header.capitalize(), overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(no_color=color is False or None, highlight=False).print(table)
