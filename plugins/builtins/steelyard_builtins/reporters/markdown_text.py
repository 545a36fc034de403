"""The text of the Markdown report. Every cell is made literal, whatever a file or a model put into it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from steelyard.api import CaseResult, ComboResult, RunRecord, TagResult
from steelyard.text import markdown_cell

from .cut_answers import cut_answers
from .figures import count, interval, milliseconds, money, percent, score
from .measures import measures
from .wording import ERROR_LABELS, Totals, combo_label, latency_ms, plain_reason, recommendation, total_cost

_NOTE_LENGTH = 200
_NO_MATCH = "–"
"""Neither a match nor none: the case could not be judged."""

Column = tuple[str, bool]
"""The heading of a column, and whether it stands on the right."""

_MATRIX: Sequence[Column] = (
    ("Model", False),
    ("Prompt", False),
    ("Score", True),
    ("Pass/Scored", True),
    ("Errors", True),
    ("Not run", True),
    ("Prompt tok", True),
    ("Completion tok", True),
    ("Cost", True),
    ("95 % interval", True),
    ("p50", True),
    ("p95", True),
)
_TAGS: Sequence[Column] = (
    ("Tag", False),
    ("Cases", True),
    ("Quality", True),
    ("95 % interval", True),
    ("Errors", True),
    ("Not run", True),
    ("Warning", False),
)
_CASES: Sequence[Column] = (
    ("Test case", False),
    ("Evaluation", False),
    ("Match", False),
    ("Score", True),
    ("Cost", True),
    ("Latency", True),
    ("Note", False),
)


def markdown_chunks(record: RunRecord) -> Iterator[bytes]:
    """Yield the report line by line, so that a long one is never held whole."""
    return (f"{line}\n".encode() for line in _lines(record))


def _lines(record: RunRecord) -> Iterator[str]:
    yield f"# {markdown_cell(record.benchmark)}"
    yield ""
    yield from _facts(record)
    yield from _summary(record)
    yield from _recommendation(record)
    yield from _tags(record)
    for combo in record.results:
        yield from _combo(record, combo)


def _facts(record: RunRecord) -> Iterator[str]:
    facts: list[tuple[str, object]] = [
        ("Run", record.run_id),
        ("Time", record.timestamp),
        ("Judge", record.judge_model),
        ("Temperature", record.temperature),
        ("Max tokens", record.max_tokens),
        ("Quality threshold", record.quality_threshold),
        ("Repeat", record.repeat if record.repeat > 1 else None),
    ]
    for name, value in facts:
        if value is not None:
            yield f"- {name}: {markdown_cell(f'{value:g}' if isinstance(value, float) else str(value))}"
    yield ""


def _summary(record: RunRecord) -> Iterator[str]:
    totals = Totals.of(record)
    yield "## Summary"
    yield ""
    yield from _table(_MATRIX, (_combo_row(combo, record.insights.quality_threshold) for combo in record.results))
    yield ""
    yield f"{totals.accounting()}. {totals.cost()}."
    yield ""
    if totals.errors:
        yield f"⚠ {totals.pipeline_errors()}"
        yield ""
    if totals.not_run:
        yield f"⚠ {totals.left_out(interrupted=record.interrupted)}"
        yield ""
    if record.insights.verdict:
        yield f"**{markdown_cell(record.insights.verdict)}**"
        yield ""


def _combo_row(combo: ComboResult, gate: float | None) -> list[str]:
    return [
        combo.model,
        combo.prompt_id,
        percent(combo.score, threshold=gate),
        f"{combo.passed}/{combo.scored}",
        str(combo.errors),
        str(combo.not_run),
        count(combo.prompt_tokens),
        count(combo.completion_tokens),
        money(combo.cost_usd),
        interval(combo.score_low, combo.score_high),
        milliseconds(combo.latency_p50_ms),
        milliseconds(combo.latency_p95_ms),
    ]


def _recommendation(record: RunRecord) -> Iterator[str]:
    yield "## Recommendation"
    yield ""
    lines = [f"- {label}: {markdown_cell(text)}" for label, text in recommendation(record)]
    if record.insights.errors:
        lines.append(f"- {record.insights.errors} pipeline error(s) excluded from scoring.")
    if cut := cut_answers(record):
        lines.append(f"- {cut}")
    lines += [f"- ⚠️ Warning: {markdown_cell(warning)}" for warning in record.insights.warnings]
    yield from lines or ["- Nothing could be scored."]
    yield ""


def _tags(record: RunRecord) -> Iterator[str]:
    best = record.insights.best_quality
    if best is not None and record.insights.tags:
        yield "## Quality by tag — best combo"
        yield ""
        yield f"{markdown_cell(combo_label(best.model, best.prompt_id))}"
        yield ""
        yield from _tag_table(record.insights.tags)


def _tag_table(tags: Iterable[TagResult]) -> Iterator[str]:
    yield from _table(
        _TAGS,
        (
            [
                tag.tag,
                str(tag.total),
                percent(tag.score, 0),
                interval(tag.score_low, tag.score_high),
                str(tag.errors),
                str(tag.not_run),
                "⚠️" if tag.warn else "",
            ]
            for tag in tags
        ),
    )
    yield ""


def _combo(record: RunRecord, combo: ComboResult) -> Iterator[str]:
    yield f"## {markdown_cell(combo_label(combo.model, combo.prompt_id))}"
    yield ""
    yield (
        f"{combo.total} planned = {combo.passed} passed + {combo.failed} failed"
        f" + {combo.errors} errors + {combo.not_run} not run"
    )
    yield ""
    repeated = record.repeat > 1
    columns = (*_CASES, ("Runs passed", True)) if repeated else _CASES
    yield from _table(columns, (_case_row(case, repeated=repeated) for case in combo.cases))
    yield ""
    best = record.insights.best_quality
    if combo.tags and (best is None or (best.model, best.prompt_id) != (combo.model, combo.prompt_id)):
        yield from _tag_table(combo.tags)
    yield from _measures(combo)


def _measures(combo: ComboResult) -> Iterator[str]:
    for measure in measures(combo):
        yield f"### {measure.title}"
        yield ""
        yield from _table([(heading, index > 0) for index, heading in enumerate(measure.headings)], measure.rows)
        yield ""
        if measure.note:
            yield markdown_cell(measure.note)
            yield ""


def _case_row(case: CaseResult, *, repeated: bool) -> list[str]:
    error = ERROR_LABELS.get(case.status)
    row = [
        case.id,
        case.evaluation,
        str(case.passed) if error is None else _NO_MATCH,
        score(case.score) if error is None else error,
        money(total_cost(case)),
        milliseconds(latency_ms(case)),
        _note(case),
    ]
    if repeated:
        row.append(f"{sum(run.passed for run in case.runs)}/{len(case.runs)}")
    return row


def _note(case: CaseResult) -> str:
    why = plain_reason(case)
    return ": ".join(part for part in ("flaky" if case.flaky else "", why) if part)


def _table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(markdown_cell(heading) for heading, _right in columns) + " |"
    yield "| " + " | ".join("---:" if right else "---" for _heading, right in columns) + " |"
    for row in rows:
        yield "| " + " | ".join(markdown_cell(cell, _NOTE_LENGTH) for cell in row) + " |"
