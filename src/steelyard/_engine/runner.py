"""Carrying out a plan: which case is run when, and what is told to whom.

The one entry is :func:`execute`. How the session uses it::

    journal = Journal.create(path, digest=plan_digest, encode=encode_case, decode=decode_case)
    outcome = await execute(plan, journal=journal, on_case=..., on_progress=..., warn=...)
    decision = decide(plan.benchmark.gate, outcome.combos)                       # gate.py
    found = insights(outcome.combos, decision.verdict, gate.quality_threshold, outcome.differences)   # insights.py
    journal.close()                 # after the record is stored: outcome.combos reads the cases from it

To go on with an interrupted run: ``Journal.reopen(...)`` instead of ``create``. The cases that it holds as ``scored``
are taken over, the others are run. Its digest has to cover everything that decides results: the benchmark file, its
data files, and what selects a part of them.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..api import CaseResult, ComboResult, Progress
from ..errors import SteelyardError
from .asking import Judges
from .books import Books
from .caller import Caller
from .evidence import Differences
from .feed import Begun, Feed
from .journal import Journal
from .keeping import Keeping
from .ledger import Ledger
from .limits import Limits
from .one_case import run_once
from .plan import Combo, Plan
from .prices import Prices

CLEAN_UP_S = 1.0
"""How long an interrupted run waits for what is under way to be given up."""
PUT_S = 5.0
"""How long the end of a run waits for replies that are being cached."""


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
    """What to tell the user at the end, one line each: a spent budget or quota, concurrency that was cut, unknown
    prices, a journal that could not be written."""
    differences: Callable[[int, int], Differences] = lambda _before, _after: Differences()
    """What each case gained from one combo to another, by their positions in ``combos``."""
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
        warn: Hears one-line warnings while the run goes on. Must not raise.
    """
    started = time.monotonic()
    run = _Run(plan, journal, on_case=on_case, on_progress=on_progress, warn=warn)
    interrupted = await run.carry_out()
    cut_off = interrupted or run.feed.failure is not None
    combos = run.books.close(cut_off=cut_off, size=run.feed.size())
    return Outcome(
        combos=combos,
        interrupted=interrupted,
        failure=run.feed.failure,
        over_budget=run.ledger.refused,
        notes=(*run.limits.notes(), *run.books.notes()),
        differences=run.books.outcomes.differences,
        spent_usd=run.ledger.spent_usd,
        duration_s=time.monotonic() - started,
    )


class _Run:
    """A plan being carried out by a crew of workers, each with one case in hand."""

    def __init__(
        self,
        plan: Plan,
        journal: Journal,
        *,
        on_case: Callable[[CaseResult], None],
        on_progress: Callable[[Progress], None],
        warn: Callable[[str], None],
    ) -> None:
        self.ledger = Ledger(plan.max_cost_usd)
        self.limits = Limits(plan.concurrency, warn=warn)
        self.books = Books(
            plan, journal=journal, ledger=self.ledger, on_case=on_case, on_progress=on_progress, warn=warn
        )
        self.feed = Feed(plan, self.books, self._is_hopeless)
        self._plan = plan
        self._keeping = Keeping(plan.cache, warn=warn)
        self._caller = Caller(
            keeping=self._keeping, limits=self.limits, ledger=self.ledger, prices=Prices(warn=warn), warn=warn
        )
        self._judges = Judges(
            caller=self._caller,
            judge_of=plan.judge_of,
            seed=plan.seed,
            loop=asyncio.get_running_loop(),
            thread=threading.get_ident(),
        )
        self._crew: set[asyncio.Task[None]] = set()
        self._at_work = 0
        """Workers that have not decided to go: known at once, unlike which tasks of the crew are done."""
        self._unable: set[object] = set()
        """The judge functions of scorers whose own calls cannot be made any more."""

    async def carry_out(self) -> bool:
        """Work until nothing is left, and return whether the run was cancelled before that."""
        self._caller.on_wait = self._stand_in
        interrupted = False
        try:
            for _ in range(self._plan.concurrency):
                self._hire()
            while self._crew:
                done, _ = await asyncio.wait(self._crew, return_when=asyncio.FIRST_COMPLETED)
                self._crew -= done
                for worker in done:
                    worker.result()
            await self._keeping.finish(PUT_S)
        except asyncio.CancelledError:
            interrupted = True
        finally:
            await self._stop()
        return interrupted

    async def _stop(self) -> None:
        """Start nothing more, give up what is under way, and use up the cancellation, if there was one."""
        self.feed.close()
        self._caller.stop()
        for worker in self._crew:
            worker.cancel()
        task = asyncio.current_task()
        while task is not None and task.cancelling():
            task.uncancel()
        try:
            if self._crew:
                await asyncio.wait(self._crew, timeout=CLEAN_UP_S)
            await self._keeping.finish(CLEAN_UP_S)
        except asyncio.CancelledError:
            # Somebody cannot wait: leave at once.
            while task is not None and task.cancelling():
                task.uncancel()

    def _hire(self) -> None:
        self._at_work += 1
        self._crew.add(asyncio.ensure_future(self._work()))

    def _stand_in(self) -> None:
        """Put another worker on while one waits for its next attempt."""
        if self._at_work < self._wanted():
            self._hire()

    def _wanted(self) -> int:
        return self._plan.concurrency + min(self._caller.waiting, self._plan.concurrency)

    async def _work(self) -> None:
        while True:
            there_was_one, step = self.feed.next()
            if not there_was_one:
                return
            if step is not None:
                await self._carry_on(*step)
            # A provider that never waits would otherwise keep the loop, and Ctrl-C with it, to itself.
            await asyncio.sleep(0)
            if self._at_work > self._wanted():
                self._at_work -= 1
                return

    async def _carry_on(self, begun: Begun, repeat: int) -> None:
        task = begun.task
        unable = bool(self._unable) and any(scorer.judge in self._unable for scorer in task.scorers)
        # An answer that cannot be judged is not worth paying for; one that is in the cache costs nothing.
        ran = await run_once(task, repeat, self._judges, kept_only=unable)
        self._unable.update(scorer.judge for scorer in ran.unjudged_by)
        begun.ran[repeat] = ran
        if len(begun.ran) == self._plan.repeat:
            runs = [begun.ran[number] for number in range(self._plan.repeat)]
            self.books.finish(begun.combo, begun.case, task, runs)

    def _is_hopeless(self, combo: Combo) -> bool:
        """Whether a combo's calls cannot be made any more, and no cache could answer in their place."""
        model = combo.model
        return not self._keeping.keeps(model) and self._caller.lane_of(model).closed is not None
