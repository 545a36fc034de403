"""How to open the one SQLite file that several processes share, and what to do when it is no such file.

Whatever is wrong with a cache, the run goes on: a damaged file is moved aside under a name that says so and an empty
one takes its place; a file that belongs to somebody else is left alone and reported.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from ._file_lock import file_lock

BUSY_S = 5.0
"""How long one process waits for another one that is writing."""

APPLICATION_ID = 0x53544C59  # "STLY", in the header of the file: tells our database from anybody else's
VERSION = 1

_CREATE = "CREATE TABLE entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, stored_at REAL NOT NULL)"
_PRIMARY_CODE = 0xFF
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file itself is broken, as opposed to busy, full or forbidden."""
    return _code(error) in _DAMAGED


def unusable(path: Path, error: sqlite3.Error) -> OSError:
    """Return the error that tells the user why the cache cannot be used."""
    return OSError(f"{path}: {error}")


def open_database(path: Path, warn: Callable[[str], None]) -> sqlite3.Connection:
    """Open the database, creating it and its folder when there is none.

    The connection commits by itself and may be handed from thread to thread.

    Raises ``OSError`` when there is no way to use it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        try:
            return _open(path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        _move_away(path, warn)
        return _open(path)


def open_to_look(path: Path) -> sqlite3.Connection:
    """Open an existing database without being able to change it. Raises ``sqlite3.Error`` or ``OSError``."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S)
    try:
        _refuse_strangers(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open an existing database that this process must not write, in a folder in which it can make no file.

    Raises ``OSError`` when there is no way to use it.
    """
    # Without "immutable" SQLite wants to make its log's side file, which is what cannot be done here.
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_S, check_same_thread=False)
        try:
            _refuse_strangers(connection, path)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise unusable(path, error) from error
    return connection


def is_write_refused(error: OSError) -> bool:
    """Whether an error says that this process must not write where the database is."""
    return error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)


def set_aside(path: Path, warn: Callable[[str], None]) -> None:
    """Move a damaged database out of the way, unless another process has done so already.

    Raises ``OSError`` when it cannot be moved.
    """
    with _alone(path):
        if not _is_sound(path):
            _move_away(path, warn)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes from opening or moving the database meanwhile; raise ``OSError`` for what goes wrong."""
    with file_lock(path.with_name(f"{path.name}.lock"), BUSY_S):
        try:
            yield
        except sqlite3.Error as error:
            raise unusable(path, error) from error


def _move_away(path: Path, warn: Callable[[str], None]) -> None:
    kept = _free_name(path)
    # The log must go with its file: SQLite would play it into the next database of the same name.
    for suffix in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(kept.with_name(kept.name + suffix))
    warn(f"{path}: the cache is damaged; moved it to {kept.name} and started an empty one")


def _open(path: Path) -> sqlite3.Connection:
    # Created here, so that replies can be read by their owner only; SQLite gives its side files the same mode.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        if _is_new(connection):
            _create(connection)
        _refuse_strangers(connection, path)
        # A power cut may cost the last replies, a killed process costs none; a file that is whole stays whole.
        connection.execute("PRAGMA synchronous = NORMAL")
        # Moving the log into the file takes milliseconds, in which the event loop stands still: do it more seldom.
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # In one step: a process that is killed in between must not leave a database that looks like a stranger's.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_CREATE)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _is_new(connection: sqlite3.Connection) -> bool:
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(objects == 0 and _pragma(connection, "application_id") == 0)


def _refuse_strangers(connection: sqlite3.Connection, path: Path) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise OSError(f"{path}: is another program's database; move it away or name another file")
    if _pragma(connection, "user_version") != VERSION:
        raise OSError(f"{path}: was written by another version of steelyard; move it away or name another file")


def _is_sound(path: Path) -> bool:
    if not path.exists():
        return True
    connection = sqlite3.connect(path, timeout=BUSY_S)
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise
    finally:
        connection.close()


def _free_name(path: Path) -> Path:
    stem = f"{path.name}.damaged-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    number = 1
    while (name := path.with_name(stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return name


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & _PRIMARY_CODE
