"""What the JSON API says of each thing: the names of the record's fields wherever the record has them."""

from __future__ import annotations

import json
from typing import Any

from steelyard.api import CaseResult, Difference
from steelyard.records import encode_case

from .results.comparison import Figures, Line, Side
from .results.folder import Unreadable
from .results.live import LiveRun, now_s
from .results.rows import Row
from .results.runs import Run
from .results.selection import Page

Fields = dict[str, Any]
"""One object; ``Any`` because its fields differ in type and go straight to the encoder."""


def run_fields(run: Run) -> Fields:
    """Return a run as an entry of the list."""
    best = run.best
    return {
        "id": run.id,
        "run_id": run.record.run_id,
        "benchmark": run.record.benchmark,
        "timestamp": run.record.timestamp,
        "passed": run.record.insights.passed,
        "interrupted": run.record.interrupted,
        "partial": run.partial,
        "duration_s": run.record.duration_s,
        "total_cost": run.cost_usd,
        "best": None
        if best is None
        else {
            "model": best.model,
            "prompt_id": best.prompt_id,
            "score": best.score,
            "score_low": best.score_low,
            "score_high": best.score_high,
            "scored": best.scored,
            "errors": best.errors,
            "total_cost": best.cost_usd,
        },
        "combos": [
            {
                "model": combo.model,
                "prompt_id": combo.prompt_id,
                "total": combo.total,
                "success": combo.passed,
                "failed": combo.failed,
                "errors": combo.errors,
                "not_run": combo.not_run,
                "score": combo.score,
                "score_low": combo.score_low,
                "score_high": combo.score_high,
                "total_cost": combo.cost_usd,
                "latency_p50_ms": combo.latency_p50_ms,
            }
            for combo in run.record.results
        ],
    }


def row_fields(row: Row) -> Fields:
    """Return a case as a row."""
    return {
        "combo": row.combo,
        "number": row.number,
        "id": row.id,
        "status": row.status.value,
        "match_result": row.passed,
        "match_score": row.score,
        "flaky": row.flaky,
        "total_cost": row.cost_usd,
        "latency_ms": row.latency_ms,
        "tags": row.tags,
        "scorers": row.scorers,
        "failed_by": row.failed_by,
    }


def labelled_fields(row: Row, model: str, prompt_id: str) -> Fields:
    """Return a case as a row, with the labels of its combo."""
    return {"model": model, "prompt_id": prompt_id, **row_fields(row)}


def case_fields(result: CaseResult) -> Fields:
    """Return a case in full, as a record has it."""
    fields: Fields = json.loads(encode_case(result))
    return {"model": result.model, "prompt_id": result.prompt_id, **fields}


def line_fields(number: int, line: Line) -> Fields:
    """Return a case on every side."""
    return {
        "line": number,
        "group": line.group,
        "id": line.id,
        "changes": sorted(line.changes),
        "sides": [None if row is None else row_fields(row) for row in line.rows],
    }


def side_fields(side: Side) -> Fields:
    """Return what one side is."""
    combo = None if side.combo is None else side.opened.record.results[side.combo]
    return {
        "key": side.key,
        "run": side.opened.run.id,
        "timestamp": side.opened.record.timestamp,
        "model": combo and combo.model,
        "prompt_id": combo and combo.prompt_id,
    }


def figures_fields(figures: Figures) -> Fields | None:
    """Return how a combo stands on one side; ``None`` where the side does not have it."""
    combo, found = figures.combo, figures.difference
    if combo is None:
        return None
    return {
        "score": combo.score,
        "score_low": combo.score_low,
        "score_high": combo.score_high,
        "scored": combo.scored,
        "errors": combo.errors,
        "total_cost": combo.cost_usd,
        "latency_p50_ms": combo.latency_p50_ms,
        "regressed": figures.regressed,
        "improved": figures.improved,
        "new_errors": figures.new_errors,
        "recovered": figures.recovered,
        "score_delta": found and found.delta,
        **difference_fields(found),
        "mean_score": None if found is None or found.of_scores is None else difference_fields(found.of_scores),
    }


def difference_fields(found: Difference | None) -> Fields:
    """Return how sure a difference is: ``delta`` and its bounds are of the cases that both could score."""
    return {
        "n_paired": found and found.cases,
        "n_independent": found and found.units,
        "delta": found and found.effect,
        "delta_low": found and found.low,
        "delta_high": found and found.high,
        "p_value": found and found.p_value,
        "p_adjusted": found and found.p_adjusted,
        "method": found and found.method,
        "verdict": found and found.verdict,
        "message": found and found.message,
    }


def live_fields(live: LiveRun) -> Fields:
    """Return how far a run is."""
    return {
        "id": live.id,
        "finished": False,
        "benchmark": live.head.benchmark,
        "timestamp": live.head.started,
        "repeat": live.head.repeat,
        "done": live.done,
        "total": live.total,
        "success": live.passed,
        "failed": live.failed,
        "errors": live.errors,
        "spent": live.spent_usd,
        "spent_unknown": live.spent_unknown,
        "quiet_for_s": live.quiet_for_s(now_s()),
        "remaining_s": live.remaining_s(now_s()),
        "combos": [
            {
                "model": combo.model,
                "prompt_id": combo.prompt_id,
                "done": combo.done,
                "total": combo.total,
                "success": combo.passed,
                "failed": combo.failed,
                "errors": combo.errors,
                "score": combo.score,
                "latency_p50_ms": combo.latency_p50_ms,
            }
            for combo in live.combos
        ],
        "latest": [labelled_fields(row, *live.head.labels(row.combo)) for row in live.latest],
    }


def unreadable_fields(one: Unreadable) -> Fields:
    """Return a file that cannot be read, and why."""
    return {"name": one.name, "reason": one.reason}


def page_fields(page: Page[Any]) -> Fields:
    """Return which part of a list it is."""
    return {"page": page.number, "pages": page.pages, "total": page.total}
