"""A file that extends another: the keys of both, and which file each value stands in.

Mappings are merged key by key, at any depth; everything else (lists, text, null) replaces what the base has. A key set
to null takes the base's value away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from steelyard.api import FormatTools, JsonValue, Node
from steelyard.errors import BenchmarkError

from ..other_files import report_unusable

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A benchmark file together with everything that it extends."""

    node: Node
    """The merged document; its positions point into the file that each value comes from."""
    folder: Callable[[KeyPath], Path]
    """The folder of the file that a value comes from: a relative path in it starts there."""


def read_source(document: Node, path: Path, tools: FormatTools, chain: tuple[Path, ...] = ()) -> Source | None:
    """Put a file on top of what it extends; ``None`` after reporting that the base cannot be used."""
    own = Source(node=document, folder=lambda _path: path.parent)
    if not isinstance(document.value, Mapping) or document.get("extends") is None:
        return own
    name = document.text("extends", allow_empty=False)
    if name is None:
        return None
    base = _read_base(document, path.parent / name, tools, (*chain, path.resolve()))
    return None if base is None else _stacked(own, base)


def _read_base(document: Node, path: Path, tools: FormatTools, chain: tuple[Path, ...]) -> Source | None:
    if path.resolve() in chain:
        names = [file.name for file in chain[chain.index(path.resolve()) :]] + [path.name]
        document.error(f"files extend each other in a circle: {' → '.join(names)}", key="extends")
        return None
    try:
        base = tools.document(path, document.report)
    except BenchmarkError as error:
        report_unusable(document.child("extends"), error)
        return None
    return read_source(base, path, tools, chain) if base.is_mapping() else None


def _stacked(own: Source, base: Source) -> Source:
    def owner(path: KeyPath) -> Source:
        return own if _is_own(path, own.node.value, base.node.value) else base

    merged = Node(_merged(base.node.value, own.node.value), (), _Stacked(owner), own.node.report)
    return Source(node=merged, folder=lambda path: owner(path).folder(path))


@dataclass(frozen=True, slots=True)
class _Stacked:
    """Places in several files, each asked for what comes from it."""

    owner: Callable[[KeyPath], Source]

    def __call__(self, path: KeyPath, at_key: bool) -> str:
        return self.owner(path).node.locate(path, at_key)

    def written(self, path: KeyPath) -> str | None:
        node = self.owner(path).node
        return Node(None, path, node.locate, node.report).written()


def _merged(base: JsonValue, own: JsonValue) -> JsonValue:
    if not (isinstance(base, Mapping) and isinstance(own, Mapping)):
        return own
    result = dict(base)
    for key, value in own.items():
        result[key] = _merged(base[key], value) if key in base else value
    return result


def _is_own(path: KeyPath, own: JsonValue, base: JsonValue) -> bool:
    for part in path:
        if not isinstance(own, Mapping) or not isinstance(base, Mapping):
            return True
        if part not in own:
            return part not in base
        if part not in base:
            return True
        own, base = own[str(part)], base[str(part)]
    return True
