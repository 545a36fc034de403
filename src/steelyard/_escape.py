"""How to put any text safely into a terminal, a Markdown table, XML or a spreadsheet.

Names, ids, error messages and model output come from files and networks, and each medium has its own traps: escape
sequences drive a terminal, a pipe ends a Markdown cell, one control character makes a JUnit file unreadable, a leading
``=`` is a formula. Pure functions of text, without anything of ours, so that every layer can use them. They are public
as :mod:`steelyard.text`.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")

# C0 and C1 controls, the line and paragraph separators, and what turns the direction of text round or cannot be seen:
# with these a name could hide, reorder or overwrite what stands beside it. Joiners stay, emoji are made of them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_UNPRINTABLE_IN_BLOCK = re.compile(f"(?![\n\t]){_UNPRINTABLE.pattern}")

# What the production Char of XML 1.0 leaves out, surrogates included; also forbidden as a character reference. Listed,
# since a class of all but a few characters takes milliseconds to compile.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

# Always special in a GFM table cell. '_' joins words in ids, where it means nothing; elsewhere it is emphasis.
_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
# Text in which nothing is special, as nearly all of it is: figures, ids, names of models.
_ORDINARY = re.compile(r"(?:[A-Za-z0-9.,:;/%$()=+-]|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])|(?<=\S) (?=\S))*")
_MENTION = re.compile(r"@(?=\w)")

# Excel, LibreOffice and Google Sheets read these as the start of a formula; the wide ones after normalisation.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - the wide forms are meant
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")

ELLIPSIS = "…"


def well_formed(text: str) -> str:
    """Return text that any encoder takes: each lone half of a surrogate pair becomes ``?``."""
    return text if text.isascii() else _SURROGATE.sub("?", text)


def printable(text: str, *, newlines: bool = False) -> str:
    r"""Return text that a terminal shows and does not obey.

    Escape sequences, other control characters and direction marks are written out (``\x1b``, ``\u202e``).

    Args:
        text: Any text.
        newlines: Keep line ends and tabs as they are, for a block of text. Otherwise they are written out too.
    """
    if text.isascii() and text.isprintable():
        return text
    return (_UNPRINTABLE_IN_BLOCK if newlines else _UNPRINTABLE).sub(_written_out, well_formed(text))


def one_line(text: str, limit: int | None = None) -> str:
    """Return text as one printable line: white space becomes single spaces, and the end is cut beyond ``limit``."""
    line = printable(" ".join(text.split()))
    return line if limit is None else shorten(line, limit)


def shorten(text: str, limit: int) -> str:
    """Return at most ``limit`` characters, the last of them ``…`` when something is cut; at least the ``…``."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + ELLIPSIS


def markdown_cell(text: str, limit: int | None = None) -> str:
    """Return text as one cell of a GitHub Markdown table, shown literally.

    Pipes, emphasis, code, links and HTML lose their meaning, line ends become spaces, and ``@name`` notifies nobody.
    Also right inside a heading or a paragraph.
    """
    if _ORDINARY.fullmatch(text) and (limit is None or len(text) <= limit):
        return text
    line = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # A comment parts the sign and the name: with entity or backslash it still mentions, a zero-width space is copied.
    return _MENTION.sub("@<!-- -->", _MARKDOWN.sub(r"\\\g<0>", line))


def xml_text(text: str) -> str:
    """Return text without the characters that no XML 1.0 document may hold; U+FFFD stands for each.

    Not yet escaped: ``&`` and ``<`` are the matter of whatever writes the XML.
    """
    return _NOT_XML.sub("\ufffd", text)


def csv_cell(text: str) -> str:
    """Return text that a spreadsheet shows and does not calculate: what looks like a formula gets a leading ``'``.

    Plain numbers such as ``-5`` stay as they are. Quoting is the matter of the CSV writer.
    """
    clean = well_formed(text).replace("\x00", "\ufffd")
    return f"'{clean}" if clean.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(clean) else clean


def _written_out(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
