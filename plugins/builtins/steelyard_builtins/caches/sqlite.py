"""The SQLite cache: every reply in one file, which several processes may use at once.

A lookup and a store take microseconds, so they run on the event loop itself. Nothing is created before the first reply
is stored.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard import hookimpl
from steelyard.api import Cache, CacheSpec, CacheStats, PluginContext, option

from ._database import (
    is_damage,
    is_write_refused,
    open_database,
    open_read_only,
    open_to_look,
    set_aside,
    unusable,
)

FILE_NAME = "cache.sqlite"

_GET = "SELECT value FROM entries WHERE key = ?"
_GET_MANY = "SELECT key, value FROM entries WHERE key IN ({})"
_MOST_AT_ONCE = 500
"""Fewer than any build of SQLite takes."""
_PUT = "INSERT OR REPLACE INTO entries (key, value, stored_at) VALUES (?, ?, ?)"
_COUNT = "SELECT count(*), coalesce(sum(length(value)), 0) FROM entries"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteSettings:
    """The options of the SQLite cache."""

    path: str | None = option(
        None, doc=f"The file, relative to the directory one runs in; by default {FILE_NAME} in the cache folder."
    )


class SqliteCache:
    """Replies in one SQLite file."""

    def __init__(self, path: Path, context: PluginContext) -> None:
        self._path = path
        self._warn = context.warn
        self._connection: sqlite3.Connection | None = None
        self._mended = False
        self._lock = threading.RLock()

    def get(self, key: str) -> bytes | None:
        """Return what was put under ``key``, or ``None``."""
        with self._lock:
            connection = self._connection or self._open_to_read()
            if connection is None:
                return None
            try:
                row = connection.execute(_GET, (key,)).fetchone()
            except sqlite3.Error as error:
                self._mend(error)
                return None
        return row[0] if row is not None and isinstance(row[0], bytes) else None

    def get_many(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return what was put under these keys; what is absent is left out."""
        found: dict[str, bytes] = {}
        with self._lock:
            connection = self._connection or self._open_to_read()
            if connection is None:
                return found
            for start in range(0, len(keys), _MOST_AT_ONCE):
                part = keys[start : start + _MOST_AT_ONCE]
                try:
                    rows = connection.execute(_GET_MANY.format(", ".join("?" * len(part))), part).fetchall()
                except sqlite3.Error as error:
                    self._mend(error)
                    break
                found.update((key, value) for key, value in rows if isinstance(value, bytes))
        return found

    def put(self, key: str, value: bytes) -> None:
        """Keep ``value``, replacing what was there."""
        entry = (key, value, time.time())
        with self._lock:
            try:
                (self._connection or self._open()).execute(_PUT, entry)
            except sqlite3.Error as error:
                self._mend(error)
                try:
                    self._open().execute(_PUT, entry)
                except sqlite3.Error as again:
                    raise unusable(self._path, again) from again

    def clear(self) -> int:
        """Forget every entry, give the space back, and return how many there were."""
        count = self._delete("DELETE FROM entries", ())
        with self._lock, contextlib.suppress(sqlite3.Error):  # another process at work only delays it
            if self._connection is not None:
                self._connection.execute("VACUUM")
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return count

    def prune(self, older_than_s: float) -> int:
        """Forget the entries put more than so many seconds ago and return how many there were."""
        return self._delete("DELETE FROM entries WHERE stored_at < ?", (time.time() - older_than_s,))

    def stats(self) -> CacheStats:
        """Count the entries and their bytes, without creating or mending anything."""
        entries, size = 0, 0
        if self._path.exists():
            try:
                with contextlib.closing(open_to_look(self._path)) as connection:
                    entries, size = connection.execute(_COUNT).fetchone()
            except sqlite3.Error as error:
                self._warn(f"{self._path}: cannot be read as a cache: {error}; clear the cache to start a new one")
            except OSError as error:
                self._warn(str(error))
        return CacheStats(entries=entries, size_bytes=size, place=str(self._path))

    def close(self) -> None:
        """Close the file. It is opened again when it is needed."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_database(self._path, self._warn)
        return self._connection

    def _open_to_read(self) -> sqlite3.Connection | None:
        """Open what is there; replies that were paid for are of use where nothing can be added to them, too."""
        try:
            return self._open_existing()
        except OSError as error:
            if not is_write_refused(error):
                raise
        self._connection = open_read_only(self._path)
        return self._connection

    def _open_existing(self) -> sqlite3.Connection | None:
        return self._open() if self._path.exists() else None

    def _delete(self, statement: str, values: tuple[float, ...]) -> int:
        with self._lock:
            connection = self._open_existing()
            if connection is None:
                return 0
            try:
                return connection.execute(statement, values).rowcount
            except sqlite3.Error as error:
                self._mend(error)
                return 0

    def _mend(self, error: sqlite3.Error) -> None:
        """Start afresh after damage that shows while the file is in use, once; raise for everything else."""
        if self._mended or not is_damage(error):
            raise unusable(self._path, error) from error
        self._mended = True
        self.close()
        set_aside(self._path, self._warn)


def create(settings: SqliteSettings, context: PluginContext) -> Cache:
    """Make the cache; the file is opened later."""
    path = context.work_dir / settings.path if settings.path else context.cache_dir / FILE_NAME
    return SqliteCache(path, context)


@hookimpl
def steelyard_register_caches() -> Iterable[CacheSpec[SqliteSettings]]:
    """Offer the cache."""
    return [
        CacheSpec(
            name="sqlite",
            summary="Replies in one SQLite file that several processes may use at once",
            settings=SqliteSettings,
            create=create,
            inline=True,
            default=True,
        )
    ]
