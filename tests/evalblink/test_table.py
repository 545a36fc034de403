"""The table of evalblink's behaviours: no row without a test, and no test without a row."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "design" / "0012-evalblink-behaviours.md"
REFERENCE = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
HERE = "evalblink"


def rows() -> list[str]:
    """Return the rows of every table of the page, without headings and rules."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rules = [number for number, line in enumerate(lines) if line.startswith("|---")]
    found = []
    for rule in rules:
        for line in lines[rule + 1 :]:
            if not line.startswith("|"):
                break
            found.append(line)
    return found


@cache
def names_in(file: str) -> frozenset[str]:
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def named() -> set[tuple[str, str]]:
    return {found for row in rows() for found in REFERENCE.findall(row)}


@pytest.mark.parametrize("row", rows(), ids=[row.split("|")[1].strip()[:60] for row in rows()])
def test_every_behaviour_is_shown_by_tests_that_exist(row):
    references = REFERENCE.findall(row.rsplit("|", 2)[1])
    assert references, "no test shows it"
    missing = [f"{file}::{name}" for file, name in references if name not in names_in(file)]
    assert not missing


def test_every_test_of_this_folder_shows_a_behaviour():
    own = {
        (f"{HERE}/{path.name}", name)
        for path in (TESTS / HERE).glob("test_*.py")
        if path.name != Path(__file__).name
        for name in names_in(f"{HERE}/{path.name}")
        if name.startswith("test_")
    }
    assert own - named() == set()


def test_a_row_without_a_test_or_with_a_wrong_one_would_be_found():
    with pytest.raises(AssertionError):
        test_every_behaviour_is_shown_by_tests_that_exist("| it flies | |")
    with pytest.raises(AssertionError):
        test_every_behaviour_is_shown_by_tests_that_exist("| it flies | `evalblink/test_table.py::test_it_flies` |")
