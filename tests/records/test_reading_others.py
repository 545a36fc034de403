from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import Best, Status
from steelyard.errors import RecordError
from steelyard.records import read_record


def evalblink_record() -> dict[str, Any]:
    """Return a record as evalblink writes it: schema 1, insights that hold whole combos and the gate."""
    cases = [
        {"id": "conv_001", "tags": ["easy"], "evaluation": "exact_match", "status": "scored", "match_result": True,
         "match_score": 1.0, "response": "billing", "reasoning": None, "expected": "billing", "prompt_tokens": 80,
         "completion_tokens": 6, "cost": 0.5, "judge_prompt_tokens": 0, "judge_completion_tokens": 0, "judge_cost": 0.0,
         "total_cost": 0.5},
        {"id": "conv_002", "tags": [], "evaluation": "llm_judge", "status": "success", "match_result": False,
         "match_score": 0.25, "response": "other", "reasoning": "wrong label", "expected": None},
        {"id": "conv_003", "tags": ["easy"], "evaluation": "llm_judge", "status": "judge_error", "match_result": False,
         "match_score": None, "response": "x", "reasoning": None, "expected": None},
    ]  # fmt: skip
    combo = {
        "model": "openai/gpt-4o-mini", "prompt_id": "v1", "success": 1, "scored": 2, "errors": 1, "total": 3,
        "score": 50.0, "total_prompt_tokens": 80, "total_completion_tokens": 6, "total_cost": 0.5, "test_cases": cases,
    }  # fmt: skip
    return {
        "schema_version": 1, "run_id": "2026-06-10_143205_support", "benchmark": "Support", "judge_model": None,
        "temperature": 0, "max_tokens": 200, "quality_threshold": 0.7, "timestamp": "2026-06-10T14:32:05",
        "results": [combo],
        "insights": {
            "best_quality": combo, "best_value": combo, "warnings": [], "errors": 1, "passed": False,
            "quality_threshold": 85,
            "tag_breakdown": [{"tag": "easy", "cases": 2, "scored": 1, "errors": 1, "quality": 100.0, "warn": False}],
        },
    }  # fmt: skip


def stored(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "2026-06-10_143205_support.json"
    path.write_text(json.dumps(document, indent=4), "utf-8")
    return path


def test_an_evalblink_record_is_read_with_its_counts_and_verdicts(tmp_path: Path) -> None:
    record = read_record(stored(tmp_path, evalblink_record()))

    combo = record.results[0]
    assert (record.schema_version, record.benchmark, record.temperature) == (1, "Support", 0)
    assert (combo.total, combo.passed, combo.failed, combo.errors, combo.not_run) == (3, 1, 1, 1, 0)
    assert (combo.score, combo.cost_usd, combo.prompt_tokens) == (50.0, 0.5, 80)
    assert [case.status for case in combo.cases] == [Status.SCORED, Status.SCORED, Status.JUDGE_ERROR]
    assert [case.passed for case in combo.cases] == [True, False, False]
    assert combo.cases[1].runs[0].reasoning == "wrong label"


def test_what_an_evalblink_record_does_not_say_is_unknown(tmp_path: Path) -> None:
    combo = read_record(stored(tmp_path, evalblink_record())).results[0]

    assert (combo.latency_p50_ms, combo.score_low, combo.spent_usd) == (None, None, None)
    assert (combo.cases[1].runs[0].cost_usd, combo.cases[1].runs[0].messages) == (None, ())


def test_the_gate_of_an_evalblink_record_is_the_one_among_its_insights(tmp_path: Path) -> None:
    record = read_record(stored(tmp_path, evalblink_record()))

    assert record.quality_threshold == 85
    assert record.insights.best_quality == Best(model="openai/gpt-4o-mini", prompt_id="v1", score=50.0, cost_usd=0.5)


def test_counts_that_are_missing_are_counted(tmp_path: Path) -> None:
    document = evalblink_record()
    for key in ("success", "scored", "errors", "total"):
        del document["results"][0][key]

    combo = read_record(stored(tmp_path, document)).results[0]

    assert (combo.total, combo.passed, combo.failed, combo.errors, combo.not_run) == (3, 1, 1, 1, 0)


def test_planned_cases_that_no_count_covers_were_not_run(tmp_path: Path) -> None:
    document = evalblink_record()
    document["results"][0]["total"] = 10

    combo = read_record(stored(tmp_path, document)).results[0]

    assert (combo.total, combo.not_run) == (10, 7)


def test_a_cost_that_is_not_a_number_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    document = evalblink_record()
    document["results"][0]["test_cases"][0]["cost"] = float("nan")
    path.write_text(json.dumps(document), "utf-8")

    assert read_record(path).results[0].cases[0].runs[0].cost_usd is None


def test_a_newer_schema_is_read_with_a_warning(tmp_path: Path) -> None:
    warnings: list[str] = []
    document = evalblink_record() | {"schema_version": 9, "novelty": {"a": 1}}
    path = stored(tmp_path, document)

    record = read_record(path, warnings.append)

    assert record.schema_version == 9
    assert warnings == [f"{path}: schema_version 9 is newer than 2; what is new is left out"]


def test_a_record_without_a_run_id_has_its_files_name(tmp_path: Path) -> None:
    document = evalblink_record()
    del document["run_id"]

    assert read_record(stored(tmp_path, document)).run_id == "2026-06-10_143205_support"


def without(key: str) -> dict[str, Any]:
    document = evalblink_record()
    del document[key]
    return document


def with_result(**changes: Any) -> dict[str, Any]:
    document = evalblink_record()
    document["results"][0] |= changes
    return document


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "must be a JSON object, got a list"),
        ({}, "'benchmark' must be text"),
        (without("benchmark"), "'benchmark' must be text"),
        (without("timestamp"), "'timestamp' must be text"),
        (without("results"), "'results' must be a list"),
        (evalblink_record() | {"benchmark": 3}, "'benchmark' must be text"),
        (evalblink_record() | {"results": {}}, "'results' must be a list"),
        (evalblink_record() | {"results": [1]}, "results[0] must be an object"),
        (with_result(model=None), "results[0].model must be text"),
        (with_result(prompt_id=1), "results[0].prompt_id must be text"),
        (with_result(test_cases="none"), "results[0].test_cases must be a list"),
        (with_result(test_cases=[1]), "results[0].test_cases[0] must be an object with a text 'id'"),
        (with_result(test_cases=[{}]), "results[0].test_cases[0] must be an object with a text 'id'"),
    ],
)
def test_what_is_not_shaped_like_a_record_is_refused_in_one_line(tmp_path: Path, document: object, said: str) -> None:
    path = stored(tmp_path, document)

    with pytest.raises(RecordError) as caught:
        read_record(path)

    assert str(caught.value) == f"{path}: not a run record: {said}"


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff\xfe\xff", b"[" * 100_000, b'{"benchmark": ' + b"9" * 5000 + b"}"],
    ids=["empty", "cut", "not text", "deep", "huge number"],
)
def test_what_is_not_json_is_refused_in_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(data)

    with pytest.raises(RecordError) as caught:
        read_record(path)

    assert str(caught.value).startswith(f"{path}: not JSON")
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused_in_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "no.json", tmp_path):
        with pytest.raises(RecordError, match="cannot be read"):
            read_record(path)
