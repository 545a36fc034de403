"""``steelyard run --dry-run``: what a run would cost at most, without a call and without a key."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..api import RunOptions
from .exit_codes import FAILED, PASSED
from .invocation import Invocation
from .money import dollars
from .output import print_line, print_note, print_warning
from .tables import print_table

if TYPE_CHECKING:
    from ..session import ComboEstimate, Estimate, Session

_TITLE: Final = "DRY RUN — estimated cost (no API calls)"
_COLUMNS: Final = ("Model", "Prompt", "Est prompt tok", "Est completion tok", "Est cost")
_UNKNOWN: Final = "-"


def show_estimate(session: Session, path: Path, options: RunOptions, invocation: Invocation) -> int:
    """Print the estimate of a benchmark and return the exit code."""
    estimate = session.estimate(path, options)
    print_table(
        _COLUMNS, [_row(combo) for combo in estimate.combos], color=invocation.color, title=_TITLE, right=_COLUMNS[2:]
    )
    if estimate.judge_total:
        print_line(f"Judge cost ({', '.join(estimate.judging)} cases): {dollars(estimate.judge_total)}")
    unknown = sum(combo.cost is None for combo in estimate.combos)
    more = f" at least; {unknown} of {len(estimate.combos)} combos have no known price" if unknown else ""
    print_line(f"Estimated total cost: {dollars(estimate.total)}{more}")
    print_line("Estimate only — completion tokens assume max_tokens; prompt tokens ≈ chars/4.")
    for note in estimate.notes:
        print_warning(note, color=invocation.color)
    for line in estimate.unknown:
        print_note(f"✗ {line}", color=invocation.color)
    _print_budget(estimate)
    return PASSED if estimate.passed else FAILED


def _row(combo: ComboEstimate) -> tuple[str, ...]:
    return (
        combo.model,
        combo.prompt_id,
        str(combo.prompt_tokens),
        _UNKNOWN if combo.completion_tokens is None else str(combo.completion_tokens),
        _UNKNOWN if combo.cost is None else dollars(combo.cost),
    )


def _print_budget(estimate: Estimate) -> None:
    if estimate.max_cost_usd is None:
        return
    limit = Decimal(repr(estimate.max_cost_usd))
    sums = dollars(estimate.total, unlike=limit), dollars(limit, unlike=estimate.total)
    if estimate.within_budget:
        print_line(f"✓ Within budget: estimate {sums[0]} ≤ max_cost_usd {sums[1]}.")
    else:
        print_line(f"✗ Over budget: estimate {sums[0]} > max_cost_usd {sums[1]}.")
