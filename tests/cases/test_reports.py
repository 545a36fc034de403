"""The table of public bug reports: none without a test that exists, and no test of a kind that stands for none."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
REPORTS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "reports.toml").read_text(encoding="utf-8"))
COUNT = 47
KINDS = 10


@cache
def names_in(file: str) -> frozenset[str]:
    path = HERE / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def named() -> set[tuple[str, str]]:
    return {tuple(test.split("::")) for report in REPORTS.values() for test in report["tests"]}


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_is_held_by_tests_that_exist(name: str) -> None:
    tests = REPORTS[name]["tests"]
    assert tests
    assert [test for test in tests if test.split("::")[1] not in names_in(test.split("::")[0])] == []


def test_all_reports_of_all_kinds_are_there() -> None:
    assert sorted(REPORTS) == [f"H{number:02}" for number in range(1, COUNT + 1)]
    assert len({report["kind"] for report in REPORTS.values()}) == KINDS


def test_every_test_of_a_kind_stands_for_a_report() -> None:
    files = {file for file, _name in named() if file.startswith("test_")}
    here = {(file, name) for file in files for name in names_in(file)}
    assert sorted(here - named()) == []
