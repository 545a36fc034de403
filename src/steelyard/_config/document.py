"""A suite file, or another file of one value, as a tree that knows where everything stands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePath

from ..api import JsonValue, Node
from ..errors import BenchmarkError, Problem
from .encoding import text_of
from .json_source import JsonReader, JsonSpots
from .places import Lines, Locator, Spots
from .yaml_source import YamlReader

Report = Callable[[Problem], None]

LARGEST_BYTES = 256 * 1024**2
"""Of a file that is read whole. What is larger is no benchmark, and would take minutes and all memory to find out."""


def read_document(path: Path, report: Report) -> Node:
    """Read a YAML or JSON file. Places name it as ``path`` does.

    What the file's reader finds wrong with the values goes to ``report``. Raises ``BenchmarkError``, with every problem
    that could be found, when it cannot be read, is not UTF-8, no YAML or JSON, has a key twice, or is a trap.
    """
    return document_of(read_bytes(path), str(path), report)


def document_of(data: bytes, name: str, report: Report) -> Node:
    """Read the bytes of the file ``name``: JSON when it ends in ``.json``, else YAML. Raises as :func:`read_document`.

    The value of an empty file is ``None``.
    """
    text = text_of(data, name)
    is_json = PurePath(name).suffix.lower() == ".json"
    value, spots = _json(text, name) if is_json else YamlReader(text, name).read()
    return Node(value, (), Locator(name, value, spots), report)


def read_bytes(path: Path) -> bytes:
    """Return what a file holds. Raises ``BenchmarkError``, also for one without end, such as a device."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BenchmarkError([unreadable(path, error)]) from error
    if len(data) > LARGEST_BYTES:
        message = f"is larger than {LARGEST_BYTES // 1024**2} MB"
        raise BenchmarkError([Problem(message=message, hint="keep many rows in a .jsonl file", place=str(path))])
    return data


def unreadable(path: Path, error: Exception) -> Problem:
    """Return the problem that a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        message = "no such file"
    elif _is_folder(path):  # Windows says "permission denied"
        message = "is a folder, not a file"
    else:
        message = f"cannot be read: {error.strerror if isinstance(error, OSError) else error}"
    return Problem(message=message, place=str(path))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # longer than a name can be
        return False


def _json(text: str, name: str) -> tuple[JsonValue, Spots]:
    spots = JsonSpots(text)
    if not text.strip():
        return None, spots

    @cache
    def lines() -> Lines:
        return Lines(text)

    def place_of(offset: int) -> str:
        line, column = lines().spot(offset)
        return f"{name}:{line}:{column}"

    return JsonReader().read(text, place_of), spots
