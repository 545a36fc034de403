from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from steelyard_builtins.reporters import terminal

from steelyard.api import Progress, ScoreResult, Status

Make = Callable[..., Any]
Capture = pytest.CaptureFixture[str]


def step(done: int, elapsed_s: float, *, total: int | None = 100, errors: int = 0, unknown: bool = False) -> Progress:
    return Progress(
        done=done,
        total=total,
        passed=done - errors,
        failed=0,
        errors=errors,
        spent_usd=0.0123,
        cost_unknown=unknown,
        elapsed_s=elapsed_s,
    )


@pytest.fixture
def hear(show: Make, make_record: Make, capsys: Capture) -> Callable[..., list[str]]:
    def run(*steps: Progress) -> list[str]:
        show(terminal, make_record(), progress=steps)
        return capsys.readouterr().err.splitlines()

    return run


def test_a_log_gets_a_line_every_ten_seconds(hear: Callable[..., list[str]]) -> None:
    lines = hear(*(step(second // 10, float(second)) for second in range(31)))

    assert [line.split(",")[0] for line in lines] == ["1/100 cases (1%)", "2/100 cases (2%)", "3/100 cases (3%)"]


def test_a_log_gets_a_line_at_each_tenth_that_is_not_reached_at_once(hear: Callable[..., list[str]]) -> None:
    lines = hear(step(5, 1.0), step(12, 3.0), step(15, 5.0), step(24, 6.0))

    assert [line.split(",")[0] for line in lines] == ["12/100 cases (12%)", "24/100 cases (24%)"]


def test_a_quick_run_leaves_the_log_alone(hear: Callable[..., list[str]]) -> None:
    assert hear(*(step(done, done / 100) for done in range(101))) == []


def test_the_line_says_rate_errors_cost_and_time_left(hear: Callable[..., list[str]]) -> None:
    assert hear(step(40, 20.0, errors=2)) == [
        "40/100 cases (40%), 2.0/s, 2 error(s), $0.0123 so far, about 30 s left",
    ]


def test_what_is_not_known_yet_is_left_out(hear: Callable[..., list[str]]) -> None:
    assert hear(step(40, 20.0, total=None, unknown=True)) == [
        "40 cases, 2.0/s, $0.0123 and unknown costs so far",
    ]


@pytest.mark.parametrize(
    ("status", "label"),
    [
        (Status.API_ERROR, "API error"),
        (Status.JUDGE_API_ERROR, "Judge API error"),
        (Status.JUDGE_ERROR, "Judge error"),
        (Status.INTERNAL_ERROR, "Internal error"),
    ],
)
def test_each_failed_case_is_one_warning_line(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture, status: Status, label: str
) -> None:
    case = make_case("conv_048", error="timed out\nafter 4 attempt(s)", status=status)
    show(terminal, make_record(make_combo(case)))

    assert capsys.readouterr().err == (
        f"⚠️  {label} on openai/gpt-4o-mini / v1 / conv_048: timed out after 4 attempt(s)\n"
    )


@pytest.mark.parametrize(("asked", "label"), [(0, "Pattern error"), (12, "Judge error")])
def test_a_scorer_that_asked_no_model_is_no_judge(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture, asked: int, label: str
) -> None:
    (run,) = make_case("c", error="took too long", status=Status.JUDGE_ERROR).runs
    broken = ScoreResult(scorer="regex", name="pattern", passed=None, score=None, status=Status.JUDGE_ERROR)
    run = dataclasses.replace(run, scores=(broken,), judge_prompt_tokens=asked, judge_cost_usd=0.0)
    case = make_case("c", error="took too long", status=Status.JUDGE_ERROR, runs=[run])

    show(terminal, make_record(make_combo(case)))

    assert capsys.readouterr().err == f"⚠️  {label} on openai/gpt-4o-mini / v1 / c: took too long\n"


def test_after_twenty_warnings_the_rest_is_counted(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    combo = make_combo(*(make_case(f"c{number}", error="down") for number in range(50)))

    show(terminal, make_record(combo))
    lines = capsys.readouterr().err.splitlines()
    show(terminal, make_record(combo), verbose=True)
    verbose = capsys.readouterr().err

    assert len(lines) == 21
    assert lines[-1] == "… and 30 more errors; -v and the record show them all"
    assert verbose.count("⚠️  API error on") == 50
    assert "more errors" not in verbose


def test_cases_that_were_judged_are_shown_only_when_asked_for(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    record = make_record(make_combo(make_case("conv_001"), make_case("conv_002", passed=False)))

    show(terminal, record)
    assert capsys.readouterr().err == (
        "Failed: openai/gpt-4o-mini / v1 / conv_002: label: expected 'billing', got 'other'\n"
    )
    show(terminal, record, quiet=True)
    assert capsys.readouterr().err == ""
    show(terminal, record, verbose=True)
    assert capsys.readouterr().err.splitlines() == [
        "Test case: conv_001 · openai/gpt-4o-mini / v1 · passed, score 1.00, 512 ms, $0.000016",
        "    answer: billing",
        "Test case: conv_002 · openai/gpt-4o-mini / v1 · failed, score 0.00, 512 ms, $0.000016,"
        " label: expected 'billing', got 'other'",
        "    answer: billing",
    ]


def test_a_case_that_is_asked_for_is_shown_with_its_whole_answer_and_what_every_scorer_and_judge_said(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    scores = (
        ScoreResult(scorer="contains", name="keyword", passed=True, score=1.0, reason="found 'sorry'"),
        ScoreResult(scorer="llm_judge", name="tone", passed=False, score=0.25, reason="judge score 2/5"),
    )
    (run,) = make_case().runs
    answer, reasoning = "I am sorry.\n\nBut \x1b[31mno.", "Rude " + "at length " * 50 + "to the end"
    run = dataclasses.replace(run, passed=False, response=answer, scores=scores, reasoning=reasoning)

    show(terminal, make_record(make_combo(make_case("apology", passed=False, runs=[run]))), verbose=True)

    assert capsys.readouterr().err.splitlines()[1:] == [
        "    answer: I am sorry.",
        "",
        r"    But \x1b[31mno.",
        "    keyword: found 'sorry'",
        f"    judge: {reasoning}",
    ]


def test_each_combo_of_several_says_how_it_did_when_it_is_done(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    first = [make_case("a"), make_case("b", passed=False), make_case("c", passed=False)]
    second = [make_case("a", prompt_id="v2")]

    show(terminal, make_record(make_combo(*first), make_combo(*second, prompt_id="v2")))

    assert capsys.readouterr().err.splitlines() == [
        "Failed: openai/gpt-4o-mini / v1 / b: label: expected 'billing', got 'other'",
        "Failed: openai/gpt-4o-mini / v1 / c: label: expected 'billing', got 'other'",
        "openai/gpt-4o-mini / v1: 1/3 passed (33.3%), 0 error(s)",
        "openai/gpt-4o-mini / v2: 1/1 passed (100.0%), 0 error(s)",
    ]


def test_after_ten_failed_cases_of_a_combo_the_rest_is_counted(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    combos = [
        make_combo(
            *(make_case(f"c{number}", passed=False, prompt_id=prompt) for number in range(count)), prompt_id=prompt
        )
        for prompt, count in (("v1", 22), ("v2", 10))
    ]

    show(terminal, make_record(*combos))
    lines = [line for line in capsys.readouterr().err.splitlines() if "error(s)" not in line]
    show(terminal, make_record(combos[0]))
    alone = capsys.readouterr().err.splitlines()

    assert [line.startswith("Failed: openai/gpt-4o-mini / v1 / c") for line in lines[:10]] == [True] * 10
    assert lines[10] == "… and 12 more failed; -v and the record show them all"
    assert [line.startswith("Failed: openai/gpt-4o-mini / v2 / c") for line in lines[11:]] == [True] * 10
    assert alone == lines[:11]


def test_an_answer_without_end_is_cut_and_the_rest_is_counted(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    (run,) = make_case().runs
    run = dataclasses.replace(run, response="x" * 20_000 + "y" * 1_234)

    show(terminal, make_record(make_combo(make_case("long", runs=[run]))), verbose=True)
    _, answer, rest = capsys.readouterr().err.splitlines()

    assert answer == "    answer: " + "x" * 20_000
    assert rest == "    … and 1,234 more characters, in the record"


LIVE = """
import os, sys
from pathlib import Path
from steelyard.api import *
from steelyard_builtins.reporters import terminal

here = Path()
reporter = terminal.create(
    NoSettings(), PluginContext(base_dir=here, work_dir=here, cache_dir=here, environ=dict(os.environ))
)
combos = (("m", "v1"), ("m", "v2"))
reporter.run_started(RunPlan(run_id="r", benchmark="b", combos=combos, cases=50, repeat=1, concurrency=1,
                             results_dir=here, record_path=None))
run = CaseRun(repeat=0, status=Status.API_ERROR, passed=False, score=None, error="[red]down")
case = CaseResult(model="m", prompt_id="v1", id="c1", status=Status.API_ERROR, passed=False, score=None, runs=(run,))
reporter.case_finished(case)
for done in (10, 60):
    reporter.progress(Progress(done=done, total=100, passed=done, failed=0, errors=1, spent_usd=0.5, cost_unknown=False,
                               elapsed_s=done / 2, by_combo=((min(done, 50), 9, 1), (max(done - 50, 0), 1, 0))))
results = tuple(ComboResult(model=model, prompt_id=prompt, total=50, passed=49, failed=0, errors=1, score=100.0)
                for model, prompt in combos)
reporter.run_finished(RunRecord(run_id="r", benchmark="b", timestamp="", results=results,
                                insights=Insights(passed=True, verdict="PASS: fine")))
reporter.close()
"""


def on_a_terminal(tmp_path: Path, **environ: str) -> str:
    """Run the reporter with a pseudo-terminal as its streams, and return everything that it wrote."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", LIVE],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
        | {"TERM": "xterm-256color", "COLUMNS": "120"}
        | environ,
        cwd=tmp_path,
    )
    os.close(follower)
    written = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # how Linux says that the other side is closed
            chunk = b""
        if not chunk:
            break
        written += chunk
    os.close(leader)
    assert process.wait(timeout=120) == 0, written.decode()
    return written.decode().replace("\r\n", "\n")


def test_a_terminal_gets_a_live_display_that_is_taken_away_in_the_end(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path)

    assert "60/100 cases, 2.0/s, 1 error(s), $0.5000 so far, about 20 s left" in written
    assert "50/50, 1 error(s)" in written
    assert "⚠️  API error on m / v1 / c1: [red]down" in written
    assert "\x1b[?25l" in written
    assert "\x1b[?25h" in written, "the cursor must come back"
    after = written.rpartition("\x1b[2K")[2]
    assert "cases, " not in after, "the display must be gone before the results come"
    assert "\x1b[1;32mPASS: fine" in after


def test_a_terminal_without_colour_gets_none(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path, NO_COLOR="1")

    assert "PASS: fine" in written
    assert not any(f"\x1b[{code}" in written for code in ("1;", "1m", "3", "38", "0m"))


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path, TERM="dumb")

    assert "\x1b" not in written
    assert "60/100 cases (60%), 2.0/s, 1 error(s), $0.5000 so far, about 20 s left\n" in written
