from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from steelyard_builtins.reporters import markdown

from steelyard.api import Best, CaseRun, Insights, RunRecord, ScoreResult, Status

Make = Callable[..., Any]


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def shown(token: Token) -> str:
    return "".join(child.content for child in token.children or [] if child.type in ("text", "text_special"))


def headings(text: str) -> list[str]:
    tokens = parsed(text)
    return [shown(tokens[index + 1]) for index, token in enumerate(tokens) if token.type == "heading_open"]


def tables(text: str) -> list[list[list[str]]]:
    """Return each table as rows of shown cells."""
    found: list[list[list[str]]] = []
    inside = False
    for token in parsed(text):
        if token.type in ("table_open", "table_close"):
            inside = token.type == "table_open"
            found += [[]] if inside else []
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type == "inline" and inside:
            found[-1][-1].append(shown(token))
    return found


def report(record: RunRecord) -> str:
    return Path("results", f"{record.run_id}.md").read_text("utf-8")


def test_the_report_has_the_sections_of_evalblink(show: Make, sample: RunRecord) -> None:
    show(markdown, sample)

    assert headings(report(sample)) == [
        "Customer Support Classification",
        "Summary",
        "Recommendation",
        "Quality by tag — best combo",
        "openai/gpt-4o-mini / v1",
        "openai/gpt-4o-mini / v2",
        "anthropic/claude-sonnet-4.6 / v1",
        "anthropic/claude-sonnet-4.6 / v2",
        "mistralai/mistral-small-2603 / v1",
        "mistralai/mistral-small-2603 / v2",
    ]


def test_the_summary_shows_the_matrix(show: Make, sample: RunRecord) -> None:
    show(markdown, sample)

    summary = tables(report(sample))[0]
    assert summary[0][:9] == [
        "Model", "Prompt", "Score", "Pass/Scored", "Errors", "Not run", "Prompt tok", "Completion tok", "Cost",
    ]  # fmt: skip
    assert summary[1][:9] == ["openai/gpt-4o-mini", "v1", "87.8%", "43/49", "1", "0", "4018", "294", "$0.000784"]
    assert len(summary) == 7


def test_recommendation_warnings_and_gate_are_in_the_report(show: Make, sample: RunRecord) -> None:
    show(markdown, sample)

    text = report(sample)
    assert "- Best quality: anthropic/claude-sonnet-4.6 / v2 (96.0%)\n" in text
    assert "- Best value: openai/gpt-4o-mini / v1 (87.8% · $0.0008/run)\n" in text
    assert "- 3 pipeline error(s) excluded from scoring.\n" in text
    assert "- ⚠️ Warning: edge_case quality is below 70%.\n" in text
    assert "Cases planned: 300 = 268 passed + 29 failed + 3 errors + 0 not run" in text
    assert "3 of 300 case(s) hit a pipeline error" in text
    assert "PASS: best score meets quality_threshold (85)." in text


@pytest.mark.parametrize(("threshold", "said"), [(87, ""), (90, ", below quality_threshold (90)"), (None, "")])
def test_a_value_that_misses_the_threshold_is_recommended_with_that_said(
    show: Make, sample: RunRecord, threshold: float | None, said: str
) -> None:
    # The best value passed 43 of 49: 87.755 %.
    insights = dataclasses.replace(sample.insights, quality_threshold=threshold)

    show(markdown, dataclasses.replace(sample, insights=insights))

    (line,) = [line for line in report(sample).splitlines() if line.startswith("- Best value: ")]
    assert line.endswith(f"/run){said}")


def test_every_case_has_a_row_with_its_score_or_what_went_wrong(
    show: Make, make_record: Make, make_combo: Make, make_case: Make
) -> None:
    record = make_record(
        make_combo(
            make_case("right"),
            make_case("wrong", passed=False),
            make_case("a", error="timed out", status=Status.API_ERROR),
            make_case("b", error="judge down", status=Status.JUDGE_API_ERROR),
            make_case("c", error="no score", status=Status.JUDGE_ERROR),
            make_case("d", error="boom", status=Status.INTERNAL_ERROR),
        )
    )
    show(markdown, record)

    rows = tables(report(record))[-1]
    assert rows[0][:5] == ["Test case", "Evaluation", "Match", "Score", "Cost"]
    assert [row[:4] for row in rows[1:]] == [
        ["right", "exact_match", "True", "1.0000"],
        ["wrong", "exact_match", "False", "0.0000"],
        ["a", "exact_match", "–", "API error"],
        ["b", "exact_match", "–", "judge API error"],
        ["c", "exact_match", "–", "judge error"],
        ["d", "exact_match", "–", "internal error"],
    ]
    assert [row[6] for row in rows[1:3]] == ["", "label: expected 'billing', got 'other'"]
    assert [row[6] for row in rows[3:]] == ["timed out", "judge down", "no score", "boom"]


