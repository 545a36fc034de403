"""The files cache: one file a reply, which people and other tools can read, copy and delete.

A reply is written to a file beside its place and then renamed, so a file is whole or not there, also when the process
is killed. The files lie in 256 folders by the first two digits of their keys, which keeps each folder small.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from steelyard import hookimpl
from steelyard.api import Cache, CacheSpec, CacheStats, PluginContext, option

FOLDER_NAME = "replies"
ENDING = ".json"
UNFINISHED = ".part"

_FOLDERS = "[0-9a-f]" * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSettings:
    """The options of the files cache."""

    path: str | None = option(
        None, doc=f"The folder, relative to the directory one runs in; by default {FOLDER_NAME} in the cache folder."
    )


class FilesCache:
    """Replies in one file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> bytes | None:
        """Return what was put under ``key``, or ``None``."""
        path = self._path(key)
        try:
            # An empty file is what a power cut leaves of a new one.
            return path.read_bytes() or None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            if path.is_dir():
                return None
            raise

    def put(self, key: str, value: bytes) -> None:
        """Keep ``value``, replacing what was there."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=key, suffix=UNFINISHED, dir=path.parent)  # mode 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(value)
            self._rename(Path(name), path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise

    def clear(self) -> int:
        """Forget every entry and return how many there were."""
        count = sum(_remove(path) for path in self._files(ENDING))
        for path in self._files(UNFINISHED):
            _remove(path)
        for folder in self._folder.glob(_FOLDERS):
            with contextlib.suppress(OSError):
                folder.rmdir()
        return count

    def prune(self, older_than_s: float) -> int:
        """Forget the entries put more than so many seconds ago and return how many there were."""
        limit = time.time() - older_than_s
        return sum(_remove(path) for path in self._files(ENDING) if _stored_at(path) < limit)

    def stats(self) -> CacheStats:
        """Count the files and their bytes."""
        sizes = []
        for path in self._files(ENDING):
            with contextlib.suppress(FileNotFoundError):  # another process was quicker
                sizes.append(path.stat().st_size)
        return CacheStats(entries=len(sizes), size_bytes=sum(sizes), place=str(self._folder))

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}{ENDING}"

    def _files(self, ending: str) -> Iterator[Path]:
        return (path for path in self._folder.glob(f"{_FOLDERS}/*{ending}") if path.is_file())

    @staticmethod
    def _rename(source: Path, target: Path) -> None:
        try:
            source.replace(target)
        except OSError:
            if not target.is_dir():
                raise
            shutil.rmtree(target)  # somebody's accident in the place of an entry, which may be fetched again
            source.replace(target)


def create(settings: FilesSettings, context: PluginContext) -> Cache:
    """Make the cache; the folder is created with the first entry."""
    return FilesCache(context.work_dir / settings.path if settings.path else context.cache_dir / FOLDER_NAME)


@hookimpl
def steelyard_register_caches() -> Iterable[CacheSpec[FilesSettings]]:
    """Offer the cache."""
    return [CacheSpec(name="files", summary="Replies in one JSON file each", settings=FilesSettings, create=create)]


def _remove(path: Path) -> int:
    try:
        path.unlink()
    except FileNotFoundError:  # another process was quicker
        return 0
    return 1


def _stored_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return math.inf
