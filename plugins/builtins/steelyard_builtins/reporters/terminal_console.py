"""Rich consoles on the standard streams, made for whatever stands behind them.

A terminal gets colour and its own width. A pipe, a file or a CI log gets neither colour nor cursor movement, and as
much width as a table wants. No console ends a run over a character that it does not know.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TextIO, cast

from rich.console import Console

_ANY_WIDTH = 10_000
"""Wider than any table: nothing is cut or folded where nobody reads columns."""

# What the reports themselves use beyond ASCII; anything else that a console lacks becomes '?'.
_PLAINER = {
    ord("⚠"): "!",
    ord("\ufe0f"): " ",  # with its sign two columns wide, as it is where it is known
    ord("—"): "-",
    ord("–"): "-",
    ord("…"): "...",
    ord("·"): "-",
    ord("→"): "->",
}


class LenientStream(io.TextIOBase):
    """A text stream that replaces what its encoding does not have."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream: TextIO = stream if stream is not None else io.StringIO()  # None when the descriptor is closed
        self._encoding = getattr(stream, "encoding", None) or "utf-8"

    @property
    def encoding(self) -> str:  # type: ignore[override]  # read-only here, as in io.TextIOWrapper
        """The encoding of the stream behind."""
        return self._encoding

    def write(self, text: str) -> int:
        """Write what can be written of a text."""
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError:
            text = text.translate(_PLAINER).encode(self._encoding, "replace").decode(self._encoding)
        return self._stream.write(text)

    def flush(self) -> None:
        """Write out what is buffered."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether a terminal stands behind."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor behind; Rich asks it for the size of the terminal."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """Whether it can be written to: always."""
        return True


def console_on(stream: TextIO | None, environ: Mapping[str, str]) -> Console:
    """Return a console that prints literally: no markup, no emoji codes, no highlighting."""
    lenient = LenientStream(stream)
    terminal = lenient.isatty()
    forced = bool(environ.get("FORCE_COLOR"))
    color = not environ.get("NO_COLOR") and (forced or (terminal and environ.get("TERM") != "dumb"))
    return Console(
        file=cast("TextIO", lenient),
        force_terminal=terminal or color,
        force_jupyter=False,
        color_system=("auto" if terminal and not forced else "standard") if color else None,
        no_color=not color,
        width=None if terminal else _ANY_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )


def can_move(stream: TextIO | None, environ: Mapping[str, str]) -> bool:
    """Whether a live display makes sense: a terminal that knows cursor movement."""
    return stream is not None and stream.isatty() and environ.get("TERM") not in ("dumb", "unknown")
