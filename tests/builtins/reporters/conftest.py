from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import (
    Best,
    CaseResult,
    CaseRun,
    ComboResult,
    Insights,
    NoSettings,
    PluginContext,
    Progress,
    Reporter,
    RunPlan,
    RunRecord,
    ScoreResult,
    Status,
    TagResult,
)
from steelyard.records import write_record

Make = Callable[..., Any]


@pytest.fixture
def make_case() -> Make:
    def make(
        name: str = "conv_001",
        *,
        passed: bool = True,
        error: str | None = None,
        status: Status | None = None,
        runs: Sequence[CaseRun] = (),
        **changes: Any,
    ) -> CaseResult:
        status = status or (Status.SCORED if error is None else Status.API_ERROR)
        score = float(passed) if status is Status.SCORED else None
        reason = "" if passed else "expected 'billing', got 'other'"
        verdict = ScoreResult(scorer="exact_match", name="label", passed=passed, score=float(passed), reason=reason)
        run = CaseRun(
            repeat=0,
            status=status,
            passed=passed and score is not None,
            score=score,
            response=changes.pop("response", "billing"),
            error=error,
            prompt_tokens=80,
            completion_tokens=6,
            cost_usd=changes.pop("cost_usd", 0.000016),
            judge_cost_usd=0.0,
            spent_usd=0.000016,
            latency_ms=512.0,
            attempts=1,
            scores=(verdict,) if score is not None else (),
        )
        fields: dict[str, Any] = {
            "model": "openai/gpt-4o-mini",
            "prompt_id": "v1",
            "id": name,
            "status": status,
            "passed": run.passed,
            "score": score,
            "runs": tuple(runs) or (run,),
            "tags": ("billing",),
            "evaluation": "exact_match",
            "expected": "billing",
        }
        return CaseResult(**fields | changes)

    return make


@pytest.fixture
def make_combo() -> Make:
    def make(
        *cases: CaseResult, model: str = "openai/gpt-4o-mini", prompt_id: str = "v1", **changes: Any
    ) -> ComboResult:
        passed = sum(case.passed for case in cases)
        errors = sum(case.status is not Status.SCORED for case in cases)
        counts = {"passed": passed, "failed": len(cases) - passed - errors, "errors": errors, "not_run": 0}
        counts |= {key: changes.pop(key) for key in tuple(changes) if key in counts}
        scored = counts["passed"] + counts["failed"]
        fields: dict[str, Any] = {
            "model": model,
            "prompt_id": prompt_id,
            "total": sum(counts.values()),
            "score": 100 * counts["passed"] / scored if scored else None,
            "cost_usd": 0.0,
            "spent_usd": 0.0,
            "cases": cases,
        }
        return ComboResult(**counts | fields | changes)

    return make


@pytest.fixture
def make_record() -> Make:
    def make(*results: ComboResult, **changes: Any) -> RunRecord:
        fields: dict[str, Any] = {
            "run_id": "2026-06-10_143205_support",
            "benchmark": "Support",
            "timestamp": "2026-06-10T14:32:05+02:00",
            "results": results,
            "insights": Insights(passed=True),
        }
        return RunRecord(**fields | changes)

    return make


@pytest.fixture
def sample(make_combo: Make, make_record: Make) -> RunRecord:
    """Return the run that evalblink's README shows, figure by figure."""
    rows = [
        ("openai/gpt-4o-mini", "v1", 43, 49, 1, 4018, 294, 0.000784),
        ("openai/gpt-4o-mini", "v2", 45, 50, 0, 5000, 300, 0.000960),
        ("anthropic/claude-sonnet-4.6", "v1", 47, 50, 0, 4100, 300, 0.0175),
        ("anthropic/claude-sonnet-4.6", "v2", 48, 50, 0, 5000, 300, 0.021),
        ("mistralai/mistral-small-2603", "v1", 41, 48, 2, 3936, 288, 0.000768),
        ("mistralai/mistral-small-2603", "v2", 44, 50, 0, 5000, 300, 0.000960),
    ]
    combos = [
        make_combo(
            model=model,
            prompt_id=prompt,
            passed=passed,
            failed=scored - passed,
            errors=errors,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            cost_usd=cost,
            spent_usd=cost,
        )
        for model, prompt, passed, scored, errors, prompt_tokens, completion_tokens, cost in rows
    ]
    tags = [
        TagResult(
            tag=tag, total=total, passed=passed, failed=total - passed, errors=0, score=100 * passed / total, warn=warn
        )
        for tag, total, passed, warn in (
            ("edge_case", 5, 3, True),
            ("non_english", 4, 2, True),
            ("billing", 12, 12, False),
            ("easy", 30, 30, False),
            ("medium", 15, 15, False),
        )
    ]
    insights = Insights(
        passed=True,
        verdict="PASS: best score meets quality_threshold (85).",
        best_quality=Best(model="anthropic/claude-sonnet-4.6", prompt_id="v2", score=96.0, cost_usd=0.021),
        best_value=Best(model="openai/gpt-4o-mini", prompt_id="v1", score=4300 / 49, cost_usd=0.000784),
        tags=tuple(tags),
        warnings=("edge_case quality is below 70%.", "non_english quality is below 70%."),
        errors=3,
        total=300,
    )
    record: RunRecord = make_record(
        *combos,
        benchmark="Customer Support Classification",
        run_id="2026-06-10_143205_customer-support-classification",
        insights=insights,
    )
    return record


@pytest.fixture
def make_context(tmp_path: Path) -> Make:
    def make(environ: Mapping[str, str] | None = None, output: Path | None = None) -> PluginContext:
        return PluginContext(
            base_dir=tmp_path, work_dir=tmp_path, cache_dir=tmp_path, environ=environ or {}, output=output
        )

    return make


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_context: Make) -> Make:
    """Let a reporter hear a whole run, in an empty folder, with the record stored first."""
    monkeypatch.chdir(tmp_path)

    def run(
        module: Any,
        record: RunRecord,
        *,
        environ: Mapping[str, str] | None = None,
        output: Path | None = None,
        progress: Sequence[Progress] = (),
        store: bool = True,
        **plan: Any,
    ) -> None:
        reporter: Reporter = module.create(NoSettings(), make_context(environ, output))
        fields: dict[str, Any] = {
            "run_id": record.run_id,
            "benchmark": record.benchmark,
            "combos": tuple((combo.model, combo.prompt_id) for combo in record.results),
            "cases": max((combo.total for combo in record.results), default=0),
            "repeat": record.repeat,
            "concurrency": 5,
            "results_dir": Path("results"),
            "record_path": Path("results", f"{record.run_id}.json") if store else None,
        }
        planned = RunPlan(**fields | plan)
        reporter.run_started(planned)
        for combo in record.results:
            for case in combo.cases:
                reporter.case_finished(case)
        for step in progress:
            reporter.progress(step)  # type: ignore[attr-defined]
        if planned.record_path is not None:
            write_record(planned.record_path, record)
        reporter.run_finished(record)
        if hasattr(reporter, "close"):
            reporter.close()

    return run
