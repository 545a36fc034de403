"""Files that appear whole or not at all, whatever ends the process in between."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

from ..errors import SteelyardError

_TEMPORARY = ".steelyard-{}.tmp"
_ABANDONED_S = 3600
"""Nothing takes an hour to write: a temporary file older than that was left behind by a process that was killed."""


def write_file(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file from its parts, replacing what was there; missing folders are made.

    Readers see the old file or the new one, also when the process is killed: then a hidden ``.steelyard-*.tmp`` may
    stay behind, which a later call in the same folder removes. What is no ordinary file (``/dev/stdout``, a pipe) is
    written to directly.

    Raises ``SteelyardError`` with one line when it cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            _write(path, "wb", chunks)
            return
        target = path.resolve()  # a symbolic link stays one
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        _replace(target, chunks)
    except OSError as error:
        raise SteelyardError(f"{path}: cannot be written: {error.strerror or error}") from error


def _replace(target: Path, chunks: Iterable[bytes]) -> None:
    # Not the target's own name with an ending: it may be as long already as a name can be.
    temporary = target.with_name(_TEMPORARY.format(secrets.token_hex(8)))
    try:
        _write(temporary, "xb", chunks)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sweep(folder: Path) -> None:
    oldest = time.time() - _ABANDONED_S
    for left in folder.glob(_TEMPORARY.format("*")):
        try:
            if left.lstat().st_mtime < oldest:
                left.unlink()
        except OSError:
            continue  # somebody else's, or gone already: no reason not to write


def _write(path: Path, mode: str, chunks: Iterable[bytes]) -> None:
    with path.open(mode) as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        if mode == "xb":
            os.fsync(file.fileno())
