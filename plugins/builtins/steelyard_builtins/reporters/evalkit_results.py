"""The results of a run in the layout of evalkit's own results file, for what reads those: ``evalkit compare``, scripts.

One suite has one target there. A run of several combos is written as one suite whose tasks bear the combo in their ids,
so that each stays a task of its own. An error is a score of 0 there, and counts as such in every mean; a call that
failed has no tokens and no cost, and what is unknown counts as nothing in the sums.
"""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from steelyard import hookimpl
from steelyard.api import (
    CaseResult,
    CaseRun,
    ComboResult,
    JsonValue,
    NoSettings,
    PluginContext,
    Reporter,
    ReporterSpec,
    RunRecord,
    Status,
    is_sequence,
)
from steelyard.text import well_formed

from .outputs import FileReporter, checked_output
from .wording import combo_label

LAYOUT = 1
_SCORE_DIGITS = 4
_MILLISECOND_DIGITS = 1
_COST_DIGITS = 6

T = TypeVar("T", int, float)

_Fields = dict[str, Any]
"""One object of the file; ``Any`` because its fields differ in type and go straight to the encoder."""


def results_chunks(record: RunRecord) -> Iterator[bytes]:
    """Yield the file task by task, so that a long one is never held whole."""
    head = _encoded(_head(record), 0)
    opened = head.removesuffix("\n}")
    yield f'{opened},\n  "tasks": ['.encode()
    separator = "\n    "
    for case, name in _tasks(record):
        yield f"{separator}{_encoded(_task(case, name), 4)}".encode()
        separator = ",\n    "
    yield b"\n  ]\n}\n"


def _head(record: RunRecord) -> _Fields:
    return {
        "format": LAYOUT,
        "evalkit_version": f"steelyard {record.steelyard_version}".strip(),
        "suite": record.benchmark,
        "description": None,
        "target": ", ".join(dict.fromkeys(combo.model for combo in record.results)),
        "started_at": _in_utc(record.timestamp),
        "duration_s": _rounded(record.duration_s or 0.0, 3),
        "repeat": record.repeat,
        "seed": record.seed,
        "summary": _summary(record),
    }


def _summary(record: RunRecord) -> _Fields:
    combos = record.results
    planned = sum(combo.total for combo in combos)
    passed = sum(combo.passed for combo in combos)
    sums = _Sums()
    for case, _ in _tasks(record):
        sums.add(case)
    bar = record.quality_threshold if record.quality_threshold is not None else record.insights.quality_threshold
    return {
        "tasks": planned,
        "passed": passed,
        "failed": sums.states["fail"],
        "flaky": sums.flaky,
        "errored": sums.states["error"],
        "pass_rate": _rounded(passed / planned if planned else 0.0, _SCORE_DIGITS),
        "score": _rounded(math.fsum(sums.scores) / max(len(sums.scores), 1), _SCORE_DIGITS),
        "runs": sum(combo.runs for combo in combos),
        "runs_passed": sums.runs_passed,
        "cached_runs": sum(combo.cached for combo in combos),
        "cost_usd": _cost_of(sums.costs),
        "cost_usd_spent": _cost_of(sums.spent),
        "input_tokens": sums.input_tokens,
        "output_tokens": sums.output_tokens,
        "latency_ms_p50": _latency([combo.latency_p50_ms for combo in combos]),
        "latency_ms_p95": _latency([combo.latency_p95_ms for combo in combos]),
        "fail_under": None if bar is None else _rounded(bar / 100, _SCORE_DIGITS),
        "ok": record.insights.passed,
    }


@dataclass(slots=True)
class _Sums:
    """What is added up over all tasks: numbers alone, so that no task has to be kept for it."""

    states: Counter[str] = field(default_factory=Counter)
    flaky: int = 0
    scores: list[float] = field(default_factory=list)
    runs_passed: int = 0
    costs: list[float] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, case: CaseResult) -> None:
        self.states[_state(case)] += 1
        self.flaky += _is_flaky(case)
        self.scores.append(_score(case))
        for run in case.runs:
            self.runs_passed += run.passed
            self.input_tokens += run.prompt_tokens or 0
            self.output_tokens += run.completion_tokens or 0
            cost = _cost(run)
            if cost is not None:
                self.costs.append(cost)
                self.spent.append(0.0 if run.cached else cost)


