"""Texts on their way out: what can be sent, and numbers that say what was decided."""

from __future__ import annotations


def sendable(text: str) -> str:
    """Return a text that UTF-8 can carry: half of a surrogate pair becomes ``?``."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text
