"""What the project's and the user's own settings files say.

The project's is the nearest: of the folder one runs in and its parents, the first that has a ``steelyard.yaml`` or a
``pyproject.toml`` with a ``[tool.steelyard]`` table. Others above it do not count. Relative folders in it start from
where it lies: with ``results_dir`` in it, results land in one place wherever in the project one runs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from ..api import JsonMapping, JsonValue, Node
from ..errors import BenchmarkError, Problem
from .document import document_of, read_bytes
from .encoding import text_of
from .options import fill
from .settings_layers import PATHS, Layer, SettingsKeys

PROJECT_FILES = ("steelyard.yaml", "steelyard.yml")
_PYPROJECT = "pyproject.toml"
_TABLE = ("tool", "steelyard")

Report = Callable[[Problem], None]


def project_layer(folder: Path, report: Report) -> Layer:
    """Return what the project that a folder belongs to says; nothing when it says nothing.

    Raises ``BenchmarkError`` when its file cannot be read; ``report`` is told what is wrong in it.
    """
    for candidate in (folder, *folder.parents):
        for name in PROJECT_FILES:
            if (candidate / name).is_file():
                return _file_layer(candidate / name, report, base=candidate)
        if (candidate / _PYPROJECT).is_file():
            node = _pyproject(candidate / _PYPROJECT, report)
            if node is not None:
                return layer_of(node, base=candidate)
    return Layer()


def user_layer(path: Path | None, report: Report) -> Layer:
    """Return what the user's own file says; nothing when there is none. Raises as :func:`project_layer`."""
    return Layer() if path is None or not path.is_file() else _file_layer(path, report, base=None)


def layer_of(node: Node, *, base: Path | None) -> Layer:
    """Return what a mapping of settings says. Relative folders start from ``base``, if there is one."""
    filled = fill(SettingsKeys, node)
    if filled is None or not isinstance(node.value, Mapping):
        return Layer()
    said = [key for key, value in node.value.items() if value is not None and hasattr(filled, key)]
    values = {key: getattr(filled, key) for key in said}
    for key in PATHS:
        if key in values:
            folder = Path(values[key]).expanduser()
            values[key] = folder if base is None else base / folder
    return Layer(values=values, sources={key: node.child(key).place for key in said})


def _file_layer(path: Path, report: Report, *, base: Path | None) -> Layer:
    node = document_of(read_bytes(path), str(path), report)
    return Layer() if node.value is None else layer_of(node, base=base)


def _pyproject(path: Path, report: Report) -> Node | None:
    text = text_of(read_bytes(path), str(path))
    if _TABLE[-1] not in text:
        return None  # whatever else is in it, or wrong with it, is no business of ours
    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BenchmarkError([Problem(message=f"not valid TOML: {error}", place=str(path))]) from error
    tool = value.get(_TABLE[0])
    table = tool.get(_TABLE[1]) if isinstance(tool, dict) else None
    return None if table is None else Node(_plain(table), _TABLE, lambda _path, _at_key: str(path), report)


def _plain(value: object) -> JsonValue:
    if isinstance(value, dict):
        table: JsonMapping = {str(key): _plain(entry) for key, entry in value.items()}
        return table
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, (str, bool, int, float)) else str(value)  # a date or a time