def failed(*scores: ScoreResult, **more: Any) -> CaseRun:
    return CaseRun(repeat=0, status=Status.SCORED, passed=False, score=0.0, scores=scores, **more)


JUDGED = ScoreResult(scorer="llm_judge", name="tone", passed=False, score=0.25, reason="judge score 2/5: too curt")
MARKED = dataclasses.replace(JUDGED, details={"reasoning": "too curt"})
PLAIN = ScoreResult(scorer="contains", name="thanks", passed=False, score=0.0, reason="lacks 'Thanks'")


@pytest.mark.parametrize(
    ("run", "note"),
    [
        (failed(MARKED, reasoning="too curt", judge_prompt_tokens=9), "tone failed"),
        (failed(JUDGED, reasoning="too curt"), "tone failed"),
        (failed(JUDGED, judge_prompt_tokens=9, judge_cost_usd=0.0), "tone failed"),
        (failed(JUDGED, judge_prompt_tokens=None, judge_cost_usd=None), "tone failed"),
        (failed(PLAIN, judge_prompt_tokens=0, judge_cost_usd=0.0), "thanks: lacks 'Thanks'"),
        (failed(MARKED, PLAIN, reasoning="too curt", judge_prompt_tokens=9), "tone failed"),
        (failed(PLAIN, MARKED, reasoning="too curt", judge_prompt_tokens=9), "thanks: lacks 'Thanks'"),
    ],
)
def test_a_scorer_says_why_a_case_failed_and_what_a_judge_reasons_stays_in_the_record(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, run: CaseRun, note: str
) -> None:
    record = make_record(make_combo(make_case("wrong", passed=False, runs=(run,))))
    show(markdown, record)

    assert tables(report(record))[-1][1][6] == note
    assert "curt" not in report(record)


def test_combos_that_share_the_best_score_are_named(show: Make, make_record: Make, make_combo: Make) -> None:
    combos = [make_combo(passed=9, failed=1, prompt_id=f"v{number}") for number in range(6)]
    best = Best(model="openai/gpt-4o-mini", prompt_id="v1", score=90.0)
    record = make_record(
        *combos, make_combo(passed=1, prompt_id="w", score=80.0), insights=Insights(passed=True, best_quality=best)
    )
    show(markdown, record)

    name = "openai/gpt-4o-mini / v"
    assert f"- Same score: {name}0, {name}2, {name}3 and 2 more\n" in report(record)


def test_repeated_cases_say_how_many_runs_passed(
    show: Make, make_record: Make, make_combo: Make, make_case: Make
) -> None:
    runs = [CaseRun(repeat=index, status=Status.SCORED, passed=index > 0, score=float(index > 0)) for index in range(3)]
    record = make_record(make_combo(make_case("a", runs=runs, flaky=True)), repeat=3)
    show(markdown, record)

    assert tables(report(record))[-1][1][-2:] == ["flaky", "2/3"]


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "`x` | <img src=x>",
        "[bold]x",
        "[l](http://e)",
        "# h",
        "*b*",
        "two\n| lines |",
        "\ud83d",
        "@octocat",
        "\x1b[2J",
    ],
)
def test_hostile_names_break_no_table_and_act_nowhere(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, text: str
) -> None:
    case = make_case(text, error=text, evaluation=text)
    record = make_record(make_combo(case, model=text, prompt_id=text), benchmark=text)
    show(markdown, record)

    written = report(record)
    summary, cases = tables(written)
    assert ({len(row) for row in summary}, {len(row) for row in cases}) == ({12}, {7})
    acting = {child.type for token in parsed(written) for child in token.children or []}
    assert acting <= {"text", "text_special", "softbreak", "strong_open", "strong_close", "html_inline"}
    html = {child.content for token in parsed(written) for child in token.children or [] if child.type == "html_inline"}
    assert html <= {"<!-- -->"}


def test_the_report_goes_where_the_user_wants_it(show: Make, sample: RunRecord, tmp_path: Path) -> None:
    show(markdown, sample, output=tmp_path / "out" / "x.md")

    assert (tmp_path / "out" / "x.md").read_text("utf-8").startswith("# Customer Support Classification\n")
    assert not Path("results", f"{sample.run_id}.md").exists()


def test_a_run_that_is_not_stored_leaves_no_report(show: Make, sample: RunRecord, tmp_path: Path) -> None:
    show(markdown, sample, store=False)

    assert list(tmp_path.iterdir()) == []
