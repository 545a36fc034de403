"""The run that evalblink's README shows, made again over sockets: 3 models × 2 prompts × 50 cases, 3 lost calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, failure

MODELS = ("openai/gpt-4o-mini", "anthropic/claude-sonnet-4.6", "mistralai/mistral-small-2603")
# For each combo: cases answered wrongly, prompt tokens and cost of each call.
COMBOS = {
    (MODELS[0], "v1"): (6, 82, 0.000016),
    (MODELS[0], "v2"): (5, 100, 0.0000192),
    (MODELS[1], "v1"): (3, 82, 0.00035),
    (MODELS[1], "v2"): (2, 100, 0.00042),
    (MODELS[2], "v1"): (7, 82, 0.000016),
    (MODELS[2], "v2"): (6, 100, 0.0000192),
}
LOST = {(MODELS[0], "v1", 48), (MODELS[2], "v1", 48), (MODELS[2], "v1", 49)}
TAGS = {
    "edge_case": range(5),
    "non_english": (0, 1, 5, 6),
    "billing": range(7, 19),
    "easy": range(5, 35),
    "medium": range(35, 50),
}
ROWS = """\
openai/gpt-4o-mini           │ v1     │ 87.8% │       43/49 │      1 │       4018 │            294 │ $0.000784
openai/gpt-4o-mini           │ v2     │ 90.0% │       45/50 │      0 │       5000 │            300 │ $0.000960
anthropic/claude-sonnet-4.6  │ v1     │ 94.0% │       47/50 │      0 │       4100 │            300 │ $0.017500
anthropic/claude-sonnet-4.6  │ v2     │ 96.0% │       48/50 │      0 │       5000 │            300 │ $0.021000
mistralai/mistral-small-2603 │ v1     │ 85.4% │       41/48 │      2 │       3936 │            288 │ $0.000768
mistralai/mistral-small-2603 │ v2     │ 88.0% │       44/50 │      0 │       5000 │            300 │ $0.000960"""
TAG_ROWS = """\
│ edge_case   │     5 │     60% │      0 │ ⚠️ │
│ non_english │     4 │     50% │      0 │ ⚠️ │
│ billing     │    12 │    100% │      0 │    │
│ easy        │    30 │    100% │      0 │    │
│ medium      │    15 │    100% │      0 │    │"""


def benchmark() -> dict[str, Any]:
    return {
        "name": "Customer Support Classification",
        "quality_threshold": 85,
        "concurrency": 16,
        "retry_backoff": 0.001,
        "models": list(MODELS),
        "prompts": [
            {"id": "v1", "template": "#{{ number }}"},
            {"id": "v2", "system": "You sort.", "template": "#{{ number }}"},
        ],
        "test_cases": [
            {
                "id": f"conv_{number:03}",
                "variables": {"number": f"{number:03}"},
                "expected_output": "billing",
                "evaluation": "exact_match",
                "tags": [tag for tag, numbers in TAGS.items() if number in numbers],
            }
            for number in range(50)
        ],
    }


def answer(request: FakeRequest) -> Reply:
    prompt = "v2" if "You sort." in request.prompt else "v1"
    number = int(request.prompt.split("#")[1])
    if (request.model, prompt, number) in LOST:
        return failure(504, "upstream took too long")
    wrong, tokens, cost = COMBOS[request.model, prompt]
    usage = {"prompt_tokens": tokens, "completion_tokens": 6, "cost": cost}
    return Reply("other" if number < wrong else "billing", usage=usage)


@pytest.fixture(scope="module")
def sample(new_desk: Callable[..., Any]) -> Iterator[Any]:
    with FakeAPI() as api:
        api.answer(answer)
        desk = new_desk("sample", api)
        desk.write("support.json", benchmark())
        yield desk("run", "support.json"), desk


def test_the_matrix_has_a_row_for_each_combo_in_the_order_of_the_file(sample):
    done, _ = sample
    rows = [
        line.strip("│ ") for line in done.stdout.splitlines() if "mini" in line or "-4.6 " in line or "2603" in line
    ]
    assert [row.startswith(wanted) for row, wanted in zip(rows, ROWS.splitlines(), strict=False)] == [True] * 6


def test_the_title_names_benchmark_and_run(sample):
    done, desk = sample
    assert done.stdout.splitlines()[0].strip() == f"Customer Support Classification — {desk.record()['run_id']}"


def test_tags_of_the_best_combo_come_with_the_poor_ones_first(sample):
    done, _ = sample
    assert "QUALITY BY TAG — best combo" in done.stdout
    assert "(anthropic/claude-sonnet-4.6 / v2)" in done.stdout
    assert TAG_ROWS in done.stdout


def test_the_best_and_the_best_for_its_money_are_recommended(sample):
    done, _ = sample
    assert "Best quality : anthropic/claude-sonnet-4.6 / v2 (96.0%)\n" in done.stdout
    assert "Best value   : openai/gpt-4o-mini / v1 (87.8% · $0.0008/run)\n" in done.stdout


def test_pipeline_errors_are_counted_over_the_whole_run(sample):
    done, desk = sample
    assert "\n3 pipeline error(s) excluded from scoring.\n" in done.stdout
    warning = "\n⚠  3 of 300 case(s) hit a pipeline error (API / judge failure) and are excluded from scores.\n"
    assert warning in done.stdout
    assert (desk.record()["insights"]["errors"], desk.record()["insights"]["total"]) == (3, 300)


def test_poor_tags_of_the_best_combo_are_warned_about(sample):
    done, _ = sample
    lines = [line for line in done.stdout.splitlines() if line.startswith("⚠️  Warning  : ")]
    assert lines == [
        "⚠️  Warning  : edge_case quality is below 70%.",
        "⚠️  Warning  : non_english quality is below 70%.",
    ]


def test_both_files_are_named_and_the_gate_has_the_last_word(sample):
    done, desk = sample
    run_id = desk.record()["run_id"]
    lines = done.stdout.splitlines()
    saved = lines.index(f"Results saved to {Path('results', run_id)}.json")
    assert lines[saved + 1] == f"Markdown report saved to {Path('results', run_id)}.md"
    assert lines[-1] == "PASS: best score meets quality_threshold (85)."
    assert done.returncode == 0


def test_each_failed_call_is_one_warning_line_that_says_how_often_it_was_tried(sample):
    done, _ = sample
    warnings = [line for line in done.stderr.splitlines() if line.startswith("⚠️  API error on ")]
    assert len(warnings) == 3
    assert warnings[0].startswith("⚠️  API error on openai/gpt-4o-mini / v1 / conv_048: ")
    assert all("after 4 attempt(s)" in line for line in warnings)


def test_every_combo_has_its_totals_before_the_matrix(sample):
    done, _ = sample
    assert "openai/gpt-4o-mini / v1: 43/49 passed (87.8%), 1 error(s)\n" in done.stderr
    assert "mistralai/mistral-small-2603 / v2: 44/50 passed (88.0%), 0 error(s)\n" in done.stderr


def test_the_report_says_the_same(sample):
    _, desk = sample
    report = desk.report()
    assert "| openai/gpt-4o-mini | v1 | 87.8% | 43/49 | 1 |" in report
    assert "- 3 pipeline error(s) excluded from scoring.\n" in report
    assert "- ⚠️ Warning: edge_case quality is below 70%.\n" in report
    assert "- Best quality: anthropic/claude-sonnet-4.6 / v2 (96.0%)\n" in report
