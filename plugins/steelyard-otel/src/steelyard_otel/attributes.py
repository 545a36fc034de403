"""Results in the words of OpenTelemetry's conventions for generative AI; what they have no word for is ``steelyard.*``.

What may quote a prompt or an output (messages, reasons, error messages) is left out unless texts were asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from opentelemetry.util.types import AttributeValue

from steelyard.api import CaseResult, CaseRun, Message, PlannedModel, RunPlan, RunRecord, ScoreResult, Status
from steelyard.text import well_formed

Attributes = dict[str, AttributeValue]

EVALUATION = "gen_ai.evaluation.result"
_PROVIDERS = {"gemini": "gcp.gemini"}
"""Well-known names of the conventions, where they differ from ours."""
_UNKNOWN = "unknown"


def of_plan(plan: RunPlan) -> Attributes:
    """Return what is known of a run when it starts."""
    return _known(
        {
            "steelyard.run.id": plan.run_id,
            "steelyard.benchmark": plan.benchmark,
            "steelyard.run.combos": len(plan.combos),
            "steelyard.run.cases": plan.cases,
            "steelyard.run.repeat": plan.repeat,
        }
    )


def of_record(record: RunRecord) -> Attributes:
    """Return what is known of a run when it is over."""
    scored = [combo for combo in record.results if combo.score is not None]
    return _known(
        {
            "steelyard.run.started": record.timestamp,
            "steelyard.run.passed": record.insights.passed,
            "steelyard.run.best_score": max((combo.score or 0.0 for combo in scored), default=None),
            "steelyard.run.errors": record.insights.errors,
            "steelyard.run.cost_usd": _sum(combo.cost_usd for combo in record.results),
            "steelyard.run.spent_usd": _sum(combo.spent_usd for combo in record.results),
        }
    )


def of_case(result: CaseResult) -> Attributes:
    """Return what is known of a case."""
    return _known(
        {
            "steelyard.case.id": result.id,
            "steelyard.case.model": result.model,
            "steelyard.case.prompt_id": result.prompt_id,
            "steelyard.case.tags": result.tags or None,
            "steelyard.case.status": str(result.status),
            "steelyard.case.passed": result.passed,
            "steelyard.case.score": result.score,
            "error.type": None if result.status is Status.SCORED else str(result.status),
        }
    )


def of_call(run: CaseRun, model: PlannedModel, *, texts: bool) -> Attributes:
    """Return what is known of the call that brought an answer."""
    attributes: dict[str, AttributeValue | None] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(model.provider, model.provider),
        "gen_ai.request.model": model.model or None,
        "gen_ai.usage.input_tokens": run.prompt_tokens,
        "gen_ai.usage.output_tokens": run.completion_tokens,
        "gen_ai.response.finish_reasons": (run.finish_reason,) if run.finish_reason else None,
        "error.type": str(run.status) if run.status is Status.API_ERROR else None,
        "steelyard.call.attempts": run.attempts,
        "steelyard.call.repeat": run.repeat,
        "steelyard.call.cost_usd": run.cost_usd,
    }
    if texts:
        asked = run.transcript[:-1] if run.transcript else run.messages
        attributes["gen_ai.input.messages"] = json.dumps([_message(one) for one in asked], ensure_ascii=False)
        if run.response:
            answer = _message(Message(role="assistant", content=run.response))
            answer["finish_reason"] = run.finish_reason or ""
            attributes["gen_ai.output.messages"] = json.dumps([answer], ensure_ascii=False)
    return _known(attributes)


def of_score(score: ScoreResult, run: CaseRun, *, texts: bool) -> Attributes:
    """Return one scorer's verdict, as the conventions' event has it."""
    label = {True: "pass", False: "fail", None: None}[score.passed]
    return _known(
        {
            "gen_ai.evaluation.name": score.name,
            "gen_ai.evaluation.score.value": score.score,
            "gen_ai.evaluation.score.label": label,
            "gen_ai.evaluation.explanation": (score.reason or None) if texts else None,
            "error.type": None if score.status is Status.SCORED else str(score.status),
            "steelyard.call.repeat": run.repeat,
        }
    )


def model_behind(label: str, planned: Mapping[str, PlannedModel]) -> PlannedModel:
    """Return the model behind a label; a stored run's plan knows none, and then its label has to do."""
    if label in planned:
        return planned[label]
    provider, colon, model = label.partition(":")
    prefixed = bool(colon) and "/" not in provider
    return PlannedModel(id=label, provider=provider if prefixed else _UNKNOWN, model=model if prefixed else label)


def _message(message: Message) -> dict[str, object]:
    return {"role": message.role, "parts": [{"type": "text", "content": message.content}]}


def _known(attributes: Mapping[str, AttributeValue | None]) -> Attributes:
    """Leave out what is unknown, and make texts encodable."""
    return {name: _sendable(value) for name, value in attributes.items() if value is not None}


def _sendable(value: AttributeValue) -> AttributeValue:
    if isinstance(value, str):
        return well_formed(value)
    return tuple(well_formed(str(one)) for one in value) if isinstance(value, tuple) else value


def _sum(amounts: Iterable[float | None]) -> float | None:
    found = list(amounts)
    known = [amount for amount in found if amount is not None]
    return sum(known) if len(known) == len(found) else None
