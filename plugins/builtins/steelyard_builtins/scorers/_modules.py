"""Finding an installed module and what it binds, without running anything of it."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

_ANY_NAME = frozenset({"*", "__getattr__"})
_BINDS_BY_TEXT = frozenset({"globals", "setattr", "vars"})
"""What a module may bind names with that stand nowhere in it."""


def found(module: str) -> ModuleSpec | None:
    """Return where a module is; ``None`` when there is none. Its packages are not imported for that."""
    known = _loaded(module)  # os.path is part of no package
    if known is not None:
        return known
    importlib.invalidate_caches()
    name, path, spec = "", None, None
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = _asked(name, path)
        if spec is None:
            return None
        path = None if spec.submodule_search_locations is None else list(spec.submodule_search_locations)
        if path is None and name != module:
            return None
    return spec


def may_have(module: str, spec: ModuleSpec, name: str) -> bool:
    """Whether a module may bind a name; yes where only running it would tell."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        return callable(getattr(loaded, name, None))
    if not (spec.has_location and spec.origin and spec.origin.endswith(".py")):
        return True
    try:
        tree = ast.parse(Path(spec.origin).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return True
    names = set(names_in(tree))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return name in names or bool(names & _ANY_NAME) or bool(used & _BINDS_BY_TEXT)


def names_in(tree: ast.Module) -> Iterator[str]:
    """Go through the names that a file binds anywhere, ``*`` for a star import: what is not there cannot be called."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def _asked(name: str, path: list[str] | None) -> ModuleSpec | None:
    known = _loaded(name)
    if known is not None:
        return known
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path) if hasattr(finder, "find_spec") else None
        if spec is not None:
            return spec
    return None


def _loaded(name: str) -> ModuleSpec | None:
    known = getattr(sys.modules.get(name), "__spec__", None)
    return known if isinstance(known, ModuleSpec) else None
