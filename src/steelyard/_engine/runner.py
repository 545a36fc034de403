"""Carrying out a plan: which case is run when, and what is told to whom.

The one entry is :func:`execute`. How the session uses it::

    journal = Journal.create(path, digest=plan_digest, encode=encode_case, decode=decode_case)
    outcome = await execute(plan, journal=journal, on_case=..., on_progress=..., warn=...)
    verdict = decide(plan.benchmark.gate, outcome.combos)                   # gate.py
    insights = summarise(outcome.combos, gate, verdict)                     # summary.py
    journal.close()                       # after the record is stored: outcome.combos reads the cases from it

To go on with an interrupted run: ``Journal.reopen(path, digest=…, encode=…, decode=…)`` instead of ``create``; the cases that
it holds as ``scored`` are taken over, the others are run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..api import CaseResult, ComboResult, Progress
from ..errors import SteelyardError
from .journal import Journal
from .plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a plan."""

    combos: tuple[ComboResult, ...]
    """In plan order; their ``cases`` are read from the journal as they are asked for, so keep it open until then."""
    interrupted: bool = False
    """Whether the run was cancelled before its end."""
    failure: SteelyardError | None = None
    """Why the cases could not be read to their end: a row of a data file that is wrong."""
    over_budget: bool = False
    """Whether ``max_cost_usd`` left cases out."""
    notes: tuple[str, ...] = ()
    """What to tell the user at the end, one line each: a spent budget or quota, concurrency that was cut, prices unknown."""
    spent_usd: float = 0.0
    """What is known to have been paid, by a resumed run's earlier part too."""
    duration_s: float = 0.0


async def execute(
    plan: Plan,
    *,
    journal: Journal,
    on_case: Callable[[CaseResult], None] = lambda _result: None,
    on_progress: Callable[[Progress], None] = lambda _progress: None,
    warn: Callable[[str], None] = lambda _line: None,
) -> Outcome:
    """Run every case of every combo and return what became of them.

    Never raises for what a model, a plugin or the network does. Cancelling the task that awaits it stops the run at
    once: no request is started any more, calls in flight are abandoned, and it **returns** an outcome with
    ``interrupted`` set (the cancellation is used up, so the caller may go on awaiting).

    Args:
        plan: What to run.
        journal: Where finished cases go as they finish. Left open.
        on_case: Hears every result in plan order, from the event loop's thread. Must not raise.
        on_progress: Hears how far the run is, at most four times a second, and once at the end. Must not raise.
        warn: Hears one-line warnings while the run goes on. Must not raise. May hear the same line twice.
    """
    raise NotImplementedError
