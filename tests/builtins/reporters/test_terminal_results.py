from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from steelyard_builtins.reporters import markdown, terminal

from steelyard.api import Insights, RunRecord, Status

Make = Callable[..., Any]
Capture = pytest.CaptureFixture[str]

ROWS = """\
│ openai/gpt-4o-mini           │ v1     │ 87.8% │       43/49 │      1 │       4018 │            294 │ $0.000784 │
│ openai/gpt-4o-mini           │ v2     │ 90.0% │       45/50 │      0 │       5000 │            300 │ $0.000960 │
│ anthropic/claude-sonnet-4.6  │ v1     │ 94.0% │       47/50 │      0 │       4100 │            300 │ $0.017500 │
│ anthropic/claude-sonnet-4.6  │ v2     │ 96.0% │       48/50 │      0 │       5000 │            300 │ $0.021000 │
│ mistralai/mistral-small-2603 │ v1     │ 85.4% │       41/48 │      2 │       3936 │            288 │ $0.000768 │
│ mistralai/mistral-small-2603 │ v2     │ 88.0% │       44/50 │      0 │       5000 │            300 │ $0.000960 │"""
TAGS = """\
│ edge_case   │     5 │     60% │      0 │ ⚠️ │
│ non_english │     4 │     50% │      0 │ ⚠️ │
│ billing     │    12 │    100% │      0 │    │
│ easy        │    30 │    100% │      0 │    │
│ medium      │    15 │    100% │      0 │    │"""
END = """
RECOMMENDATION
Best quality : anthropic/claude-sonnet-4.6 / v2 (96.0%)
Best value   : openai/gpt-4o-mini / v1 (87.8% · $0.0008/run)
3 pipeline error(s) excluded from scoring.
⚠️  Warning  : edge_case quality is below 70%.
⚠️  Warning  : non_english quality is below 70%.
Results saved to results{sep}2026-06-10_143205_customer-support-classification.json

⚠  3 of 300 case(s) hit a pipeline error (API / judge failure) and are excluded from scores.

PASS: best score meets quality_threshold (85).
"""


def test_the_run_of_evalblinks_readme_looks_as_it_does_there(show: Make, sample: RunRecord, capsys: Capture) -> None:
    show(terminal, sample)

    out = capsys.readouterr().out
    rows = out.splitlines()
    assert [row for row in rows if any(row.startswith(wanted) for wanted in ROWS.splitlines())] == rows[4:10]
    assert "Customer Support Classification — 2026-06-10_143205_customer-support-classification" in rows[0]
    squeezed = [" ".join(row.split()) for row in rows]  # how wide ⚠️ is depends on the version of rich
    for line in [*TAGS.splitlines(), "┃ Tag         ┃ Cases ┃ Quality ┃ Errors ┃ ⚠️ ┃"]:
        assert " ".join(line.split()) in squeezed
    assert "QUALITY BY TAG — best combo" in out
    assert "(anthropic/claude-sonnet-4.6 / v2)" in out
    assert out.endswith(END.format(sep=os.sep))


def test_the_headings_are_those_of_evalblink_and_then_ours(show: Make, sample: RunRecord, capsys: Capture) -> None:
    show(terminal, sample)

    headings = [cell.strip() for cell in capsys.readouterr().out.splitlines()[2].strip("┃").split("┃")]
    assert headings == [
        "Model", "Prompt", "Score", "Pass/Scored", "Errors", "Prompt tok", "Completion tok", "Cost",
        "95 % interval", "p50", "p95",
    ]  # fmt: skip


def test_every_planned_case_is_accounted_for(show: Make, make_record: Make, make_combo: Make, capsys: Capture) -> None:
    record = make_record(
        make_combo(passed=5, failed=2, errors=1, not_run=4),
        make_combo(prompt_id="v2", passed=0, failed=0, errors=0, not_run=12),
        interrupted=True,
    )
    show(terminal, record)

    out = capsys.readouterr().out
    assert "Cases planned: 24 = 5 passed + 2 failed + 1 errors + 16 not run\n" in out
    assert "⚠  Interrupted: 16 of 24 case(s) were not run; scores cover the others.\n" in out
    rows = [[cell.strip() for cell in row.strip("│").split("│")] for row in out.splitlines() if row.startswith("│")]
    assert [(row[2], row[3], row[4], row[8]) for row in rows] == [("71.4%", "5/7", "1", "4"), ("-", "0/0", "0", "12")]


