"""The list of stored runs, for the commands that show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..text import one_line
from .forms import Form
from .invocation import Invocation
from .json_output import print_json
from .output import print_note
from .tables import print_table

if TYPE_CHECKING:
    from ..session import History, StoredRun

_COLUMNS: Final = ("Run", "Benchmark", "When", "Best score", "Best combo", "Errors", "Cost")
_FIGURES: Final = ("Best score", "Errors", "Cost")
_IN_THE_NAME: Final = ("When", "Benchmark", "Cost", "Best combo", "Errors")
"""What is left out on a narrow terminal, to have the name of a run in one piece; most of it stands in the name."""
_UNKNOWN: Final = "-"
_LONGEST_NAME: Final = 80
"""Characters of a name that a list shows; JSON has it in full."""


def stored_runs(history: History, *, suite: str | None = None, last: int | None = None) -> list[StoredRun]:
    """Return the runs that can be read, the newest first, and say which files cannot, or that there is none.

    Args:
        history: Where the runs are.
        suite: Only those of benchmarks whose name contains this, whatever its case.
        last: Only so many, the newest.
    """
    runs = history.runs(lambda reason: print_note(f"⚠ Skipping {reason}"))
    if suite is not None:
        runs = [run for run in runs if suite.casefold() in run.record.benchmark.casefold()]
    if not runs:
        of_suite = "" if suite is None else f" of a benchmark named {suite!r}"
        print_note(f"{history.folder}: no run{of_suite} is stored there; make one with: steelyard run")
    runs.reverse()
    return runs if last is None else runs[:last]


def print_runs(runs: Sequence[StoredRun], form: Form, invocation: Invocation) -> None:
    """Print runs as a table or as JSON."""
    if form is Form.JSON:
        print_json([_as_json(run) for run in runs])
    elif runs:
        rows = [_row(run) for run in runs]
        print_table(_COLUMNS, rows, color=invocation.color, right=_FIGURES, give_way=_IN_THE_NAME)


def _row(run: StoredRun) -> tuple[str, ...]:
    record = run.record
    best = record.insights.best_quality
    cost = _cost(run)
    return (
        run.path.stem,
        one_line(record.benchmark, _LONGEST_NAME),
        record.timestamp[:19].replace("T", " "),
        _UNKNOWN if best is None else f"{best.score:.1f}%",
        _UNKNOWN if best is None else one_line(f"{best.model} / {best.prompt_id}", _LONGEST_NAME),
        str(record.insights.errors),
        _UNKNOWN if cost is None else f"${cost:.6f}",
    )


def _cost(run: StoredRun) -> float | None:
    costs = [combo.cost_usd for combo in run.record.results]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _as_json(run: StoredRun) -> dict[str, Any]:
    record = run.record
    best = record.insights.best_quality
    return {
        "run_id": record.run_id,
        "path": str(run.path),
        "benchmark": one_line(record.benchmark),
        "timestamp": record.timestamp,
        "passed": record.insights.passed,
        "best": best and {"model": best.model, "prompt_id": best.prompt_id, "score": best.score},
        "errors": record.insights.errors,
        "total": record.insights.total,
        "total_cost": _cost(run),
        "filters": dict(record.filters),
    }
