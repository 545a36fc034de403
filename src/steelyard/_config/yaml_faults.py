"""What a parser's complaint about a YAML text means to the person who wrote the text, and where the fault is.

libyaml and PyYAML's own parser word it differently, in terms of their grammar, and point at where they gave up: for a
quote that is never closed, that is the end of the file.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

_KEY_BEFORE = re.compile(r"[^\s:].*?:\s")
_ONLY_LAYOUT = re.compile(r"[\s-]*")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_QUOTE = "quote the value"


class Explained(NamedTuple):
    """A fault in words, and the parser's mark of where it is; ``None`` for the top of the text."""

    message: str
    hint: str
    mark: Any


def explained(error: yaml.YAMLError, text: str) -> Explained:
    """Say what is wrong and what to do about it; in the parser's own words where no better ones are known."""
    began, mark = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    context, said = str(getattr(error, "context", "") or ""), str(getattr(error, "problem", "") or "")
    at = mark or began
    if at is None:
        return Explained(said or context or str(error).splitlines()[0], "", None)
    line = _line(text, at.line)
    before, found = line[: at.column], line[at.column : at.column + 1]
    if "scanning" in context:
        return _in_a_token(context, said, found, began or at, at)
    if said.startswith("mapping values are not allowed"):
        if _KEY_BEFORE.match(before.lstrip(" -")):
            return Explained("a value that is not quoted holds ': '", _QUOTE, at)
        return Explained("is indented further than what it belongs to", "align it with its neighbours", at)
    return _in_a_collection(context, said, before, began, at)


def _in_a_token(context: str, said: str, found: str, began: Any, at: Any) -> Explained:
    if "quoted scalar" in context and ("end of stream" in said or "document indicator" in said):
        return Explained("this quote is never closed", "close it, or quote the other way round", began)
    if "could not find expected ':'" in said:
        return Explained("a line without ': '", "write KEY: VALUE, or indent it where it goes on with a text", began)
    if "cannot start any token" not in said:
        return Explained(said, "", at)
    if found == "\t":
        return Explained("a tab where a value or a key begins", "indent with spaces, not tabs", at)
    return Explained(f"a value cannot begin with {found!r}", _QUOTE, at)


def _in_a_collection(context: str, said: str, before: str, began: Any, at: Any) -> Explained:
    if "parsing a block" in context and ("did not find expected" in said or "expected <block end>" in said):
        if "block node" in context:  # a value that begins with a closing bracket
            return Explained(said, _QUOTE, at)
        kind = "mapping" if "mapping" in context else "list"
        if _ONLY_LAYOUT.fullmatch(before):
            hint = f"align it with the {kind} that begins in line {began.line + 1}" if began else "align it"
            return Explained("is indented unlike its neighbours", hint, at)
        opened_above = before.count('"') % 2 or before.count("'") % 2
        hint = "a quote above may not be closed" if opened_above else "quote the whole value"
        return Explained("the value ended before this", hint, at)
    if "parsing a flow" in context and "expected ','" in said:
        kind, end = ("list", "]") if "sequence" in context else ("mapping", "}")
        since = f" that begins in line {began.line + 1}" if began else ""
        return Explained(f"expected ',' or '{end}' in the {kind}{since}", "close it, or quote the value", at)
    return Explained(said or context, "", at)


def _line(text: str, number: int) -> str:
    lines = _BREAK.split(text)
    return lines[number] if number < len(lines) else ""
