"""Records that evalblink wrote are read by every command, so that a baseline kept with it still holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

OLD = "2026-06-08_101500_three-cases"


def old_case(identity: str, *, passed: bool, error: bool = False) -> dict[str, Any]:
    return {
        "id": identity,
        "tags": ["easy"],
        "evaluation": "exact_match",
        "status": "api_error" if error else "scored",
        "match_result": passed,
        "match_score": None if error else float(passed),
        "response": "" if error else "ok" if passed else "no",
        "reasoning": None,
        "expected": "ok",
        "error": "timed out" if error else None,
        "prompt_tokens": 0 if error else 10,
        "completion_tokens": 0 if error else 1,
        "cost": 0.0 if error else 0.001,
        "judge_prompt_tokens": 0,
        "judge_completion_tokens": 0,
        "judge_cost": 0.0,
        "total_cost": 0.0 if error else 0.001,
    }


def old_record(*cases: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Make a record as evalblink's first schema has it: best combos inside the insights, no zone in the time."""
    scored = [case for case in cases if case["status"] == "scored"]
    combo = {
        "model": "vendor/small",
        "prompt_id": "v1",
        "success": sum(case["match_result"] for case in scored),
        "scored": len(scored),
        "errors": len(cases) - len(scored),
        "total": len(cases),
        "score": 100 * sum(case["match_result"] for case in scored) / len(scored),
        "total_prompt_tokens": 10 * len(scored),
        "total_completion_tokens": len(scored),
        "total_cost": 0.001 * len(scored),
        "test_cases": list(cases),
    }
    insights = {"best_quality": combo, "best_value": combo, "tag_breakdown": [], "warnings": [], "errors": 0}
    return {
        "schema_version": 1,
        "run_id": OLD,
        "benchmark": "Three cases",
        "judge_model": None,
        "temperature": 0,
        "max_tokens": 200,
        "quality_threshold": 0.7,
        "timestamp": "2026-06-08T10:15:00",
        "results": [combo],
        "insights": {**insights, "passed": True, "quality_threshold": 85},
        **fields,
    }


@pytest.fixture
def baseline(online) -> Any:
    cases = [old_case(f"c{number}", passed=True) for number in (1, 2, 3)]
    return online.write("baseline.json", old_record(*cases))


@pytest.mark.parametrize(("answer", "code"), [("ok", 0), ("no", 1)])
def test_a_baseline_kept_with_evalblink_holds_a_new_run(online, api, make, baseline, answer, code):
    api.reply(answer)
    online.write("b.json", make())
    online("run", "b.json")
    done = online("compare", "baseline.json", "--fail-on-regression", "2")
    assert done.returncode == code, done.said
    assert done.stdout.startswith(f"DELTA: {OLD} → ")


def test_history_and_report_read_them_and_count_anew(online):
    cases = [old_case("c1", passed=True), old_case("c2", passed=False), old_case("c3", passed=False, error=True)]
    online.write(f"results/{OLD}.json", old_record(*cases))
    listed = online("history").stdout
    assert OLD in listed
    assert "50.0%" in listed
    done = online("report", OLD)
    assert done.returncode == 0, done.said
    report = (online.folder / "results" / f"{OLD}.md").read_text(encoding="utf-8")
    assert "- 1 pipeline error(s) excluded from scoring.\n" in report
    assert "| c3 | exact_match | – | API error |" in report


@pytest.mark.parametrize("version", [0, 2, 99, "next", None])
def test_no_schema_version_is_refused(online, baseline, version):
    content = json.loads(baseline.read_text(encoding="utf-8"))
    online.write("other.json", {**content, "schema_version": version, "run_id": "other"})
    done = online("compare", "baseline.json", "other.json")
    assert done.returncode == 0, done.said
    assert "Verdict: Run B improves quality on 0/1 shared combo(s)." in done.stdout
