"""``steelyard compare SUITE --models``: one suite, several models, and where they do not agree."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..api import CaseResult, ComboResult, RunOptions, RunRecord, Status
from .exit_codes import FAILED, PASSED
from .forms import Form
from .invocation import Invocation
from .json_output import print_json
from .output import print_line, print_note
from .tables import print_table

if TYPE_CHECKING:
    from ..session import Session

_WORDS: Final = {True: "pass", False: "FAIL", None: "error"}
_DISAGREE: Final = "≠"
_UNKNOWN: Final = "-"
_INTERRUPTED: Final = "Interrupted — no results written. What was answered is kept in the cache."


def run_side_by_side(
    session: Session,
    suite: Path,
    models: Sequence[str],
    provider: str | None,
    options: RunOptions,
    form: Form,
    invocation: Invocation,
) -> int:
    """Run the suite with these models, print the matrix, and return the exit code, by the rule of ``run``."""
    from .interruptible import run_interruptibly  # noqa: PLC0415 - brings asyncio, which help need not pay for

    benchmark = session.with_models(suite, models, provider=provider, options=options)
    invocation.on_interrupt = _INTERRUPTED
    # What the run itself has to say is for people; the matrix is what was asked for.
    with contextlib.redirect_stdout(sys.stderr):
        record = run_interruptibly(session.run_async(benchmark, options), last_words=_INTERRUPTED)
    if form is Form.JSON:
        print_json(_as_json(record))
    else:
        _print_matrix(record, invocation)
    print_note(f"Stored as {record.run_id}")
    return PASSED if record.insights.passed else FAILED


def _print_matrix(record: RunRecord, invocation: Invocation) -> None:
    cases = list(_cases(record))
    apart = {index for index, (_, outcomes) in enumerate(cases) if _disagree(outcomes)}
    labels = _labels(record)
    rows = [
        (case_id, *(_WORDS[outcome] for outcome in outcomes), _DISAGREE if index in apart else "")
        for index, (case_id, outcomes) in enumerate(cases)
    ]
    sums = [
        ("pass rate", *(_percent(combo.score) for combo in record.results), ""),
        ("cost", *(_dollars(combo.cost_usd) for combo in record.results), ""),
        ("latency p50", *(_milliseconds(combo.latency_p50_ms) for combo in record.results), ""),
    ]
    print_table(("Case", *labels, ""), [*rows, *sums], color=invocation.color, marked=apart, as_written=True)
    print_line(f"Disagreements: {len(apart)} of {len(cases)} case(s)")


def _cases(record: RunRecord) -> Iterator[tuple[str, tuple[bool | None, ...]]]:
    """Go through the cases with what became of each under every combo; ``None`` is an error."""
    for row in zip(*(combo.cases for combo in record.results), strict=True):
        yield row[0].id, tuple(map(_outcome, row))


def _outcome(case: CaseResult) -> bool | None:
    return case.passed if case.status is Status.SCORED else None


def _disagree(outcomes: Sequence[bool | None]) -> bool:
    """Whether some passed and some failed. An error is no opinion."""
    return {True, False} <= set(outcomes)


def _labels(record: RunRecord) -> list[str]:
    several = len({combo.prompt_id for combo in record.results}) > 1
    return [_label(combo) if several else combo.model for combo in record.results]


def _label(combo: ComboResult) -> str:
    return f"{combo.model} / {combo.prompt_id}"


def _as_json(record: RunRecord) -> dict[str, Any]:
    cases = [
        {"id": case_id, "outcomes": [_WORDS[outcome].lower() for outcome in outcomes], "disagree": _disagree(outcomes)}
        for case_id, outcomes in _cases(record)
    ]
    return {
        "run_id": record.run_id,
        "combos": [
            {
                "model": combo.model,
                "prompt_id": combo.prompt_id,
                "score": combo.score,
                "errors": combo.errors,
                "total_cost": combo.cost_usd,
                "latency_p50_ms": combo.latency_p50_ms,
            }
            for combo in record.results
        ],
        "cases": cases,
        "disagreements": sum(case["disagree"] is True for case in cases),
    }


def _percent(score: float | None) -> str:
    return _UNKNOWN if score is None else f"{score:.1f}%"


def _dollars(usd: float | None) -> str:
    return _UNKNOWN if usd is None else f"${usd:.6f}"


def _milliseconds(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.0f} ms"
