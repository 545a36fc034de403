"""One run of one case as JSON, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from ..api import CaseRun, Message, Role, ScoreResult, Status
from .strict_json import (
    Fields,
    amount_of,
    count_of,
    mapping_of,
    number_of,
    objects_of,
    optional_text_of,
    share_of,
    text_of,
    whole_of,
)

Keep = Callable[[object], object]
"""Makes ready for the encoder what may be of any type."""

_ROLES = frozenset({"system", "user", "assistant"})
# evalblink's own words for a case that was judged.
_SCORED_WORDS = frozenset({"scored", "success", "fail"})
_ERRORS = {status.value: status for status in Status if status is not Status.SCORED}


def run_fields(run: CaseRun, *, shown: CaseRun, keep: Keep) -> Fields:
    """Return the fields of one of several runs; a prompt that equals the shown run's is left out."""
    fields: Fields = {
        "repeat": run.repeat,
        "status": run.status.value,
        "match_result": run.passed,
        "match_score": run.score,
        "response": run.response,
        "reasoning": run.reasoning,
        "error": run.error,
    }
    if run.messages != shown.messages:
        fields["prompt"] = messages_fields(run.messages)
    add_call(fields, run, keep)
    return fields


def add_call(fields: Fields, run: CaseRun, keep: Keep) -> None:
    """Add what a run took and how it was judged."""
    fields["prompt_tokens"] = run.prompt_tokens
    fields["completion_tokens"] = run.completion_tokens
    fields["cost"] = run.cost_usd
    fields["judge_prompt_tokens"] = run.judge_prompt_tokens
    fields["judge_completion_tokens"] = run.judge_completion_tokens
    fields["judge_cost"] = run.judge_cost_usd
    fields["total_cost"] = total((run.cost_usd, run.judge_cost_usd))
    fields["spent"] = run.spent_usd
    fields["latency_ms"] = run.latency_ms
    fields["cached"] = run.cached
    fields["attempts"] = run.attempts
    fields["finish_reason"] = run.finish_reason
    fields["scores"] = [score_fields(score, keep) for score in run.scores]
    if run.transcript:
        fields["transcript"] = messages_fields(run.transcript)


def run_of(data: Mapping[str, Any], *, messages: tuple[Message, ...] = ()) -> CaseRun:
    """Return the run that an object describes; ``messages`` is its prompt when it names none."""
    status, passed, score = verdict_of(data)
    return CaseRun(
        repeat=whole_of(data, "repeat") or 0,
        status=status,
        passed=passed,
        score=score,
        messages=messages_of(data, "prompt") or messages,
        transcript=messages_of(data, "transcript"),
        response=text_of(data, "response"),
        reasoning=optional_text_of(data, "reasoning"),
        error=optional_text_of(data, "error"),
        prompt_tokens=count_of(data, "prompt_tokens"),
        completion_tokens=count_of(data, "completion_tokens"),
        cost_usd=amount_of(data, "cost"),
        judge_prompt_tokens=count_of(data, "judge_prompt_tokens"),
        judge_completion_tokens=count_of(data, "judge_completion_tokens"),
        judge_cost_usd=amount_of(data, "judge_cost"),
        spent_usd=amount_of(data, "spent"),
        latency_ms=amount_of(data, "latency_ms"),
        cached=data.get("cached") is True,
        attempts=whole_of(data, "attempts") or 0,
        finish_reason=optional_text_of(data, "finish_reason"),
        scores=tuple(score_of(score) for score in objects_of(data, "scores")),
    )


def verdict_of(data: Mapping[str, Any]) -> tuple[Status, bool, float | None]:
    """Return status, whether it passed, and the score. An error passes nothing and scores nothing."""
    word = text_of(data, "status")
    passed = data.get("match_result") is True
    score = share_of(data, "match_score")
    if word in _SCORED_WORDS or (word not in _ERRORS and number_of(data, "match_score") is not None):
        return Status.SCORED, passed, score
    return _ERRORS.get(word, Status.INTERNAL_ERROR), False, None


def score_fields(score: ScoreResult, keep: Keep) -> Fields:
    """Return the fields of one scorer's verdict."""
    fields: Fields = {
        "scorer": score.scorer,
        "name": score.name,
        "passed": score.passed,
        "score": score.score,
        "reason": score.reason,
    }
    if score.weight != 1.0:
        fields["weight"] = score.weight
    if score.status is not Status.SCORED:
        fields["status"] = score.status.value
    if score.details:
        fields["details"] = keep(score.details)
    return fields


def score_of(data: Mapping[str, Any]) -> ScoreResult:
    """Return the verdict of one scorer that an object describes."""
    passed = data.get("passed")
    weight = number_of(data, "weight")
    return ScoreResult(
        scorer=text_of(data, "scorer"),
        name=text_of(data, "name"),
        passed=passed if isinstance(passed, bool) else None,
        score=share_of(data, "score"),
        reason=text_of(data, "reason"),
        weight=1.0 if weight is None else weight,
        status=_ERRORS.get(text_of(data, "status"), Status.SCORED),
        details=mapping_of(data, "details"),
    )


def messages_fields(messages: Iterable[Message]) -> list[Fields]:
    """Return messages as the objects that chat APIs use."""
    return [{"role": message.role, "content": message.content} for message in messages]


def messages_of(data: Mapping[str, Any], key: str) -> tuple[Message, ...]:
    """Return the messages under ``key``."""
    return tuple(
        Message(role=cast("Role", message["role"]), content=text_of(message, "content"))
        for message in objects_of(data, key)
        if text_of(message, "role") in _ROLES
    )


def total(values: Iterable[float | None]) -> float | None:
    """Return a sum; one unknown part makes it unknown."""
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return sum(known)
