"""The variables that a ``.env`` file adds to the environment.

Read by code of our own: ``$`` stands for itself, since keys and passwords hold it, and what the file says is only ever
added to a mapping, never to the process. Messages name lines and never what stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from .document import unreadable
from .encoding import LONGEST_MARK, encoding_of

FILE_NAME = ".env"

_ENTRY = re.compile(
    r"""
    (?:export[^\S\n]+)? (?P<name>[A-Za-z_][\w.-]*) [^\S\n]* =
    (?: [^\S\n]* '(?P<single>[^']*)' [^\S\n]* (?:\#[^\n]*)? (?=\n|\Z)
      | [^\S\n]* "(?P<double>(?:[^"\\]|\\.)*)" [^\S\n]* (?:\#[^\n]*)? (?=\n|\Z)
      | (?P<plain>(?![^\S\n]*['"])[^\n]*)
    )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_SKIPPED = re.compile(r"\s*(?:#[^\n]*\s*)*")
_COMMENT = re.compile(r"\s\#.*", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "\\": "\\", "$": "$"}

Warn = Callable[[str], None]


def nearest_dotenv(folder: Path, warn: Warn) -> tuple[Path, dict[str, str]] | None:
    """Return the ``.env`` of a folder, or of its nearest parent that has one, and the variables in it.

    ``None`` when there is none, or when it is not UTF-8; then ``warn`` has been told.
    """
    for candidate in (folder, *folder.parents):
        path = candidate / FILE_NAME
        if path.is_dir() or not path.exists():
            continue
        try:
            data = path.read_bytes()
        except OSError as error:
            warn(f"{unreadable(path, error)}; its variables are not set")
            return None
        text = _text(data)
        if text is None:
            warn(f"{path}: is not UTF-8, so it is ignored; save it as UTF-8")
            return None
        return path, variables_of(text, str(path), warn)
    return None


def variables_of(text: str, name: str, warn: Warn) -> dict[str, str]:
    """Return the variables of a ``.env`` text, the last one of a name. ``warn`` is told of lines that are none."""
    found: dict[str, str] = {}
    for line, entry in _entries(text.replace("\r\n", "\n")):
        if entry is None:
            warn(f"{name}:{line}: is not NAME=VALUE, so it is ignored; quote a value that holds quotes")
        elif "\0" in entry[1]:
            warn(f"{name}:{line}: holds a NUL character, so it is ignored")
        else:
            found[entry[0]] = entry[1]
    return found


def _entries(text: str) -> Iterator[tuple[int, tuple[str, str] | None]]:
    position = _after_blank(text, 0)
    while position < len(text):
        line = text.count("\n", 0, position) + 1
        match = _ENTRY.match(text, position)
        if match is None:
            end = text.find("\n", position)
            yield line, None
            position = len(text) if end < 0 else end
        else:
            yield line, (match["name"], _value(match))
            position = match.end()
        position = _after_blank(text, position)


def _value(match: re.Match[str]) -> str:
    if match["single"] is not None:
        return match["single"]
    if match["double"] is not None:
        return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[0]), match["double"])
    return _COMMENT.sub("", match["plain"]).strip()


def _after_blank(text: str, position: int) -> int:
    match = _SKIPPED.match(text, position)
    return match.end() if match else position


def _text(data: bytes) -> str | None:
    encoding, mark = encoding_of(data[:LONGEST_MARK])
    if encoding != "utf-8":
        return None
    try:
        return data[mark:].decode("utf-8")
    except UnicodeDecodeError:
        return None
