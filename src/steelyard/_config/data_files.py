"""Which files a benchmark means by a path or a pattern, and how the rows of one of them are read."""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

from ..api import JsonMapping, JsonValue, Node, shown
from ..errors import BenchmarkError, Problem
from .csv_source import CsvReader
from .document import read_document, unreadable
from .json_source import JsonReader
from .text_lines import lines_of, without_end

RowsOf = Callable[[], Iterator[tuple[str, JsonMapping]]]
"""Goes through the rows of one file from the start, each with its place."""

_BYTE_ORDER_MARK = "\ufeff"

KINDS = (".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".yaml", ".yml")
"""The endings of files that hold rows."""


def matching(pattern: str, base_dir: Path) -> list[Path]:
    """Return the files that a path or a pattern names, sorted by name.

    A file that has exactly that name is meant even when the name looks like a pattern. Raises ``BenchmarkError`` when
    there is none, or one whose ending is unknown.
    """
    exact = base_dir / pattern
    try:
        found = [exact] if exact.exists() or not glob.has_magic(pattern) else _globbed(pattern, base_dir)
    except (OSError, ValueError) as error:
        raise BenchmarkError([unreadable(exact, error)]) from error
    if not found:
        raise BenchmarkError([Problem(message=f"no file matches {shown(pattern)}", place=str(base_dir))])
    problems = [problem for path in found if (problem := _problem_of(path)) is not None]
    if problems:
        raise BenchmarkError(problems)
    return found


def rows_of(path: Path) -> RowsOf:
    """Return what reads the rows of a file. Rows come as they are read, but for ``.json`` and ``.yaml``."""
    kind = path.suffix.lower()
    if kind in (".jsonl", ".ndjson"):
        return lambda: _jsonl(path)
    if kind in (".csv", ".tsv"):
        return lambda: _csv(path, "," if kind == ".csv" else "\t")
    return _ListOfRows(path)


def _globbed(pattern: str, base_dir: Path) -> list[Path]:
    # Not Path.glob: it takes no absolute pattern, and it would read a pattern into the folder's own name.
    found = glob.glob(pattern, root_dir=base_dir, recursive=True)  # noqa: PTH207
    paths = [base_dir / name for name in sorted(found, key=lambda name: PurePath(name).as_posix())]
    return [path for path in paths if path.is_file()]


def _problem_of(path: Path) -> Problem | None:
    if not path.exists():
        return Problem(message="no such file", place=str(path))
    if path.is_dir():
        return Problem(message="is a folder, not a file", hint="name the files in it: *.jsonl", place=str(path))
    if not path.is_file():
        return Problem(message="is no regular file", hint="rows are read more than once", place=str(path))
    if path.suffix.lower() not in KINDS:
        message = f"a file that ends in {shown(path.suffix)} cannot be read as rows"
        return Problem(message=message, hint=f"use one of {', '.join(KINDS)}", place=str(path))
    return None


def _jsonl(path: Path) -> Iterator[tuple[str, JsonMapping]]:
    reader = JsonReader(finite=True)
    name = str(path)
    for number, text in lines_of(path):
        # Files that were put together bring the mark of each along; no JSON begins with one.
        line = text.lstrip(_BYTE_ORDER_MARK)
        if not line.strip():
            continue
        place = f"{name}:{number}"
        value = reader.read(without_end(line)[0], lambda offset, place=place: f"{place}:{offset + 1}")  # type: ignore[misc]
        if not isinstance(value, dict):
            raise BenchmarkError([_no_row(value, place)])
        yield place, value


def _csv(path: Path, delimiter: str) -> Iterator[tuple[str, JsonMapping]]:
    name = str(path)
    for number, row in CsvReader(lines_of(path), name, delimiter).rows():
        yield f"{name}:{number}", row


class _ListOfRows:
    """The rows of a file that is one list; read once, when they are first wanted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document: Node | None = None

    def __call__(self) -> Iterator[tuple[str, JsonMapping]]:
        if self._document is None:
            self._document = read_document(self._path, _raise)
        if self._document.value is None:
            return
        if self._document.is_list():
            for entry in self._document.entries():
                if not isinstance(entry.value, dict):
                    _raise(_no_row(entry.value, entry.place))
                else:
                    yield entry.place, entry.value


def _no_row(value: JsonValue, place: str) -> Problem:
    hint = "a file that is one list ends in .json" if isinstance(value, list) else ""
    return Problem(message=f"a row must be a mapping, got {shown(value)}", hint=hint, place=place)


def _raise(problem: Problem) -> None:
    raise BenchmarkError([problem])
