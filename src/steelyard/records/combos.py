"""What stands around the cases of a record, as JSON and back: its head, its combos, and what they come to.

The names are evalblink's wherever it had one, so that old and new records can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..api import Best, CaseResult, ComboResult, Insights, PluginUsed, RunnerUp, RunRecord, Status, TagResult
from .measures import labels_of, measure_fields, panel_of, pass_at_of
from .strict_json import (
    Fields,
    amount_of,
    count_of,
    mapping_of,
    number_of,
    objects_of,
    optional_text_of,
    per_cent_of,
    share_of,
    text_of,
    texts_of,
    whole_of,
)

SCHEMA_VERSION = 2
"""What is written: 1 is evalblink's, 2 adds intervals, latency, single scores and the rest."""


def head_fields(record: RunRecord) -> Fields:
    """Return the fields of a record that stand before its results."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": record.run_id,
        "benchmark": record.benchmark,
        "timestamp": record.timestamp,
        "steelyard_version": record.steelyard_version,
        "format": record.format,
        "judge_model": record.judge_model,
        "temperature": record.temperature,
        "max_tokens": record.max_tokens,
        "quality_threshold": record.quality_threshold,
        "concurrency": record.concurrency,
        "repeat": record.repeat,
        "filters": record.filters,
        "seed": record.seed,
        "plugins": [
            {"name": used.name, "distribution": used.distribution, "version": used.version} for used in record.plugins
        ],
        "interrupted": record.interrupted,
        "duration_s": record.duration_s,
        "manifest": record.manifest,
    }


def record_of(data: Mapping[str, Any], results: tuple[ComboResult, ...], run_id: str) -> RunRecord:
    """Return the record that an object describes, with results that are read already."""
    version = whole_of(data, "schema_version") or 1
    insights = mapping_of(data, "insights")
    # evalblink keeps a threshold per case at the top, and the gate's among the insights only.
    gate = number_of(insights if version == 1 else data, "quality_threshold")
    return RunRecord(
        run_id=text_of(data, "run_id", run_id),
        benchmark=text_of(data, "benchmark"),
        timestamp=text_of(data, "timestamp"),
        schema_version=version,
        steelyard_version=text_of(data, "steelyard_version"),
        format=text_of(data, "format"),
        judge_model=optional_text_of(data, "judge_model"),
        temperature=number_of(data, "temperature"),
        max_tokens=whole_of(data, "max_tokens"),
        quality_threshold=gate,
        concurrency=whole_of(data, "concurrency"),
        repeat=whole_of(data, "repeat") or 1,
        seed=whole_of(data, "seed"),
        filters=mapping_of(data, "filters"),
        manifest=mapping_of(data, "manifest"),
        plugins=tuple(
            PluginUsed(
                name=text_of(used, "name"), distribution=text_of(used, "distribution"), version=text_of(used, "version")
            )
            for used in objects_of(data, "plugins")
        ),
        interrupted=data.get("interrupted") is True,
        duration_s=number_of(data, "duration_s"),
        results=results,
        insights=_insights_of(insights, gate),
    )


def combo_fields(combo: ComboResult) -> Fields:
    """Return the fields of a combo that stand before its cases."""
    return {
        "model": combo.model,
        "prompt_id": combo.prompt_id,
        "success": combo.passed,
        "failed": combo.failed,
        "errors": combo.errors,
        "not_run": combo.not_run,
        "total": combo.total,
        "scored": combo.scored,
        "score": combo.score,
        "score_low": combo.score_low,
        "score_high": combo.score_high,
        **_where_known(clusters=combo.clusters, effective_cases=combo.effective_cases),
        **_where_known(
            run_score=combo.run_score,
            run_score_low=combo.run_score_low,
            run_score_high=combo.run_score_high,
            scored_runs=combo.scored_runs,
        ),
        "mean_score": combo.mean_score,
        "flaky": combo.flaky,
        "truncated": combo.truncated,
        "cached": combo.cached,
        "run_count": combo.runs,
        "total_prompt_tokens": combo.prompt_tokens,
        "total_completion_tokens": combo.completion_tokens,
        "total_cost": combo.cost_usd,
        "judge_cost": combo.judge_cost_usd,
        "spent": combo.spent_usd,
        "unknown_costs": combo.unknown_costs,
        "latency_p50_ms": combo.latency_p50_ms,
        "latency_p95_ms": combo.latency_p95_ms,
        "tags": [_tag_fields(tag) for tag in combo.tags],
        **measure_fields(combo.labels, combo.panel, combo.pass_at),
    }


def combo_of(data: Mapping[str, Any], cases: Sequence[CaseResult]) -> ComboResult:
    """Return the combo that an object describes, with cases that are read already."""
    counts = _counts(data, cases)
    return ComboResult(
        model=text_of(data, "model"),
        prompt_id=text_of(data, "prompt_id"),
        **counts,
        score=per_cent_of(data, "score") if counts["passed"] + counts["failed"] else None,
        score_low=per_cent_of(data, "score_low"),
        score_high=per_cent_of(data, "score_high"),
        clusters=whole_of(data, "clusters"),
        effective_cases=number_of(data, "effective_cases"),
        run_score=per_cent_of(data, "run_score"),
        run_score_low=per_cent_of(data, "run_score_low"),
        run_score_high=per_cent_of(data, "run_score_high"),
        scored_runs=whole_of(data, "scored_runs"),
        pass_at=pass_at_of(data),
        mean_score=share_of(data, "mean_score"),
        flaky=whole_of(data, "flaky") or 0,
        truncated=whole_of(data, "truncated") or 0,
        cached=whole_of(data, "cached") or 0,
        runs=whole_of(data, "run_count") or 0,
        prompt_tokens=count_of(data, "total_prompt_tokens"),
        completion_tokens=count_of(data, "total_completion_tokens"),
        cost_usd=amount_of(data, "total_cost"),
        judge_cost_usd=amount_of(data, "judge_cost"),
        spent_usd=amount_of(data, "spent"),
        unknown_costs=whole_of(data, "unknown_costs") or 0,
        latency_p50_ms=amount_of(data, "latency_p50_ms"),
        latency_p95_ms=amount_of(data, "latency_p95_ms"),
        tags=tuple(_tag_of(tag) for tag in objects_of(data, "tags")),
        labels=labels_of(data),
        panel=panel_of(data),
        cases=cases,
    )


def insights_fields(insights: Insights) -> Fields:
    """Return the fields of what the results come to."""
    return {
        "passed": insights.passed,
        "verdict": insights.verdict,
        "quality_threshold": insights.quality_threshold,
        "best_quality": _best_fields(insights.best_quality),
        "best_value": _best_fields(insights.best_value),
        "runner_up": _runner_up_fields(insights.runner_up),
        "tags": [_tag_fields(tag) for tag in insights.tags],
        "warnings": insights.warnings,
        "errors": insights.errors,
        "total": insights.total,
    }


def _where_known(**fields: object) -> Fields:
    """Return the fields when the first of them is known: what most runs have nothing to say about is left out."""
    return fields if next(iter(fields.values())) is not None else {}


def _insights_of(data: Mapping[str, Any], gate: float | None) -> Insights:
    return Insights(
        passed=data.get("passed") is True,
        verdict=text_of(data, "verdict"),
        best_quality=_best_of(data.get("best_quality")),
        best_value=_best_of(data.get("best_value")),
        runner_up=_runner_up_of(data.get("runner_up")),
        tags=tuple(_tag_of(tag) for tag in objects_of(data, "tags")),
        warnings=texts_of(data, "warnings"),
        errors=whole_of(data, "errors") or 0,
        total=whole_of(data, "total") or 0,
        quality_threshold=number_of(data, "quality_threshold") if "quality_threshold" in data else gate,
    )


def _counts(data: Mapping[str, Any], cases: Sequence[CaseResult]) -> dict[str, int]:
    """Return the counts of a combo or tag, which always add up; what the file does not say is counted."""
    passed, errors, scored = (whole_of(data, key) for key in ("success", "errors", "scored"))
    failed = whole_of(data, "failed")
    if failed is None and passed is not None and scored is not None:
        failed = scored - passed
    if passed is None or failed is None or errors is None or min(passed, failed, errors) < 0:
        passed = sum(case.passed for case in cases)
        errors = sum(case.status is not Status.SCORED for case in cases)
        failed = len(cases) - passed - errors
    done = passed + failed + errors
    not_run = whole_of(data, "not_run")
    if not_run is None:
        not_run = (whole_of(data, "total") or 0) - done
    not_run = max(not_run, 0)
    return {"total": done + not_run, "passed": passed, "failed": failed, "errors": errors, "not_run": not_run}


def _tag_fields(tag: TagResult) -> Fields:
    return {
        "tag": tag.tag,
        "total": tag.total,
        "success": tag.passed,
        "failed": tag.failed,
        "errors": tag.errors,
        "not_run": tag.not_run,
        "score": tag.score,
        "score_low": tag.score_low,
        "score_high": tag.score_high,
        "warn": tag.warn,
    }


def _tag_of(data: Mapping[str, Any]) -> TagResult:
    return TagResult(
        tag=text_of(data, "tag"),
        **_counts(data, ()),
        score=number_of(data, "score"),
        score_low=number_of(data, "score_low"),
        score_high=number_of(data, "score_high"),
        warn=data.get("warn") is True,
    )


def _best_fields(best: Best | None) -> Fields | None:
    if best is None:
        return None
    return {"model": best.model, "prompt_id": best.prompt_id, "score": best.score, "total_cost": best.cost_usd}


def _best_of(data: object) -> Best | None:
    """Return the combo that a recommendation names; evalblink puts the whole combo there."""
    if not isinstance(data, dict):
        return None
    score = number_of(data, "score")
    if score is None:
        return None
    return Best(
        model=text_of(data, "model"),
        prompt_id=text_of(data, "prompt_id"),
        score=score,
        cost_usd=amount_of(data, "total_cost"),
    )


def _runner_up_fields(runner_up: RunnerUp | None) -> Fields | None:
    if runner_up is None:
        return None
    return {
        "model": runner_up.model,
        "prompt_id": runner_up.prompt_id,
        "score": runner_up.score,
        "cases": runner_up.cases,
        "lead": runner_up.lead,
        "lead_low": runner_up.lead_low,
        "lead_high": runner_up.lead_high,
        "p_value": runner_up.p_value,
        "told_apart": runner_up.told_apart,
        "more_cases": runner_up.more_cases,
        "message": runner_up.message,
    }


def _runner_up_of(data: object) -> RunnerUp | None:
    if not isinstance(data, dict):
        return None
    score, lead, cases = number_of(data, "score"), number_of(data, "lead"), whole_of(data, "cases")
    if score is None or lead is None or cases is None:
        return None
    return RunnerUp(
        model=text_of(data, "model"),
        prompt_id=text_of(data, "prompt_id"),
        score=score,
        cases=cases,
        lead=lead,
        lead_low=number_of(data, "lead_low"),
        lead_high=number_of(data, "lead_high"),
        p_value=number_of(data, "p_value"),
        told_apart=data.get("told_apart") is True,
        more_cases=whole_of(data, "more_cases"),
        message=text_of(data, "message"),
    )
