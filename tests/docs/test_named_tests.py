"""Pages that say which test shows a promise: the test is there, and the figures are counted from the tests."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:plugins/[\w-]+/)?tests/[\w/]+\.py)(?:::(test_\w+))?`")
PAGES = sorted((ROOT / "docs" / "explanation").glob("*.md"))


@cache
def names_in(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    nodes = ast.parse(path.read_text(encoding="utf-8")).body
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_a_page_names_is_there(page: Path) -> None:
    named = NAMED.findall(page.read_text(encoding="utf-8"))
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).is_file() or (name and name not in names_in(ROOT / file))
    ]
    assert missing == []


def test_the_threat_model_names_a_test_in_every_row() -> None:
    text = (ROOT / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.endswith("| shown by |")]
    assert len(rows) > 20
    assert [row for row in rows if not NAMED.search(row.rsplit("|", 2)[1])] == []


def test_figures_are_counted_from_the_tests_and_never_from_what_is_gone(scripts: Any) -> None:
    from reference.reliability import count_in

    assert count_in("faults/test_kills.py", "KILLS") == 50
    with pytest.raises(LookupError, match="'GONE'"):
        count_in("faults/test_kills.py", "GONE")
