"""Results and records whose numbers agree with each other, for tests of reporters and of what reads records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..api import Best, CaseResult, CaseRun, ComboResult, Insights, Message, RunPlan, RunRecord, ScoreResult, Status
from .builders import MODEL, PROMPT

SCORER = "fake"
PER_CENT = 100.0


def make_case_run(*, passed: bool = True, status: Status = Status.SCORED, **fields: Any) -> CaseRun:
    """Make one run of a case: judged, or with the status of an error. ``fields`` are those of ``CaseRun``."""
    scored = status is Status.SCORED
    passed = passed and scored
    score = float(passed) if scored else None
    reason = ("as wanted" if passed else "not as wanted") if scored else "could not be judged"
    defaults: dict[str, Any] = {
        "repeat": 0,
        "score": score,
        "messages": (Message(role="user", content="a question"),),
        "response": "an answer" if status is not Status.API_ERROR else "",
        "error": None if scored else f"a {status}",
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "cost_usd": 0.001,
        "judge_cost_usd": 0.0,
        "spent_usd": 0.001,
        "latency_ms": 120.0,
        "attempts": 1,
        "finish_reason": "stop",
        "scores": (
            ScoreResult(
                scorer=SCORER,
                name=SCORER,
                passed=passed if scored else None,
                score=score,
                reason=reason,
                status=status,
            ),
        ),
    }
    if status is Status.API_ERROR:
        defaults |= {"prompt_tokens": None, "completion_tokens": None, "cost_usd": None, "scores": ()}
    return CaseRun(passed=passed, status=status, **{**defaults, **fields})


def make_case_result(
    id: str = "case-1",  # noqa: A002 - the field's own name
    *,
    passed: bool = True,
    status: Status = Status.SCORED,
    runs: Sequence[CaseRun] | None = None,
    model: str = MODEL,
    prompt_id: str = PROMPT,
    **fields: Any,
) -> CaseResult:
    """Make the result of a case. Fields of ``CaseRun`` among ``fields`` go to its one run, the others to the result."""
    if runs is None:
        own = {name: fields.pop(name) for name in list(fields) if name in CaseRun.__dataclass_fields__}
        runs = (make_case_run(passed=passed, status=status, **own),)
    scores = [run.score for run in runs if run.score is not None]
    defaults: dict[str, Any] = {
        "score": sum(scores) / len(scores) if scores and status is Status.SCORED else None,
        "evaluation": SCORER,
        "expected": "an answer",
        "flaky": len({run.passed for run in runs if run.status is Status.SCORED}) > 1,
    }
    return CaseResult(
        model=model,
        prompt_id=prompt_id,
        id=id,
        status=status,
        passed=passed and status is Status.SCORED,
        runs=tuple(runs),
        **{**defaults, **fields},
    )


def make_combo(cases: Sequence[CaseResult] = (), **fields: Any) -> ComboResult:
    """Make the result of a combo, counted from its cases."""
    passed = sum(case.passed for case in cases)
    errors = sum(case.status is not Status.SCORED for case in cases)
    failed = len(cases) - passed - errors
    scored = passed + failed
    runs = [run for case in cases for run in case.runs]
    defaults: dict[str, Any] = {
        "model": cases[0].model if cases else MODEL,
        "prompt_id": cases[0].prompt_id if cases else PROMPT,
        "total": len(cases),
        "score": PER_CENT * passed / scored if scored else None,
        "runs": len(runs),
        "flaky": sum(case.flaky for case in cases),
        "cached": sum(run.cached for run in runs),
        "prompt_tokens": _sum(run.prompt_tokens for run in runs),
        "completion_tokens": _sum(run.completion_tokens for run in runs),
        "cost_usd": _sum(run.cost_usd for run in runs),
        "judge_cost_usd": _sum(run.judge_cost_usd for run in runs),
        "spent_usd": _sum(run.spent_usd for run in runs),
        "unknown_costs": sum(run.cost_usd is None for run in runs),
        "latency_p50_ms": 120.0 if runs else None,
        "latency_p95_ms": 120.0 if runs else None,
    }
    return ComboResult(passed=passed, failed=failed, errors=errors, cases=tuple(cases), **{**defaults, **fields})


def make_record(results: Iterable[ComboResult | CaseResult] = (), **fields: Any) -> RunRecord:
    """Make a record of these combos, or of these cases, which are put into combos by model and prompt."""
    combos = _combos(results)
    total, errors = sum(combo.total for combo in combos), sum(combo.errors for combo in combos)
    rated = [combo for combo in combos if combo.score is not None]
    best = max(rated, key=lambda combo: combo.score or 0.0, default=None)
    defaults: dict[str, Any] = {
        "run_id": "2026-01-02_030405_a-benchmark",
        "benchmark": "a benchmark",
        "timestamp": "2026-01-02T03:04:05+00:00",
        "steelyard_version": "0.0",
        "format": "fake",
        "concurrency": 1,
        "duration_s": 1.5,
        "insights": Insights(
            passed=best is not None,
            verdict="" if best else "FAIL: nothing could be scored.",
            best_quality=None if best is None else _best(best),
            best_value=None if best is None else _best(best),
            errors=errors,
            total=total,
        ),
    }
    return RunRecord(results=combos, **{**defaults, **fields})


def make_plan(record: RunRecord, folder: Path, **fields: Any) -> RunPlan:
    """Make the plan that a record would come from, with its files in ``folder``."""
    defaults: dict[str, Any] = {
        "run_id": record.run_id,
        "benchmark": record.benchmark,
        "combos": tuple([(combo.model, combo.prompt_id) for combo in record.results]),
        "cases": max((combo.total for combo in record.results), default=0),
        "repeat": record.repeat,
        "concurrency": record.concurrency or 1,
        "results_dir": folder,
        "record_path": folder / f"{record.run_id}.json",
    }
    return RunPlan(**{**defaults, **fields})


def _combos(results: Iterable[ComboResult | CaseResult]) -> tuple[ComboResult, ...]:
    combos: list[ComboResult] = []
    cases: dict[tuple[str, str], list[CaseResult]] = {}
    for result in results:
        if isinstance(result, ComboResult):
            combos.append(result)
        else:
            cases.setdefault((result.model, result.prompt_id), []).append(result)
    return (*combos, *map(make_combo, cases.values()))


def _best(combo: ComboResult) -> Best:
    return Best(model=combo.model, prompt_id=combo.prompt_id, score=combo.score or 0.0, cost_usd=combo.cost_usd)


def _sum(values: Iterable[Any]) -> Any:
    """Return the sum, or ``None`` when a part is unknown: the rule of every report."""
    found = list(values)
    return None if not found or None in found else sum(found)
