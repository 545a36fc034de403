"""Which text the bytes of a file hold.

UTF-8 with or without a byte-order mark, and UTF-16 and UTF-32 with one. Nothing is guessed: text read in the wrong
encoding would go to a model as if the user had written it.
"""

from __future__ import annotations

import codecs

from ..errors import BenchmarkError, Problem

# UTF-32 first: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

LONGEST_MARK = 4
"""How many bytes :func:`encoding_of` wants to see."""


def encoding_of(head: bytes) -> tuple[str, int]:
    """Return the encoding that the first bytes of a file announce, and how many of them are the mark."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    return "utf-8", 0


def text_of(data: bytes, name: str) -> str:
    """Decode a file. Raises ``BenchmarkError`` with the line and column of the first byte that is wrong."""
    encoding, length = encoding_of(data)
    try:
        return data[length:].decode(encoding)
    except UnicodeDecodeError as error:
        lines = data[length : length + error.start].decode(encoding).split("\n")
        raise BenchmarkError([not_decodable(error, name, len(lines), column=len(lines[-1]) + 1)]) from error


def not_decodable(error: UnicodeDecodeError, name: str, line: int, column: int | None = None) -> Problem:
    """Return the problem that bytes are not the text they should be; without a column when that is not known."""
    if error.encoding.replace("_", "-").startswith("utf-8"):
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
    else:
        what = f"is not the {error.encoding.upper()} that its byte-order mark announces"
    place = f"{name}:{line}" if column is None else f"{name}:{line}:{column}"
    return Problem(message=what, hint="save the file as UTF-8", place=place)
