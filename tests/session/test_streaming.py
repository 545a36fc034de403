"""Rows of data files are run as they are read: the first call does not wait for the last row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard import RunOptions, open_session
from steelyard._session import checking
from steelyard.errors import BenchmarkError, UsageError


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(checking, "ROWS_BEFORE_A_RUN", 10)

    def write(lines: list[str]) -> Path:
        (tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        benchmark = {
            "name": "Rows",
            "models": ["mock:echo"],
            "prompts": [{"id": "p", "template": "{{ q }}"}],
            "test_cases": {"path": "rows.jsonl"},
            "case": {
                "id": "{{ id }}",
                "variables": {"q": "{{ q }}"},
                "expected_output": "{{ q }}",
                "evaluation": "exact_match",
            },
        }
        (tmp_path / "b.json").write_text(json.dumps(benchmark), encoding="utf-8")
        return tmp_path / "b.json"

    return write


def good(count: int) -> list[str]:
    return [json.dumps({"id": f"r{number}", "q": f"question {number}"}) for number in range(count)]


def test_every_row_is_run_although_only_the_first_are_looked_at_before(rows: Any, tmp_path: Path) -> None:
    record = open_session(cwd=tmp_path).run(rows(good(35)), RunOptions(quiet=True))
    assert (record.results[0].total, record.results[0].passed) == (35, 35)
    assert [case.id for case in record.results[0].cases] == [f"r{number}" for number in range(35)]


def test_a_check_looks_at_every_row(rows: Any, tmp_path: Path) -> None:
    checked = open_session(cwd=tmp_path).check(rows([*good(30), "{broken"]))
    (problem,) = checked.problems
    assert problem.place.endswith("rows.jsonl:31") or ":31:" in problem.place


def test_a_row_that_is_wrong_stops_the_run_where_it_stands_and_keeps_what_was_answered(
    rows: Any, tmp_path: Path
) -> None:
    with pytest.raises(BenchmarkError, match="31"):
        open_session(cwd=tmp_path).run(rows([*good(30), "{broken"]), RunOptions(quiet=True))
    (journal,) = (tmp_path / "results").glob("*.journal.jsonl")
    assert len(journal.read_text(encoding="utf-8").splitlines()) > 1
    assert list((tmp_path / "results").glob("*.json")) == []


def test_an_id_that_comes_twice_far_apart_stops_the_run_and_names_it(rows: Any, tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="r3"):
        open_session(cwd=tmp_path).run(rows([*good(30), good(4)[3]]), RunOptions(quiet=True))


def test_a_limit_reads_no_further_than_it_has_to(rows: Any, tmp_path: Path) -> None:
    record = open_session(cwd=tmp_path).run(rows([*good(30), "{broken"]), RunOptions(quiet=True, limit=3))
    assert record.results[0].total == 3


def test_a_filter_that_lets_nothing_through_is_an_error_however_many_rows_there_are(rows: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no test case is left"):
        open_session(cwd=tmp_path).run(rows(good(30)), RunOptions(quiet=True, text="nobody"))
    assert not (tmp_path / "results").exists()
