"""One case as a line of JSON, and back: what a journal and a record are made of."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from ..api import CaseResult, CaseRun, Status
from ..errors import RecordError
from .runs import Keep, add_call, messages_fields, messages_of, run_fields, run_of, score_fields, total, verdict_of
from .strict_json import (
    Fields,
    compact,
    foreign,
    mapping_of,
    number_of,
    objects_of,
    optional_text_of,
    parsed,
    quick,
    text_of,
    texts_of,
)


def encode_case(result: CaseResult) -> bytes:
    """Return a case as one line of JSON without a line end: the same bytes in a journal and in a record.

    Model and prompt are left out, since the combo that holds the case has them. Lone surrogates become ``?``, numbers
    that JSON does not have become null.
    """
    try:
        return quick(_case_fields(result, foreign))
    except (TypeError, ValueError, RecursionError):
        return compact(_case_fields(result, lambda value: value))


def decode_case(line: bytes, model: str, prompt_id: str) -> CaseResult:
    """Return the case of a line that :func:`encode_case` made, under the labels of its combo.

    Raises ``RecordError`` when the line is no JSON object.
    """
    try:
        data = parsed(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"a stored case is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise RecordError("a stored case is not a JSON object")
    return case_of(data, model, prompt_id)


def case_of(data: Mapping[str, Any], model: str, prompt_id: str) -> CaseResult:
    """Return the case that an object describes; what is absent or of a wrong type is unknown."""
    status, passed, score = verdict_of(data)
    repeats = objects_of(data, "runs")
    if repeats:
        messages = messages_of(data, "prompt")
        runs = tuple(run_of(run, messages=messages) for run in repeats)
    else:
        runs = (run_of(data),)
    return CaseResult(
        model=model,
        prompt_id=prompt_id,
        id=text_of(data, "id"),
        status=status,
        passed=passed,
        score=score,
        runs=runs,
        tags=texts_of(data, "tags"),
        evaluation=text_of(data, "evaluation"),
        expected=data.get("expected"),
        metadata=mapping_of(data, "metadata"),
        human_score=number_of(data, "human_score"),
        flaky=data.get("flaky") is True,
        cluster=optional_text_of(data, "cluster"),
    )


def _case_fields(result: CaseResult, keep: Keep) -> Fields:
    """Return the fields of a case: those of its one run, or of the one that stands for all; all follow in ``runs``.

    What may be of any type goes through ``keep``.
    """
    shown = _shown_run(result)
    fields: Fields = {
        "id": result.id,
        "tags": result.tags,
        "evaluation": result.evaluation,
        "prompt": messages_fields(shown.messages),
        "status": result.status.value,
        "match_result": result.passed,
        "match_score": result.score,
        "response": shown.response,
        "reasoning": shown.reasoning,
        "expected": keep(result.expected),
        "error": shown.error,
    }
    if len(result.runs) == 1 and shown.repeat == 0:
        add_call(fields, shown, keep)
    else:
        _add_sums(fields, result, shown, keep)
        fields["runs"] = [run_fields(run, shown=shown, keep=keep) for run in result.runs]
    if result.flaky:
        fields["flaky"] = True
    if result.metadata:
        fields["metadata"] = keep(result.metadata)
    if result.human_score is not None:
        fields["human_score"] = result.human_score
    if result.cluster is not None:
        fields["cluster"] = result.cluster
    return fields


def _shown_run(result: CaseResult) -> CaseRun:
    """Return the run whose answer stands for the case: the first one with the case's own verdict."""
    for run in result.runs:
        if run.status is result.status and run.passed == result.passed:
            return run
    return result.runs[0]


def _add_sums(fields: Fields, result: CaseResult, shown: CaseRun, keep: Keep) -> None:
    """Add what all runs of a case took together."""
    runs = result.runs
    latencies = [run.latency_ms for run in runs if run.latency_ms is not None]
    cost, judge_cost = total(run.cost_usd for run in runs), total(run.judge_cost_usd for run in runs)
    fields["prompt_tokens"] = total(run.prompt_tokens for run in runs)
    fields["completion_tokens"] = total(run.completion_tokens for run in runs)
    fields["cost"] = cost
    fields["judge_prompt_tokens"] = total(run.judge_prompt_tokens for run in runs)
    fields["judge_completion_tokens"] = total(run.judge_completion_tokens for run in runs)
    fields["judge_cost"] = judge_cost
    fields["total_cost"] = total((cost, judge_cost))
    fields["spent"] = total(run.spent_usd for run in runs)
    fields["latency_ms"] = statistics.median(latencies) if latencies else None
    fields["cached"] = all(run.cached for run in runs)
    fields["attempts"] = sum(run.attempts for run in runs)
    fields["finish_reason"] = shown.finish_reason
    fields["scores"] = [score_fields(score, keep) for score in shown.scores]
    if result.status is Status.SCORED:
        fields["error"] = None