def _tasks(record: RunRecord) -> Iterator[tuple[CaseResult, str]]:
    """Go through the cases with the ids that they have as tasks of one suite."""
    for combo in record.results:
        for case in combo.cases:
            yield case, case.id if len(record.results) == 1 else f"{case.id} [{_label(combo)}]"


def _label(combo: ComboResult) -> str:
    return combo_label(combo.model, combo.prompt_id)


def _task(case: CaseResult, name: str) -> _Fields:
    passed = sum(run.passed for run in case.runs)
    asked = next((message.content for message in case.runs[0].messages if message.role == "user"), "")
    return {
        "id": name,
        "status": _state(case),
        "passed": case.passed,
        "score": _rounded(_score(case), _SCORE_DIGITS),
        "pass_rate": _rounded(passed / len(case.runs), _SCORE_DIGITS),
        "runs_passed": passed,
        "runs_total": len(case.runs),
        "tags": list(case.tags),
        "prompt": asked,
        "expected": _plain(case.expected),
        "cost_usd": _cost_of([cost for cost in map(_cost, case.runs) if cost is not None]),
        "latency_ms": _latency([run.latency_ms for run in case.runs]),
        "runs": [_run(run) for run in case.runs],
    }


def _state(case: CaseResult) -> str:
    if case.passed:
        return "pass"
    if _is_flaky(case):
        return "flaky"
    return "error" if any(run.error is not None for run in case.runs) else "fail"


def _is_flaky(case: CaseResult) -> bool:
    """Whether some runs passed and some did not, for whatever reason."""
    return len({run.passed for run in case.runs}) > 1


def _score(case: CaseResult) -> float:
    return math.fsum(run.score or 0.0 for run in case.runs) / len(case.runs)


def _run(run: CaseRun) -> _Fields:
    return {
        "repeat": run.repeat,
        "passed": run.passed,
        "score": _rounded(run.score or 0.0, _SCORE_DIGITS),
        "output": run.response,
        "error": run.error,
        "latency_ms": _latency([run.latency_ms]),
        "input_tokens": _taken(run, run.prompt_tokens),
        "output_tokens": _taken(run, run.completion_tokens),
        "cost_usd": _cost(run),
        "cached": run.cached,
        "attempts": max(run.attempts, 1),
        "grades": [
            {
                "grader": score.name,
                "passed": score.passed,
                "score": _rounded(score.score or 0.0, _SCORE_DIGITS),
                "reason": score.reason,
            }
            for score in run.scores
            if score.passed is not None
        ],
    }


def _cost(run: CaseRun) -> float | None:
    return _taken(run, run.cost_usd)


def _taken(run: CaseRun, amount: T | None) -> T | None:
    """Return what an answer took; ``None`` where none came and nothing was taken for it."""
    return amount or None if run.status is Status.API_ERROR else amount


def _cost_of(known: Sequence[float]) -> float | None:
    return _rounded(math.fsum(known), _COST_DIGITS) if known else None


def _latency(known: Sequence[float | None]) -> float | None:
    times = [time for time in known if time is not None and math.isfinite(time)]
    return _rounded(statistics.median(times), _MILLISECOND_DIGITS) if times else None


def _rounded(value: float, digits: int) -> float | None:
    return round(value, digits) if math.isfinite(value) else None


def _in_utc(timestamp: str) -> str:
    try:
        return datetime.fromisoformat(timestamp).astimezone(UTC).isoformat(timespec="seconds")
    except ValueError:
        return timestamp


def _plain(value: JsonValue) -> Any:
    """Return a value that the encoder takes: a file that others read must not depend on what a case expects."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inside) for key, inside in value.items()}
    if is_sequence(value):
        return [_plain(inside) for inside in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _encoded(fields: _Fields, indent: int) -> str:
    text = json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=2)
    # Within strings line ends are escaped, so each one stands between two lines of the layout.
    return well_formed(text).replace("\n", "\n" + " " * indent)


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return FileReporter(checked_output(context), ".evalkit.json", results_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter. It claims no ending: a ``.json`` file is the record."""
    return [
        ReporterSpec(
            name="evalkit",
            summary="Results as evalkit writes them",
            settings=NoSettings,
            create=create,
            hears_cases=False,
        )
    ]
