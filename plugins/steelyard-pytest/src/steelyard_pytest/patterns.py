"""Which files are benchmarks: those that a pattern names, and no others, since to run one may cost money."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path


def is_named(path: Path, patterns: Iterable[str], root: Path) -> bool:
    """Return whether a pattern names a file.

    Args:
        path: The file, absolute.
        patterns: A pattern without ``/`` is for the name of a file in any folder. Any other is for the whole path from
            ``root``, where ``**`` stands for any number of folders.
        root: The folder that patterns start from.
    """
    parts = path.relative_to(root).parts if path.is_relative_to(root) else ()
    return any(
        _matches(parts, pattern.split("/")) if "/" in pattern else fnmatchcase(path.name, pattern)
        for pattern in patterns
    )


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[start:], pattern[1:]) for start in range(len(parts) + 1))
    if pattern[0] == ".":
        return _matches(parts, pattern[1:])
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])
