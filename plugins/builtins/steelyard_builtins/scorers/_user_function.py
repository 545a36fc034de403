"""A function that a benchmark names, in a file beside it or in an installed module.

Finding out whether there is such a function reads the file and runs nothing of it; calling it does.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from steelyard.errors import ScorerError, UsageError

from ._modules import found, may_have, names_in

_IMPORTING = threading.RLock()


class UserFunction:
    """A function by its name, loaded when it is first called.

    Args:
        reference: ``checks.py:name``, the file relative to ``base_dir``, or ``package.module:name``.
        base_dir: The folder of the benchmark; modules beside it can be imported too.
        note_file: Hears of the file.

    Raises ``UsageError`` when there can be no such function.
    """

    def __init__(self, reference: str, base_dir: Path, note_file: Callable[[Path], None]) -> None:
        home, colon, self._name = reference.rpartition(":")
        if not colon or not home or not self._name.isidentifier():
            raise UsageError(f"python: 'function' must be FILE.py:NAME or MODULE:NAME, got {reference!r}")
        self._reference = reference
        self._base_dir = base_dir
        self._file = base_dir / home if home.endswith(".py") else None
        self._module = home
        self._loaded: Callable[..., Any] | None = None
        if self._file is not None:
            note_file(self._file)
            self._look_into(self._file)
        elif not all(part.isidentifier() for part in home.split(".")):
            raise UsageError(f"python: {home!r} is neither a file ending in .py nor a module")
        else:
            self._look_for_module()

    def load(self) -> Callable[..., Any]:
        """Return the function. Raises ``ScorerError`` when its module cannot be loaded or does not have it."""
        if self._loaded is None:
            try:
                with _importing_from(self._base_dir):
                    module = self._file_module(self._file) if self._file else importlib.import_module(self._module)
            except (Exception, SystemExit) as error:  # the user's code: anything may come of it
                raise ScorerError(f"{self._reference!r} cannot be loaded: {type(error).__name__}: {error}") from error
            function = getattr(module, self._name, None)
            if not callable(function):
                raise ScorerError(f"{self._module!r} has no function {self._name!r}")
            self._loaded = function
        return self._loaded

    def _look_into(self, path: Path) -> None:
        try:
            tree = ast.parse(path.read_bytes(), filename=str(path))
        except OSError as error:
            raise UsageError(f"python: {str(path)!r} cannot be read: {error.strerror}") from error
        except (SyntaxError, ValueError, RecursionError) as error:
            line = f" line {error.lineno}:" if isinstance(error, SyntaxError) else ""
            raise UsageError(f"python: {str(path)!r} is no Python file:{line} {error.args[0]}") from error
        names = set(names_in(tree))
        if self._name not in names and "*" not in names:
            raise UsageError(f"python: {str(path)!r} has no function {self._name!r}")

    def _look_for_module(self) -> None:
        with _importing_from(self._base_dir):
            spec = found(self._module)
        if spec is None:
            raise UsageError(f"python: there is no module {self._module!r}, neither installed nor beside the benchmark")
        if not may_have(self._module, spec, self._name):
            raise UsageError(f"python: {self._module!r} has no function {self._name!r}")

    @staticmethod
    def _file_module(path: Path) -> ModuleType:
        # Named by what it holds, so that scorers share one module and an edited file is a new one.
        digest = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape") + path.read_bytes())
        name = f"_steelyard_scorer_{path.stem}_{digest.hexdigest()[:16]}"
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, path)
            if spec is None or spec.loader is None:
                raise ImportError(f"{str(path)!r} cannot be imported")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            try:
                spec.loader.exec_module(module)
            except BaseException:
                del sys.modules[name]
                raise
        return sys.modules[name]


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Let modules beside the benchmark be imported, one import at a time."""
    entry = str(folder.resolve())
    with _IMPORTING:
        sys.path.insert(0, entry)
        try:
            yield
        finally:
            sys.path.remove(entry)
