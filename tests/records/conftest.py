from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from steelyard.api import (
    Best,
    CaseResult,
    CaseRun,
    ComboResult,
    Insights,
    JudgeResult,
    LabelResult,
    LabelsResult,
    Message,
    PanelResult,
    PassAtResult,
    PluginUsed,
    RunnerUp,
    RunRecord,
    ScoreResult,
    Status,
    TagResult,
)

Make = Callable[..., Any]

LABEL = LabelResult(
    label="billing",
    expected=3,
    predicted=2,
    correct=2,
    precision=1.0,
    precision_low=0.25,
    precision_high=1.0,
    recall=0.5,
    recall_low=0.125,
    recall_high=0.875,
    f1=0.75,
)


@pytest.fixture
def make_run() -> Make:
    def make(**changes: Any) -> CaseRun:
        fields: dict[str, Any] = {
            "repeat": 0,
            "status": Status.SCORED,
            "passed": True,
            "score": 1.0,
            "messages": (Message(role="system", content="Be brief."), Message(role="user", content="Which label?")),
            "response": "billing",
            "prompt_tokens": 80,
            "completion_tokens": 6,
            "cost_usd": 0.25,
            "judge_prompt_tokens": 0,
            "judge_completion_tokens": 0,
            "judge_cost_usd": 0.5,
            "spent_usd": 0.75,
            "latency_ms": 412.5,
            "attempts": 1,
            "finish_reason": "stop",
            "scores": (ScoreResult(scorer="exact_match", name="label", passed=True, score=1.0, reason="equal"),),
        }
        return CaseRun(**fields | changes)

    return make


@pytest.fixture
def make_case(make_run: Make) -> Make:
    def make(id: str = "conv_001", **changes: Any) -> CaseResult:  # noqa: A002 - the field's name
        fields: dict[str, Any] = {
            "model": "openai/gpt-4o-mini",
            "prompt_id": "v1",
            "id": id,
            "status": Status.SCORED,
            "passed": True,
            "score": 1.0,
            "runs": (make_run(),),
            "tags": ("billing", "easy"),
            "evaluation": "exact_match",
            "expected": "billing",
        }
        return CaseResult(**fields | changes)

    return make


@pytest.fixture
def make_record() -> Make:
    """Make a record in which every field differs from its default, and counts are those of the cases."""

    def make(*cases: CaseResult, **changes: Any) -> RunRecord:
        tag = TagResult(
            tag="billing",
            total=4,
            passed=1,
            failed=1,
            errors=1,
            not_run=1,
            score=50.0,
            score_low=9.5,
            score_high=90.5,
            warn=True,
        )
        passed, scored = sum(case.passed for case in cases), sum(case.status is Status.SCORED for case in cases)
        combo = ComboResult(
            model="openai/gpt-4o-mini",
            prompt_id="v1",
            total=len(cases) + 1,
            passed=passed,
            failed=scored - passed,
            errors=len(cases) - scored,
            not_run=1,
            score=100 * passed / scored if scored else None,
            clusters=3,
            effective_cases=5.5,
            run_score=61.5,
            run_score_low=20.25,
            run_score_high=90.75,
            scored_runs=8,
            pass_at=(
                PassAtResult(
                    k=2,
                    cases=4,
                    some=0.75,
                    some_low=0.25,
                    some_high=0.875,
                    every=0.5,
                    every_low=None,
                    every_high=None,
                ),
            ),
            score_low=20.8,
            score_high=93.9,
            mean_score=0.75,
            flaky=1,
            truncated=2,
            cached=3,
            runs=9,
            prompt_tokens=160,
            completion_tokens=12,
            cost_usd=0.5,
            judge_cost_usd=0.25,
            spent_usd=0.125,
            unknown_costs=4,
            latency_p50_ms=400.0,
            latency_p95_ms=900.5,
            tags=(tag,),
            labels=LabelsResult(
                answers=5,
                correct=3,
                labels=(LABEL, replace(LABEL, label="order", precision=None, precision_low=None, precision_high=None)),
                confusion=((2, 1), (0, 1)),
                other=(0, 1),
                macro_precision=0.5,
                macro_recall=0.25,
                macro_f1=0.75,
                weighted_precision=0.125,
                weighted_recall=0.375,
                weighted_f1=0.625,
            ),
            panel=PanelResult(
                judges=(JudgeResult(model="a", scored=5, passed=3, mean_score=3.5, cost_usd=None),),
                outputs=5,
                alpha=0.75,
                alpha_low=0.5,
                alpha_high=0.875,
            ),
            cases=tuple(cases),
        )
        fields: dict[str, Any] = {
            "run_id": "2026-06-10_143205_support",
            "benchmark": "Support",
            "timestamp": "2026-06-10T14:32:05+02:00",
            "steelyard_version": "1.2.3",
            "format": "native",
            "judge_model": "google/gemini-2.5-flash",
            "temperature": 0.5,
            "max_tokens": 200,
            "quality_threshold": 85.0,
            "concurrency": 5,
            "repeat": 3,
            "seed": 7,
            "filters": {"tags": ["billing"], "limit": 2},
            "manifest": {"git": {"commit": "abc"}},
            "plugins": (PluginUsed(name="label", distribution="steelyard-label", version="0.3"),),
            "interrupted": True,
            "duration_s": 12.5,
            "results": (combo,),
            "insights": Insights(
                passed=True,
                verdict="PASS: best score meets quality_threshold (85).",
                best_quality=Best(model="m", prompt_id="v1", score=96.0, cost_usd=0.5),
                best_value=Best(model="n", prompt_id="v2", score=88.0, cost_usd=None),
                runner_up=RunnerUp(
                    model="n",
                    prompt_id="v2",
                    score=88.0,
                    cases=50,
                    lead=8.0,
                    lead_low=-1.5,
                    lead_high=17.5,
                    p_value=0.125,
                    more_cases=40,
                    message="m / v1 and n / v2 cannot be told apart",
                ),
                tags=(tag,),
                warnings=("billing quality is below 70%.",),
                errors=3,
                total=300,
                quality_threshold=85.0,
            ),
        }
        return RunRecord(**fields | changes)

    return make
