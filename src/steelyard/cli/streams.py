"""Standard output and error that never end a run: whatever the console can show, and however long the reader stays."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path

_READER_LEFT = (errno.EPIPE, errno.EINVAL) if os.name == "nt" else (errno.EPIPE,)
"""What writing to a pipe fails with once nobody reads it."""


_CALLED = {1: "standard output", 2: "standard error"}


def prepare() -> None:
    """Replace what the console cannot show, and let a reader that leaves early (``| head``) cost the run nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the descriptor is closed (``>&-``, or a program without a console)
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
            continue
        # Another object when the program runs inside another one, such as a test.
        if stream is not getattr(sys, f"__{name}__") or not isinstance(stream, io.TextIOWrapper):
            continue
        stream.reconfigure(errors="replace")
        if not stream.isatty():
            # The old object stays where it is, in sys.__stdout__, or it would close the descriptor when it goes.
            setattr(sys, name, _outlasting(stream))


def color_wanted(environ: Mapping[str, str]) -> bool | None:
    """Whether to colour: ``None`` leaves it to whether the stream is a terminal. ``NO_COLOR`` wins."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return False if environ.get("TERM") == "dumb" else None


def flush() -> OSError | None:
    """Write out what is buffered; return why it could not be, if so (the disk is full)."""
    failure = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            failure = error
    return failure


class _Outlasting(io.TextIOWrapper):
    """A stream that drops what is written once its reader has left.

    At this level and not below: an interrupt between a write to the descriptor and the word that it succeeded would
    have the buffer write the same again.
    """

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        # The descriptor itself, so that what is still buffered and what is flushed at the end of the process go there.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        if error.errno not in _READER_LEFT:
            raise OSError(error.errno, error.strerror, _CALLED.get(self.fileno(), "output")) from error


def _outlasting(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    stream.flush()
    return _Outlasting(
        stream.buffer,
        encoding=stream.encoding,
        errors="replace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
