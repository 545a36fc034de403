"""One row for each case of each combo, for spreadsheets and notebooks."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from steelyard import hookimpl
from steelyard.api import CaseResult, JsonValue, NoSettings, PluginContext, Reporter, ReporterSpec, RunRecord
from steelyard.text import csv_cell

from .outputs import FileReporter, checked_output
from .wording import latency_ms, reason, shown_run, total, total_cost

_HEADINGS = (
    "model",
    "prompt_id",
    "id",
    "status",
    "match_result",
    "match_score",
    "evaluation",
    "tags",
    "expected",
    "response",
    "reason",
    "prompt_tokens",
    "completion_tokens",
    "total_cost",
    "latency_ms",
    "cached",
    "finish_reason",
    "runs",
    "runs_passed",
    "human_score",
)

_DECIMALS = 10
"""A token costs less than a millionth of a dollar."""


def csv_chunks(record: RunRecord) -> Iterator[bytes]:
    """Yield the rows, so that a long table is never held whole."""
    yield _line(_HEADINGS)
    for combo in record.results:
        for case in combo.cases:
            yield _line(_row(case))


def _row(case: CaseResult) -> Sequence[str | float | bool | None]:
    run = shown_run(case)
    return (
        case.model,
        case.prompt_id,
        case.id,
        case.status.value,
        case.passed,
        case.score,
        case.evaluation,
        ", ".join(case.tags),
        _as_text(case.expected),
        run.response,
        reason(case),
        total(each.prompt_tokens for each in case.runs),
        total(each.completion_tokens for each in case.runs),
        _dollars(total_cost(case)),
        latency_ms(case),
        all(each.cached for each in case.runs),
        run.finish_reason,
        len(case.runs),
        sum(each.passed for each in case.runs),
        case.human_score,
    )


def _dollars(usd: float | None) -> str | None:
    """Return an amount in plain decimals, without the noise of adding up floats."""
    return None if usd is None else f"{usd:.{_DECIMALS}f}".rstrip("0").rstrip(".")


def _as_text(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _line(row: Sequence[str | float | bool | None]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(csv_cell(cell) if isinstance(cell, str) else cell for cell in row)
    return text.getvalue().encode()


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter."""
    del settings
    return FileReporter(checked_output(context), ".csv", csv_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter."""
    return [
        ReporterSpec(
            name="csv",
            summary="One row for each case",
            settings=NoSettings,
            create=create,
            hears_cases=False,
            extensions=(".csv",),
        )
    ]
