"""Results of a suite of tasks: the layout that says ``"format": 1`` of itself and lists ``tasks``, each with its runs.

A task that could not be judged is an error here as there; its run is kept with the message.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..api import CaseResult, CaseRun, ComboResult, Insights, JsonMapping, Message, RunRecord, ScoreResult, Status
from ..errors import RecordError
from .strict_json import (
    amount_of,
    count_of,
    number_of,
    objects_of,
    optional_text_of,
    share_of,
    text_of,
    texts_of,
    whole_of,
)

LAYOUT: Final = 1
PROMPT_ID: Final = "default"
"""A suite has one prompt, without a name; suites that we run ourselves call it so too."""

_PER_CENT: Final = 100.0
_MANIFEST: Final[JsonMapping] = {"layout": "tasks"}
"""What such a file itself says of how its run was made: no more than whose layout it has."""


def is_task_results(document: Mapping[str, Any]) -> bool:
    """Whether a document is such a file, of whatever version."""
    named = isinstance(document.get("suite"), str) or isinstance(document.get("summary"), dict)
    return isinstance(document.get("tasks"), list) and "format" in document and named


def is_task_record(record: RunRecord) -> bool:
    """Whether a record was read from such a file: one target, whose mean score is held to a baseline too."""
    return record.manifest.get("layout") == _MANIFEST["layout"]


def record_of_tasks(document: Mapping[str, Any], path: Path) -> RunRecord:
    """Return the record that a file of results comes to: one combo. Raises ``RecordError`` for another version."""
    if document["format"] != LAYOUT:
        raise RecordError(f"{path}: results of format {document['format']!r}; the only one known is {LAYOUT}")
    target = text_of(document, "target") or "target"
    cases = tuple(_case(path, index, task, target) for index, task in enumerate(document["tasks"]))
    known: Any = document.get("summary")
    summary: Mapping[str, Any] = known if isinstance(known, dict) else {}
    bar = number_of(summary, "fail_under")
    threshold = None if bar is None else bar * _PER_CENT
    return RunRecord(
        run_id=path.stem,
        benchmark=text_of(document, "suite"),
        timestamp=text_of(document, "started_at"),
        quality_threshold=threshold,
        repeat=whole_of(document, "repeat") or 1,
        seed=whole_of(document, "seed"),
        manifest=_MANIFEST,
        duration_s=number_of(document, "duration_s"),
        results=(_combo(target, cases, summary),),
        insights=Insights(passed=summary.get("ok") is True, total=len(cases), quality_threshold=threshold),
    )


def _combo(target: str, cases: tuple[CaseResult, ...], summary: Mapping[str, Any]) -> ComboResult:
    errors = sum(case.status is not Status.SCORED for case in cases)
    passed = sum(case.passed for case in cases)
    scored = len(cases) - errors
    return ComboResult(
        model=target,
        prompt_id=PROMPT_ID,
        total=len(cases),
        passed=passed,
        failed=scored - passed,
        errors=errors,
        score=_PER_CENT * passed / scored if scored else None,
        mean_score=share_of(summary, "score"),
        flaky=sum(case.flaky for case in cases),
        cached=whole_of(summary, "cached_runs") or 0,
        runs=sum(len(case.runs) for case in cases),
        prompt_tokens=count_of(summary, "input_tokens"),
        completion_tokens=count_of(summary, "output_tokens"),
        cost_usd=amount_of(summary, "cost_usd"),
        spent_usd=amount_of(summary, "cost_usd_spent"),
        latency_p50_ms=amount_of(summary, "latency_ms_p50"),
        latency_p95_ms=amount_of(summary, "latency_ms_p95"),
        cases=cases,
    )


def _case(path: Path, index: int, task: object, target: str) -> CaseResult:
    if not isinstance(task, dict) or not isinstance(task.get("id"), str):
        raise RecordError(f"{path}: not results of tasks: tasks[{index}] must be an object with a text 'id'")
    scored = task.get("status") != "error"
    passed = scored and task.get("passed") is True
    score = share_of(task, "score") if scored else None
    prompt = optional_text_of(task, "prompt")
    messages = () if prompt is None else (Message(role="user", content=prompt),)
    runs = tuple(_run(run, messages) for run in objects_of(task, "runs"))
    status = Status.SCORED if scored else Status.API_ERROR
    if scored and score is None:
        score = float(passed)
    return CaseResult(
        model=target,
        prompt_id=PROMPT_ID,
        id=task["id"],
        status=status,
        passed=passed,
        score=score,
        runs=runs or (CaseRun(repeat=0, status=status, passed=passed, score=score, messages=messages),),
        tags=texts_of(task, "tags"),
        expected=task.get("expected"),
        flaky=len({run.passed for run in runs if run.status is Status.SCORED}) > 1,
    )


def _run(run: Mapping[str, Any], messages: tuple[Message, ...]) -> CaseRun:
    error = optional_text_of(run, "error")
    scored = error is None
    passed = scored and run.get("passed") is True
    score = share_of(run, "score") if scored else None
    return CaseRun(
        repeat=whole_of(run, "repeat") or 0,
        status=Status.SCORED if scored else Status.API_ERROR,
        passed=passed,
        score=float(passed) if scored and score is None else score,
        messages=messages,
        response=text_of(run, "output"),
        error=error,
        prompt_tokens=count_of(run, "input_tokens"),
        completion_tokens=count_of(run, "output_tokens"),
        cost_usd=amount_of(run, "cost_usd"),
        latency_ms=amount_of(run, "latency_ms"),
        cached=run.get("cached") is True,
        attempts=whole_of(run, "attempts") or 0,
        scores=tuple(_score(grade) for grade in objects_of(run, "grades")),
    )


def _score(grade: Mapping[str, Any]) -> ScoreResult:
    passed = grade.get("passed")
    return ScoreResult(
        scorer=text_of(grade, "grader"),
        name=text_of(grade, "grader"),
        passed=passed if isinstance(passed, bool) else None,
        score=share_of(grade, "score"),
        reason=text_of(grade, "reason"),
    )
