"""Writes a benchmark that came from another format as a native file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.api import (
    Benchmark,
    Case,
    FormatTools,
    JsonMapping,
    JsonValue,
    ModelUse,
    ScorerUse,
    Turn,
    Written,
    is_sequence,
)

from .writing_prompts import PromptWriter
from .yaml_text import yaml_of

_ALL_VARIABLES = re.compile(r"\{\{\s*vars(\.vars)?\s*\}\}")

MOST_AT_ONCE = 100
"""The largest concurrency that a native file can have."""


def write(benchmark: Benchmark, cases: Sequence[Case], tools: FormatTools) -> Written:
    """Return the native file that runs as the benchmark does."""
    lost: list[str] = []
    prompts = PromptWriter(cases, tools)
    shared = _shared_scorers(cases)
    document = {
        "name": benchmark.name,
        "description": benchmark.description or None,
        **_gate(benchmark),
        "models": [_model(use) for use in benchmark.models],
        "judges": [_model(use) for use in benchmark.judges] or None,
        "providers": _plain(benchmark.providers) or None,
        "inference": _inference(benchmark),
        **_running(benchmark, lost),
        "prompts": [prompts.write(prompt) for prompt in benchmark.prompts],
        "variables": prompts.shared or None,
        "scorers": [_scorer(use) for use in shared] or None,
        "test_cases": [_case(case, prompts.variables(case), shared) for case in cases],
        "metadata": _plain(benchmark.metadata) or None,
    }
    lost += _seen_by_others(benchmark, cases, prompts.added())
    return Written(text=yaml_of(_given(document)), lost=tuple(lost))


def _seen_by_others(benchmark: Benchmark, cases: Sequence[Case], added: Sequence[str]) -> list[str]:
    """Say who finds variables that were added for prompts' sake, where somebody gets all variables of a case."""
    functions = any(use.type == "python" for case in cases for use in case.scorers)
    bodies = any(_ALL_VARIABLES.search(repr(use.options)) for use in benchmark.models)
    who = " and ".join([*["Python functions"] * functions, *["{{vars}}"] * bodies])
    if not added or not who:
        return []
    return [f"that variables hold nothing but the task's own: {who} will find {', '.join(map(repr, added))} there too"]


def _gate(benchmark: Benchmark) -> dict[str, JsonValue]:
    gate = benchmark.gate
    narrowed = {"model": gate.model, "prompt": gate.prompt, "every": gate.every or None, "confidence": gate.confidence}
    return {"quality_threshold": _number(gate.quality_threshold), "gate": _given(narrowed) or None}


def _model(use: ModelUse) -> JsonValue:
    if use.provider is None:
        named: dict[str, Any] = {"id": use.id, "model": use.model}
        return use.id if not use.options and use.id == use.model else {**named, **_plain(use.options)}
    if not use.options and use.id == f"{use.provider}:{use.model}":
        return use.id
    return {**_given({"id": use.id, "provider": use.provider, "model": use.model or None}), **_plain(use.options)}


def _inference(benchmark: Benchmark) -> JsonValue:
    asked = benchmark.inference
    fields = {
        "temperature": asked.temperature,
        "max_tokens": asked.max_tokens,
        "seed": asked.seed,
        "params": _plain(asked.params) or None,
    }
    return _given(fields) or None


def _running(benchmark: Benchmark, lost: list[str]) -> dict[str, JsonValue]:
    concurrency = benchmark.concurrency
    if concurrency is not None and concurrency > MOST_AT_ONCE:
        lost.append(f"concurrency {concurrency}: at most {MOST_AT_ONCE} calls are made at once")
        concurrency = MOST_AT_ONCE
    return {
        "concurrency": concurrency,
        "repeat": benchmark.repeat if benchmark.repeat > 1 else None,
        "case_pass_rate": benchmark.case_pass_rate if benchmark.case_pass_rate < 1 else None,
        "retries": benchmark.retries,
        "retry_backoff": benchmark.retry_backoff_s,
        "timeout": _number(benchmark.timeout_s),
        "max_cost_usd": benchmark.max_cost_usd,
        "cache": benchmark.cache,
        "require_plugins": list(benchmark.require_plugins) or None,
    }


def _shared_scorers(cases: Sequence[Case]) -> tuple[ScorerUse, ...]:
    """Return the scorers with which the list of every case begins, alike; none for a single case."""
    if len(cases) < 2:  # noqa: PLR2004 - what one case has is not shared
        return ()
    columns = zip(*([_scorer(use) for use in case.scorers] for case in cases), strict=False)
    alike = itertools.takewhile(lambda column: all(entry == column[0] for entry in column), columns)
    return cases[0].scorers[: sum(1 for _ in alike)]


def _case(case: Case, variables: JsonMapping, shared: tuple[ScorerUse, ...]) -> JsonValue:
    fields: dict[str, Any] = {
        "id": case.id,
        "variables": _plain(variables) or None,
        "input": _plain(case.input),
        "expected_output": _plain(case.expected),
        "criteria": case.criteria,
        "reference": case.reference,
        "turns": [_turn(turn) for turn in case.turns] or None,
        "tags": list(case.tags) or None,
        "metadata": _plain(case.metadata) or None,
        "human_score": case.human_score,
    }
    fields["scorers"] = [_scorer(use) for use in case.scorers[len(shared) :]] or None
    return _given(fields)


def _scorer(use: ScorerUse) -> JsonValue:
    said = {
        "type": use.type,
        "name": use.name if use.name not in ("", use.type) else None,
        "weight": _number(use.weight) if use.weight != 1 else None,
        "negate": use.negate or None,
        "threshold": use.threshold,
        "turn": use.turn,
    }
    # Null is a value among options: what nothing is said of is not there at all.
    entry: dict[str, Any] = {**_given(said), **_plain(use.options)}
    return use.type if entry == {"type": use.type} else entry


def _turn(turn: Turn) -> JsonValue:
    # A turn's text is a template in a file; the braces of this one are not meant for it.
    content = turn.content
    if content is not None and any(marker in content for marker in ("{{", "{%", "{#")):
        content = "{% raw %}" + content + "{% endraw %}"
    return {"role": turn.role, "content": content}


def _number(value: float | None) -> float | None:
    """Return a number as a person writes it: 85 rather than 85.0."""
    return int(value) if value is not None and value.is_integer() else value


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


def _plain(value: Any) -> Any:
    """Return a value as plain mappings and lists."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if is_sequence(value) else value
