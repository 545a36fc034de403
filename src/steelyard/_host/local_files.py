"""Plugins that are files beside a benchmark rather than installed packages.

A file is a plugin like any other: it marks its hooks, is asked, blamed by its path, and can be blocked by its name.
Whether the files of a folder may be run at all is decided by the caller: they are foreign code.
"""

from __future__ import annotations

import hashlib
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

from ..errors import Origin
from .entries import Entry, loaded


def file_entry(path: Path) -> Entry:
    """Return the plugin that a ``.py`` file is, not yet imported. Its distribution is the path, as given."""
    origin = Origin(plugin=path.stem, distribution=str(path), version="")
    return Entry(origin=origin, value=str(path), load=partial(_run, path))


def files_in(folder: Path) -> tuple[Path, ...]:
    """Return the plugin files of a folder, sorted; those whose names start with ``_`` or ``.`` are not plugins."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path for path in folder.glob("*.py") if path.is_file() and path.name[0] not in "_."))


def load_file(path: Path) -> tuple[Origin, ModuleType]:
    """Import one file. Raises ``PluginError``, naming the path, when that fails."""
    entry = file_entry(path)
    module = loaded(entry)
    assert isinstance(module, ModuleType)  # noqa: S101 - _run returns nothing else
    return entry.origin, module


def _run(path: Path) -> ModuleType:
    """Run a file as a module of its own.

    Not by the import system: that would write ``__pycache__`` into the user's folder, and take stale code from it when
    a file is saved twice within a second.
    """
    full = path.resolve()
    name = f"_steelyard_local_{hashlib.sha256(str(full).encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = str(full)
    code = compile(full.read_bytes(), str(path), "exec", dont_inherit=True)
    # Dataclasses look their annotations up in sys.modules, during the run and later.
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)  # noqa: S102 - a plugin is code that the user has chosen to run
    except BaseException:
        del sys.modules[name]
        raise
    return module
