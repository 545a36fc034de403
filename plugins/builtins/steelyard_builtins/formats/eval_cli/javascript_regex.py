r"""A JavaScript regular expression, in Python's spelling, where the two differ in what they match.

``$`` is the very end (Python's also stands before a last line break), ``\d`` and ``\w`` are ASCII, a named group is
``(?<name>…)``, ``[^]`` is any character and ``\u{1F600}`` a character by its number.
"""

from __future__ import annotations

import re

_INLINE = frozenset("ms")
_SILENT = frozenset("dgiuvy")
"""Flags that say nothing about whether a text matches, and ``i``, which is an option of its own."""
_ASCII = {"d": "0-9", "w": "A-Za-z0-9_"}

_OUTSIDE = re.compile(
    r"""
      \\u\{(?P<code>[0-9A-Fa-f]{1,6})\}
    | \\k<(?P<back>\w+)>
    | \\(?P<escape>.)
    | \(\?<(?P<group>[A-Za-z_]\w*)>
    | (?P<any>\[\^\])
    | (?P<none>\[\])
    | (?P<open>\[\^?)
    | (?P<end>\$)
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(r"\\u\{(?P<code>[0-9A-Fa-f]{1,6})\}|\\(?P<escape>.)|(?P<close>\])|(?P<bracket>\[)|.", re.DOTALL)


def unknown_flags(flags: str) -> str:
    """Return the flags that JavaScript does not have."""
    return "".join(flag for flag in flags if flag not in _INLINE | _SILENT)


def pythonic(pattern: str, flags: str = "") -> str:
    """Return the pattern as Python reads it, flags other than ``i`` included."""
    inline = "".join(flag for flag in "ms" if flag in flags)
    pieces = [f"(?{inline})"] if inline else []
    position, inside = 0, False
    while position < len(pattern):
        found = (_INSIDE if inside else _OUTSIDE).match(pattern, position)
        if found is None:
            break
        position = found.end()
        pieces.append(_piece(found, inside=inside, multiline="m" in flags))
        inside = found.lastgroup == "open" or (inside and found.lastgroup != "close")
    return "".join(pieces)


def _piece(found: re.Match[str], *, inside: bool, multiline: bool) -> str:
    kind = found.lastgroup
    if kind == "code":
        return f"\\U{int(found['code'], 16):08x}"
    if kind == "escape":
        return _escaped(found["escape"], found.group(), inside=inside)
    if kind == "back":
        return f"(?P={found['back']})"
    if kind == "group":
        return f"(?P<{found['group']}>"
    if kind == "end" and multiline:
        return "$"
    return {"any": r"[\s\S]", "none": "(?!)", "bracket": r"\[", "end": r"\Z"}.get(kind or "", found.group())


def _escaped(letter: str, text: str, *, inside: bool) -> str:
    if letter in _ASCII:
        return _ASCII[letter] if inside else f"[{_ASCII[letter]}]"
    return letter if letter == "/" else text
