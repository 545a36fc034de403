"""What looks like a placeholder and is sent as it stands: paths, filters, and any where no row fills them in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from steelyard.api import Node, shown

from .placeholders import not_placeholders

_COMPARED = ("value", "rubric", "expected_output")
"""The texts of criteria in which a row's values are wanted; programs and patterns have braces of their own."""
_NAMED = re.compile(r"\{\{[-~]?\s*[A-Za-z_][^{}]*\}\}", re.DOTALL)
"""What somebody may have meant as one, where there is no dataset to fill it in."""


def warn_of_unfilled(document: Node, cases: Iterable[Node], *, has_rows: bool) -> None:
    """Warn of what stays in double braces, each place once."""
    _warn(document.child("system_prompt"), has_rows=False)
    for case in cases:
        for node in _texts(case):
            _warn(node, has_rows=has_rows)


def _texts(case: Node) -> Iterator[Node]:
    yield from (case.child("id"), case.child("prompt"))
    yield from (turn.child("content") for turn in case.child("turns").entries())
    for criterion in case.child("criteria").entries():
        if criterion.child("type").value != "regex":
            yield from (criterion.child(key) for key in _COMPARED)


def _warn(node: Node, *, has_rows: bool) -> None:
    if not isinstance(node.value, str) or "{{" not in node.value:
        return
    if has_rows:
        found = not_placeholders(node.value)
        hint = "write {{key}}, with a key of the row; there are no paths and no filters"
    else:
        found = _NAMED.findall(node.value)
        hint = "only the rows of a dataset fill in prompts and criteria"
    if found:
        node.warning(f"{shown(found[0])} is not filled in and stays as it stands", hint)
