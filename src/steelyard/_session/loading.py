"""What a session hands on from outside: data files as plain values, and plugins that are objects already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from .._config.document import read_document
from ..api import JsonValue, Problem
from ..errors import BenchmarkError, Origin


def load_data(path: Path) -> JsonValue:
    """Read a YAML or JSON file as a plain value: what ``PluginContext.load`` is in a session.

    Raises ``BenchmarkError`` with every problem when it cannot be read.
    """
    problems: list[Problem] = []
    value = read_document(path, problems.append).value
    if any(problem.severity == "error" for problem in problems):
        raise BenchmarkError(problems)
    return value


def noting(note: Callable[[Path], None]) -> Callable[[Path], JsonValue]:
    """Return what loads data files, and first says which."""

    def load(path: Path) -> JsonValue:
        note(path)
        return load_data(path)

    return load


def embedded(plugins: Sequence[object]) -> list[tuple[Origin, object]]:
    """Name plugins that are objects. Numbered: two objects of one class are two plugins."""
    named = []
    for number, plugin in enumerate(plugins, start=1):
        name = str(getattr(plugin, "__name__", type(plugin).__name__)).rpartition(".")[2]
        named.append((Origin(plugin=name, distribution=f"object {number}", version=""), plugin))
    return named
