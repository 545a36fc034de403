"""Reporters that write one file once the run is over, and where it goes.

That is the file that ``-o`` names, standard output for ``-``, or a file beside the record where none is named.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from steelyard.api import CaseResult, PluginContext, RunPlan, RunRecord
from steelyard.errors import UsageError
from steelyard.records import write_file

STANDARD_OUTPUT = Path("-")
"""What stands for standard output, in whichever folder it seems to be."""


class FileReporter:
    """Writes a file from the finished record."""

    def __init__(self, path: Path | None, suffix: str, chunks: Callable[[RunRecord], Iterable[bytes]]) -> None:
        self._path = path
        self._suffix = suffix
        """Of the file beside the record, where no other is named."""
        self._chunks = chunks

    def run_started(self, plan: RunPlan) -> None:
        """Learn where the record will be, if anywhere."""
        if self._path is None and plan.record_path is not None:
            self._path = plan.record_path.with_suffix(self._suffix)

    def case_finished(self, result: CaseResult) -> None:
        """Wait for the record, which has every case."""

    def run_finished(self, record: RunRecord) -> None:
        """Write the file."""
        if self._path is not None:
            write_report(self._path, self._chunks(record))


def checked_output(context: PluginContext) -> Path | None:
    """Return the file that the user asked for, if any, after making sure that it can be written.

    Raises ``UsageError`` otherwise: before the first call, not after the last.
    """
    path = context.output
    if path is None or path.name == STANDARD_OUTPUT.name:
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
    if path.name != STANDARD_OUTPUT.name:
        write_file(path, chunks)
        return
    # A reader that leaves early (``| head``) has what it wants; flushing tells the stream that nobody reads any more.
    with contextlib.suppress(BrokenPipeError):
        _print(chunks)
    sys.stdout.flush()


def _print(chunks: Iterable[bytes]) -> None:
    for chunk in chunks:
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:  # a notebook, or a test
            sys.stdout.write(chunk.decode())
        else:
            sys.stdout.flush()
            buffer.write(chunk)
