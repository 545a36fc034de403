"""Where a report goes: the file that ``-o`` names, standard output for ``-``, or a file beside the record."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from steelyard.api import PluginContext
from steelyard.errors import UsageError
from steelyard.records import write_file

STANDARD_OUTPUT = Path("-")


def checked_output(context: PluginContext) -> Path | None:
    """Return the file that the user asked for, if any, after making sure that it can be written.

    Raises ``UsageError`` otherwise: before the first call, not after the last.
    """
    path = context.output
    if path is None or path == STANDARD_OUTPUT:
        return path
    if path.is_dir():
        raise UsageError(f"-o {path}: is a folder; name a file in it")
    if path.exists():
        if not os.access(path, os.W_OK):
            raise UsageError(f"-o {path}: may not be written to; name another file")
        return path
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise UsageError(f"-o {path}: {folder} is a file, not a folder; name another file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"-o {path}: the folder {folder} may not be written to; name another file")
    return path


def write_report(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a report, whole or not at all; ``-`` is standard output."""
    if path != STANDARD_OUTPUT:
        write_file(path, chunks)
        return
    for chunk in chunks:
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:  # a notebook, or a test
            sys.stdout.write(chunk.decode())
        else:
            sys.stdout.flush()
            buffer.write(chunk)
    sys.stdout.flush()
