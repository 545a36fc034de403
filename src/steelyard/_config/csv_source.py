"""The rows of a CSV or TSV file: every cell is text, and a row that does not fit is an error, never a guess.

The standard reader would take all that follows a quote that is never closed for one cell, give up at a cell of 128 KiB,
and lose the number of the line in which a quote was opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from ..api import JsonMapping, shown
from ..errors import BenchmarkError, Problem
from .text_lines import without_end

MAX_CELL = 50_000_000
"""Characters; nobody means more, but a quote that is not closed asks for it."""

Lines = Iterator[tuple[int, str]]


class CsvReader:
    """Reads one file."""

    def __init__(self, lines: Lines, name: str, delimiter: str) -> None:
        self._lines = lines
        self._name = name
        self._delimiter = delimiter
        self._number = 0
        self._stray = 0
        """The line in which text follows a closing quote; 0 when it does not."""

    def rows(self) -> Iterator[tuple[int, JsonMapping]]:
        """Go through the rows, each with the number of its first line. Raises ``BenchmarkError``."""
        records = self._records()
        columns = self._columns(next(records, (1, [])))
        for number, cells in records:
            if len(cells) != len(columns):
                hint = f"put a cell that holds {self._delimiter!r} in double quotes"
                if len(cells) < len(columns):
                    hint = (
                        f"nothing stands for {columns[len(cells)]!r}; an empty cell takes its {self._delimiter!r} too"
                    )
                self._fail(f"has {_counted(cells, 'cell')} for {_counted(columns, 'column')}", number, hint)
            self._refuse_stray_text()
            yield number, dict(zip(columns, cells, strict=True))

    def _columns(self, header: tuple[int, list[str]]) -> list[str]:
        number, cells = header
        self._refuse_stray_text()
        columns = [cell.strip() for cell in cells]
        for index, column in enumerate(columns):
            first = columns.index(column)
            if first < index:
                self._fail(f"column {shown(column)} is there twice, as columns {first + 1} and {index + 1}", number)
        if len(columns) == 1 and (";" in columns[0] or "\t" in columns[0]):
            hint = f"separate cells by {self._delimiter!r}"
            self._fail(f"has one column only, {shown(columns[0])}", number, hint)
        return columns

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        for number, line in self._lines:
            text, end = without_end(line)
            if not text.strip(" "):
                continue
            if '"' in text:
                self._number = number
                yield number, self._quoted(text, end)
            else:
                yield number, text.split(self._delimiter)

    def _quoted(self, text: str, end: str) -> list[str]:
        """Read a record that has quotes; it may go on over further lines."""
        cells = []
        position = 0
        while True:
            if text.startswith('"', position):
                cell, text, end, position = self._cell(text, end, position + 1)
                cells.append(cell)
                stop = text.find(self._delimiter, position)
                if text[position : None if stop < 0 else stop].strip(" "):
                    self._stray = self._stray or self._number  # told after the number of cells, which says more
                if stop < 0:
                    return cells
            else:
                stop = text.find(self._delimiter, position)
                if stop < 0:
                    cells.append(text[position:])
                    return cells
                cells.append(text[position:stop])
            position = stop + 1

    def _cell(self, text: str, end: str, position: int) -> tuple[str, str, str, int]:
        """Read a quoted cell; return it, the line that it ends in, that line's end, and where reading goes on."""
        opened = self._number
        parts: list[str] = []
        length = 0
        while True:
            stop = text.find('"', position)
            if stop < 0:
                parts.append(text[position:] + end)
                length += len(parts[-1])
                text, end = self._next_line(opened, length)
                position = 0
            elif text.startswith('"', stop + 1):
                parts.append(text[position : stop + 1])
                position = stop + 2
            else:
                parts.append(text[position:stop])
                return "".join(parts), text, end, stop + 1

    def _refuse_stray_text(self) -> None:
        if self._stray:
            self._fail("text follows a closing quote", self._stray, "double the quotes inside a cell")

    def _next_line(self, opened: int, length: int) -> tuple[str, str]:
        if length > MAX_CELL:
            self._fail(f"a cell has more than {MAX_CELL} characters", opened, "close its quote")
        following = next(self._lines, None)
        if following is None:
            self._fail("a quote is opened here and never closed", opened, "close it, or double a quote inside a cell")
        self._number, line = following
        return without_end(line)

    def _fail(self, message: str, number: int, hint: str = "") -> NoReturn:
        raise BenchmarkError([Problem(message=message, hint=hint, place=f"{self._name}:{number}")])


def _counted(things: list[str], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
