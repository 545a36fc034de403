"""The results of a run in the layout of evalkit's own results file, for what reads those: ``evalkit compare``, scripts.

One suite has one target there. A run of several combos is written as one suite whose tasks bear the combo in their ids,
so that each stays a task of its own. An error is a score of 0 there, and counts as such in the mean.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

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
from .wording import combo_label, total

LAYOUT = 1
_SCORE_DIGITS = 4
_MILLISECOND_DIGITS = 1

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
    errors = sum(combo.errors for combo in combos)
    scores = [case.score or 0.0 for case, _ in _tasks(record)]
    failed_flaky = sum(case.flaky and _state(case) == "flaky" for case, _ in _tasks(record))
    bar = record.quality_threshold if record.quality_threshold is not None else record.insights.quality_threshold
    return {
        "tasks": planned,
        "passed": passed,
        "failed": sum(combo.failed for combo in combos) - failed_flaky,
        "flaky": sum(combo.flaky for combo in combos),
        "errored": errors,
        "pass_rate": _rounded(passed / planned if planned else 0.0, _SCORE_DIGITS),
        "score": _rounded(math.fsum(scores) / len(scores) if scores else 0.0, _SCORE_DIGITS),
        "runs": sum(combo.runs for combo in combos),
        "runs_passed": sum(run.passed for case, _ in _tasks(record) for run in case.runs),
        "cached_runs": sum(combo.cached for combo in combos),
        "cost_usd": total(combo.cost_usd for combo in combos),
        "cost_usd_spent": total(combo.spent_usd for combo in combos),
        "input_tokens": total(combo.prompt_tokens for combo in combos),
        "output_tokens": total(combo.completion_tokens for combo in combos),
        "latency_ms_p50": _latency([combo.latency_p50_ms for combo in combos]),
        "latency_ms_p95": _latency([combo.latency_p95_ms for combo in combos]),
        "fail_under": None if bar is None else _rounded(bar / 100, _SCORE_DIGITS),
        "ok": record.insights.passed,
    }


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
        "score": _rounded(case.score or 0.0, _SCORE_DIGITS),
        "pass_rate": _rounded(passed / len(case.runs), _SCORE_DIGITS),
        "runs_passed": passed,
        "runs_total": len(case.runs),
        "tags": list(case.tags),
        "prompt": asked,
        "expected": _plain(case.expected),
        "cost_usd": total(run.cost_usd for run in case.runs),
        "latency_ms": _latency([run.latency_ms for run in case.runs]),
        "runs": [_run(run) for run in case.runs],
    }


def _state(case: CaseResult) -> str:
    if case.status is not Status.SCORED:
        return "error"
    if case.passed:
        return "pass"
    return "flaky" if case.flaky else "fail"


def _run(run: CaseRun) -> _Fields:
    return {
        "repeat": run.repeat,
        "passed": run.passed,
        "score": _rounded(run.score or 0.0, _SCORE_DIGITS),
        "output": run.response,
        "error": run.error,
        "latency_ms": _latency([run.latency_ms]),
        "input_tokens": run.prompt_tokens,
        "output_tokens": run.completion_tokens,
        "cost_usd": run.cost_usd,
        "cached": run.cached,
        "attempts": run.attempts,
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
