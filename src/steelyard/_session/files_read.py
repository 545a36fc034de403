"""Which files a session has read for its benchmarks: what its runs depend on, wherever it lies."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path


class FilesRead:
    """Keeps account of them, and of the folders that were searched by a pattern."""

    def __init__(self) -> None:
        self._states: dict[Path, object] = {}

    def note(self, path: Path) -> None:
        """Take in that a file is about to be read, or a folder searched."""
        self._states[path.absolute()] = _state_of(path)

    @property
    def paths(self) -> Collection[Path]:
        """All of them so far, absolute."""
        return tuple(self._states)

    def has_changed(self, path: Path) -> bool:
        """Whether a file was saved after it was read last."""
        return _state_of(path) != self._states[path]


def _state_of(path: Path) -> object:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