def test_the_markdown_report_is_named_where_it_is_there(show: Make, sample: RunRecord, capsys: Capture) -> None:
    show(markdown, sample)
    show(terminal, sample)

    lines = capsys.readouterr().out.splitlines()
    saved = lines.index(f"Markdown report saved to {Path('results', sample.run_id)}.md")
    assert lines[saved - 1] == f"Results saved to {Path('results', sample.run_id)}.json"


def test_nothing_is_said_to_be_saved_when_nothing_is(show: Make, sample: RunRecord, capsys: Capture) -> None:
    show(terminal, sample, store=False)

    assert "saved" not in capsys.readouterr().out


def test_an_unknown_cost_is_no_zero(show: Make, make_record: Make, make_combo: Make, capsys: Capture) -> None:
    show(terminal, make_record(make_combo(passed=1, cost_usd=None, spent_usd=None, unknown_costs=3)))

    out = capsys.readouterr().out
    assert "Cost: - (3 call(s) of unknown cost)\n" in out
    assert "$" not in out


def test_what_was_paid_now_is_shown_where_the_cache_answered(
    show: Make, make_record: Make, make_combo: Make, capsys: Capture
) -> None:
    combos = [make_combo(passed=1, cost_usd=0.5, spent_usd=0.0, runs=3, cached=3), make_combo(passed=1, runs=1)]
    show(terminal, make_record(*combos))

    out = capsys.readouterr().out
    assert "Cost: $0.500000, spent now $0.000000; 3 of 4 answer(s) from the cache\n" in out
    assert "Spent now" in out.splitlines()[2]


def test_nothing_scored_and_no_gate_is_said_in_words(
    show: Make, make_record: Make, make_combo: Make, capsys: Capture
) -> None:
    show(terminal, make_record(make_combo(errors=2), insights=Insights(passed=False, errors=2, total=2)))

    assert "RECOMMENDATION\nNothing could be scored.\n2 pipeline error(s) excluded" in capsys.readouterr().out


def test_quiet_prints_the_verdict_alone(show: Make, sample: RunRecord, capsys: Capture) -> None:
    show(terminal, sample, quiet=True)

    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("PASS: best score meets quality_threshold (85).\n", "")


