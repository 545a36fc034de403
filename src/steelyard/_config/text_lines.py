"""The lines of a text file of any size, one at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import BenchmarkError, Problem
from .document import unreadable
from .encoding import encoding_of, not_decodable

_BUFFER = 1 << 20
_LOOKED_AT = 1 << 16


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    r"""Go through the lines of a file, numbered from 1, each with the line end that it has.

    A line ends at ``\n`` (or ``\r\n``) and nowhere else: the Unicode line separators may stand in texts. Only a file
    without any ``\n`` has lines that end at ``\r``, as old spreadsheets for the Mac wrote them. Raises
    ``BenchmarkError`` when the file cannot be read, or at the line that is no text.
    """
    name = str(path)
    number = 0
    try:
        with path.open("rb", buffering=_BUFFER) as file:
            for number, line in enumerate(_decoded(file), 1):
                if "\0" in line:
                    message = "holds a NUL character"
                    hint = "save it as text in UTF-8"
                    raise BenchmarkError([Problem(message=message, hint=hint, place=f"{name}:{number}")])
                yield number, line
    except UnicodeDecodeError as error:
        raise BenchmarkError([not_decodable(error, name, number + 1)]) from error
    except (OSError, ValueError) as error:
        raise BenchmarkError([unreadable(path, error)]) from error


def without_end(line: str) -> tuple[str, str]:
    """Return a line's text and its line end."""
    text = line[:-1] if line.endswith("\n") else line
    text = text[:-1] if text.endswith("\r") else text
    return text, line[len(text) :]


def _decoded(file: BinaryIO) -> Iterator[str]:
    head = file.read(_LOOKED_AT)
    encoding, mark = encoding_of(head)
    file.seek(mark)
    if encoding == "utf-8" and (b"\n" in head or b"\r" not in head):
        for line in file:  # each by itself, so that a fault is found at its own line
            yield line.decode("utf-8")
        return
    looked_at = head.decode(encoding, "ignore")
    newline = "\r" if "\r" in looked_at and "\n" not in looked_at else "\n"
    with io.TextIOWrapper(file, encoding, newline=newline) as text:
        yield from text
