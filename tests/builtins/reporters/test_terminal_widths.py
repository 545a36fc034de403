"""Which columns of the matrix a terminal shows, by its width."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console
from steelyard_builtins.reporters.terminal_tables import matrix

from steelyard.api import RunRecord

Make = Callable[..., Any]

ALL = ["Model", "Prompt", "Score", "Pass/Scored", "Errors", "Prompt tok", "Completion tok", "Cost", "Flaky",
       "95 % interval", "p50", "p95"]  # fmt: skip
MODEL = "mistralai/mistral-small-2603"


@pytest.fixture
def record(make_record: Make, make_combo: Make) -> RunRecord:
    combo = make_combo(
        model=MODEL, prompt_id="v1", passed=41, failed=7, score_low=72.8, score_high=92.7, cost_usd=0.000768,
        spent_usd=0.000768, prompt_tokens=3936, completion_tokens=288,
        latency_p50_ms=512.0, latency_p95_ms=900.0, flaky=2,
    )  # fmt: skip
    return make_record(combo, repeat=3)


def drawn(record: RunRecord, width: int) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    console.print(matrix(console, record))
    lines = out.getvalue().splitlines()
    assert all(len(line) <= width for line in lines if not line.startswith(record.benchmark))
    return lines


def headings(lines: list[str]) -> list[str]:
    (line,) = [line for line in lines if line.startswith("┃")]
    return [cell.strip() for cell in line.strip("┃").split("┃")]


def test_a_wide_terminal_shows_every_column_and_says_nothing_more(record: RunRecord) -> None:
    lines = drawn(record, 200)

    assert headings(lines) == ALL
    assert not any("Left out" in line for line in lines)


def test_columns_go_in_the_order_of_what_they_tell_about_a_score(record: RunRecord) -> None:
    seen = [headings(drawn(record, width)) for width in range(200, 40, -1)]

    gone = [ALL]
    for columns in seen:
        if columns != gone[-1]:
            gone.append(columns)
    went = [[name for name in before if name not in after] for before, after in itertools.pairwise(gone)]
    assert went == [
        ["p50", "p95"], ["Prompt tok", "Completion tok"], ["Flaky"], ["95 % interval"], ["Cost"], ["Pass/Scored"],
        ["Errors"],
    ]  # fmt: skip


def test_a_terminal_of_100_columns_shows_the_interval_rather_than_tokens(record: RunRecord) -> None:
    lines = drawn(record, 100)

    assert headings(lines) == ["Model", "Prompt", "Score", "Pass/Scored", "Errors", "Cost", "95 % interval"]
    assert any(MODEL in line for line in lines)
    said = " ".join(" ".join(lines[lines.index(next(line for line in lines if "Left out" in line)) :]).split())
    assert said == (
        "Left out: Prompt tok, Completion tok, Flaky, p50, p95; a wider terminal shows more, and the record has all."
    )


def test_80_columns_fold_the_name_of_a_model_rather_than_leave_out_what_it_cost(record: RunRecord) -> None:
    lines = drawn(record, 80)

    assert headings(lines) == ["Model", "Prompt", "Score", "Pass/Scored", "Errors", "Cost"]
    assert any("85.4%" in line and "41/48" in line and "$0.000768" in line for line in lines)


@pytest.mark.parametrize("width", [40, 50, 60, 80, 100, 120])
def test_no_heading_and_no_figure_is_broken_in_two(record: RunRecord, width: int) -> None:
    lines = drawn(record, width)

    assert set(headings(lines)) <= set(ALL)
    assert headings(lines)[:3] == ["Model", "Prompt", "Score"]
    assert any("85.4%" in line for line in lines)
    names = "".join(line.split("│")[1].strip() for line in lines if line.startswith("│"))
    assert names == MODEL