def test_a_quiet_run_that_comes_to_nothing_says_the_first_error_of_each_kind(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    cases = (
        make_case("a", error="the API key was refused"),
        make_case("b", error="the API key was refused"),
        make_case("c", error="judge down", status=Status.JUDGE_API_ERROR),
    )
    show(terminal, make_record(make_combo(*cases)), quiet=True)

    assert capsys.readouterr().err.splitlines() == [
        "⚠️  API error on openai/gpt-4o-mini / v1 / a: the API key was refused",
        "⚠️  Judge API error on openai/gpt-4o-mini / v1 / c: judge down",
    ]


def test_a_quiet_run_that_comes_to_something_is_quiet_about_its_errors(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    show(terminal, make_record(make_combo(make_case("a", error="timed out"), make_case("b"))), quiet=True)

    assert capsys.readouterr().err == ""


def test_verbose_shows_the_tags_of_the_other_combos_too(
    show: Make, make_record: Make, make_combo: Make, sample: RunRecord, capsys: Capture
) -> None:
    record = make_record(
        make_combo(model="a", prompt_id="best", passed=1, tags=sample.insights.tags),
        make_combo(model="b", prompt_id="other", passed=1, tags=sample.insights.tags[:1]),
        insights=Insights(passed=True, tags=sample.insights.tags, best_quality=None),
    )

    show(terminal, record)
    assert "QUALITY BY TAG" not in capsys.readouterr().out
    show(terminal, record, verbose=True)
    out = capsys.readouterr().out
    assert ("(a / best)" in out, "(b / other)" in out) == (True, True)
    assert "┃ Tag         ┃ Cases ┃ Quality ┃ Errors ┃ ⚠️ ┃ 95 % interval ┃" in out.splitlines()


HOSTILE = ["[bold]x", "[/INST]", "a[/]", "[link=http://x]y", ":smile:", "测试-1", "done ✓ 🎯 Δ"]


def test_names_and_messages_are_printed_literally(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    cases = [make_case(name, error="[/data/out] not found", model="[red]m", prompt_id="[/p]") for name in HOSTILE]
    combo = make_combo(*cases, model="[red]m", prompt_id="[/p]")
    record = make_record(
        combo, benchmark="[b]n", insights=Insights(passed=False, verdict="FAIL: [x]", warnings=("[y]",))
    )

    show(terminal, record, verbose=True)

    captured = capsys.readouterr()
    for name in HOSTILE:
        assert f"⚠️  API error on [red]m / [/p] / {name}: [/data/out] not found\n" in captured.err
    assert "│ [red]m │ [/p] " in captured.out
    assert "[b]n — " in captured.out
    assert captured.out.endswith("FAIL: [x]\n")
    assert "Warning  : [y]\n" in captured.out


def test_no_escape_sequence_of_a_model_reaches_the_terminal(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, capsys: Capture
) -> None:
    evil = "\x1b[2J\x1b]0;title\x07\u202e\r\n\x9b31m"
    case = make_case(evil, passed=False, model=evil, prompt_id=evil)
    failed = make_case(evil, error=evil, status=Status.JUDGE_ERROR)
    record = make_record(make_combo(case, failed, model=evil, prompt_id=evil), benchmark=evil, run_id="r")

    show(terminal, record, verbose=True, environ={"FORCE_COLOR": ""})

    captured = capsys.readouterr()
    assert not set("\x1b\x07\x9b\r\u202e") & set(captured.out + captured.err)
    assert r"\x1b[2J" in captured.out


def test_no_column_is_cut_where_nobody_has_a_screen(
    show: Make, make_record: Make, make_combo: Make, capsys: Capture
) -> None:
    model = "vendor/" + "m" * 300

    show(
        terminal,
        make_record(make_combo(model=model, passed=1, prompt_tokens=12345678901234)),
        environ={"COLUMNS": "40"},
    )

    row = next(line for line in capsys.readouterr().out.splitlines() if model in line)
    assert "12345678901234" in row


def test_a_pipe_gets_no_colour_unless_it_is_forced(show: Make, sample: RunRecord, capsys: Capture) -> None:
    show(terminal, sample)
    plain = capsys.readouterr()
    show(terminal, sample, environ={"FORCE_COLOR": "1"})
    forced = capsys.readouterr()
    show(terminal, sample, environ={"FORCE_COLOR": "1", "NO_COLOR": "1"})
    denied = capsys.readouterr()

    assert "\x1b" not in plain.out + plain.err
    assert "\x1b[1;32mPASS" in forced.out
    assert "\x1b" not in denied.out


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_a_console_that_knows_few_characters_ends_no_run(encoding: str, tmp_path: Path) -> None:
    code = """
from pathlib import Path
from steelyard.api import *
from steelyard_builtins.reporters import terminal
run = CaseRun(repeat=0, status=Status.API_ERROR, passed=False, score=None, error="done ✓ 🎯 Δ \\ud800")
case = CaseResult(model="测试", prompt_id="v1", id="测试-1", status=run.status, passed=False, score=None, runs=(run,))
combo = ComboResult(model="测试", prompt_id="v1", total=1, passed=0, failed=0, errors=1, cases=(case,))
insights = Insights(passed=False, verdict="FAIL: Δ")
record = RunRecord(run_id="r", benchmark="🎯", timestamp="", results=(combo,), insights=insights)
here = Path()
reporter = terminal.create(NoSettings(), PluginContext(base_dir=here, work_dir=here, cache_dir=here, environ={}))
reporter.run_started(RunPlan(run_id="r", benchmark="🎯", combos=(("测试", "v1"),), cases=1, repeat=1, concurrency=1,
                             results_dir=here, record_path=None))
reporter.case_finished(case)
reporter.run_finished(record)
"""
    environ = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environ, cwd=tmp_path, check=False)

    assert done.returncode == 0, done.stderr.decode(encoding)
    out, err = done.stdout.decode(encoding), done.stderr.decode(encoding)
    assert "FAIL: " in out
    assert "API error on " in err
    if encoding == "utf-8":
        assert "API error on 测试 / v1 / 测试-1: done ✓ 🎯 Δ ?" in err
    else:
        assert "! API error on ?? / v1 / ??-1: done ? ? ? ?" in err.replace("   ", " ").replace("  ", " ")


def test_rich_is_imported_only_when_the_reporter_is_made() -> None:
    code = (
        "import sys; import steelyard_builtins.reporters.terminal;"
        "assert not any(name.split('.')[0] == 'rich' for name in sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
