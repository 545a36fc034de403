"""Docstrings as Markdown: code, roles, indented blocks, ``Args:`` lists and simple tables."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator

from .markup import block, code, table

_ROLE = re.compile(r":\w+:`(?P<short>~)?(?P<target>[^`]+)`")
_LITERAL = re.compile(r"``(.+?)``", re.S)
_SECTION = re.compile(r"(Args|Raises|Returns|Yields):")
_ENTRY = re.compile(r"(?P<name>\*{0,2}\w+): (?P<text>.*)", re.S)
_RULE = re.compile(r"=+( +=+)+ *")


def inline(text: str) -> str:
    """Return a text of one paragraph."""
    text = _ROLE.sub(lambda found: f"``{_shown_name(found)}``", text)
    return _LITERAL.sub(lambda found: code(found[1].strip()), text)


def one_line(doc: str | None) -> str:
    """Return a short docstring for the cell of a table."""
    return " ".join(inline(inspect.cleandoc(doc or "")).split())


def prose(doc: str | None) -> str:
    """Return a whole docstring."""
    return "\n\n".join(_parts(inspect.cleandoc(doc or "").splitlines()))


def _shown_name(found: re.Match[str]) -> str:
    target = found["target"]
    return target.rpartition(".")[2] if found["short"] else target


def _parts(lines: list[str]) -> Iterator[str]:
    waiting: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.endswith("::"):
            body, at = _indented(lines, at)
            waiting += [line[:-1]] if line != "::" else []
            yield from _paragraph(waiting)
            yield block(_language(body), body)
        elif _SECTION.fullmatch(line):
            body, at = _indented(lines, at)
            yield from _paragraph(waiting)
            yield from _section(line, body)
        elif _RULE.fullmatch(line):
            start, at = at - 1, _end_of_table(lines, at)
            yield from _paragraph(waiting)
            yield _simple_table(lines[start:at])
        elif line.strip():
            waiting.append(line)
            continue
        else:
            yield from _paragraph(waiting)
        waiting = []
    yield from _paragraph(waiting)


def _paragraph(lines: list[str]) -> Iterator[str]:
    if lines:
        yield inline("\n".join(lines))


def _indented(lines: list[str], at: int) -> tuple[str, int]:
    """Return the indented lines from a place on, without their indent, and where they end."""
    end = at
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" ")):
        end += 1
    return textwrap.dedent("\n".join(lines[at:end])).strip("\n"), end


def _language(body: str) -> str:
    try:
        ast.parse(body)
    except SyntaxError:
        return "text"
    return "python"


def _section(title: str, body: str) -> Iterator[str]:
    entries = re.split(r"\n(?=\S)", body)
    found = [_ENTRY.fullmatch(entry) for entry in entries]
    if not all(found):
        yield f"{title} {inline(body)}"
        return
    yield "\n".join(f"- {code(one['name'])}: {one_line(one['text'])}" for one in found if one)


def _end_of_table(lines: list[str], at: int) -> int:
    rules = [place for place in range(at, len(lines)) if _RULE.fullmatch(lines[place])]
    return rules[1] + 1 if len(rules) > 1 else len(lines)


def _simple_table(lines: list[str]) -> str:
    """Return a table that reStructuredText would read: columns are as wide as the rules, no first cell, same row."""
    starts = [found.start() for found in re.finditer(r"=+", lines[0])]
    spans = list(zip(starts, [*starts[1:], None], strict=True))
    rows: list[list[str]] = []
    for line in lines:
        if _RULE.fullmatch(line):
            continue
        cells = [line[start:end].strip() for start, end in spans]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
    return table(rows[0], [[inline(cell) for cell in row] for row in rows[1:]])
