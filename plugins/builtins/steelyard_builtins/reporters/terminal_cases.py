"""What a terminal shows of a case with ``-v``: how it went, the answer, and what each scorer said."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.api import CaseResult, CaseRun, Status
from steelyard.text import one_line, printable

from .figures import milliseconds, money
from .wording import combo_label, error_label, latency_ms, reason, shown_run, total_cost, verdict_word

_REASON_LENGTH = 300
_ANSWER_LENGTH = 20_000
"""Characters of an answer that are shown: some ten pages."""
_INDENT = "    "


def case_lines(result: CaseResult) -> Iterator[str]:
    """Give the lines about a case; of several runs, the answer of the one that stands for it."""
    why = reason(result) if result.status is Status.SCORED else ""
    yield _headline(result, why)
    run = shown_run(result)
    yield from _answer(run)
    yield from _reasons(run, why)


def _headline(result: CaseResult, why: str) -> str:
    parts = [verdict_word(result) if result.status is Status.SCORED else one_line(error_label(result))]
    if result.score is not None:
        parts.append(f"score {result.score:.2f}")
    if len(result.runs) > 1:
        parts.append(f"{sum(run.passed for run in result.runs)} of {len(result.runs)} runs passed")
    parts.append(milliseconds(latency_ms(result)))
    parts.append(money(total_cost(result)))
    if why:
        parts.append(one_line(why, _REASON_LENGTH))
    label = one_line(combo_label(result.model, result.prompt_id))
    return f"Test case: {one_line(result.id)} · {label} · {', '.join(parts)}"


def _answer(run: CaseRun) -> Iterator[str]:
    cut = len(run.response) - _ANSWER_LENGTH
    first, *rest = printable(run.response[:_ANSWER_LENGTH], newlines=True).splitlines() or [""]
    if first or rest:
        yield f"{_INDENT}answer: {first}".rstrip()
    yield from (f"{_INDENT}{line}".rstrip() for line in rest)
    if cut > 0:
        yield f"{_INDENT}… and {cut:,} more characters, in the record"


def _reasons(run: CaseRun, said: str) -> Iterator[str]:
    """Give what scorers and judges said in full, without what stands in the headline already."""
    told = [said] if len(one_line(said)) <= _REASON_LENGTH else []
    for score in run.scores:
        line = f"{score.name}: {score.reason}"
        if score.reason and line not in told:
            told.append(line)
            yield _INDENT + one_line(line)
    if run.reasoning and not any(run.reasoning in line for line in told):
        yield f"{_INDENT}judge: {one_line(run.reasoning)}"
