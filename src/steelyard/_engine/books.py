"""Where finished cases are entered: journal first, then tallies, then whoever listens."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence

from ..api import NOTHING, Case, CaseResult, CaseRun, ComboResult, Progress, Status
from ..errors import RecordError
from .delivery import InOrder
from .faults import described, must_pass
from .journal import Journal
from .ledger import Ledger
from .one_case import Ran, Task
from .outcomes import Outcomes
from .plan import Plan
from .statistics import exactly
from .summary import ComboTally
from .verdict import case_result

PROGRESS_EVERY_S = 0.25


class Books:
    """The account of a run's cases."""

    def __init__(
        self,
        plan: Plan,
        *,
        journal: Journal,
        ledger: Ledger,
        on_case: Callable[[CaseResult], None],
        on_progress: Callable[[Progress], None],
        warn: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._journal = journal
        self._ledger = ledger
        self._on_progress = on_progress
        self._warn = warn
        self._pass_rate = exactly(plan.case_pass_rate)
        self._tallies = [ComboTally(combo.model.id, combo.prompt.id) for combo in plan.combos]
        self.outcomes = Outcomes(len(plan.combos), repeated=plan.repeat > 1)
        self._order = InOrder(journal, on_case)
        self._started = self._told = time.monotonic()

    def begin(self, combo: int, case: int) -> None:
        """Hear that a case is up."""
        self._order.fed(combo, case)

    def end(self, combo: int, size: int) -> None:
        """Hear that a combo has no more cases than ``size``."""
        self._order.ended(combo, size)

    def adopt(self, combo: int, number: int, case: Case) -> bool:
        """Take a case over from the journal of an earlier part of the run, if it was scored there."""
        if not self._journal.has(combo, number):
            return False
        result = self._scored_earlier(combo, number)
        if result is None:
            return False
        if result.id != case.id:
            # The journal's digest should have told: what was judged under this number was another case.
            self._journal.forget(combo, number)
            return False
        self._enter(combo, number, result)
        return True

    def _scored_earlier(self, combo: int, number: int) -> CaseResult | None:
        """Return what the journal holds as scored. Anything else is forgotten, but stays paid for."""
        try:
            result = self._journal.read(combo, number)
        except RecordError:
            self._journal.forget(combo, number)
            return None
        for run in result.runs:
            self._ledger.carry_over(run.spent_usd)
        if result.status is Status.SCORED:
            return result
        self._journal.forget(combo, number)
        return None

    def leave_out(self, combo: int, case: int, tags: Sequence[str]) -> None:
        """Enter a case that is not run."""
        self._tallies[combo].leave_out(tags)
        self._order.left_out(combo, case)

    def finish(self, combo: int, case: int, task: Task, ran: Sequence[Ran]) -> None:
        """Enter a case of which all runs are done."""
        if any(one.refused for one in ran) and not any(one.asked for one in ran):
            self.leave_out(combo, case, task.case.tags)
            return
        runs = [one.run for one in ran]
        result = case_result(task.combo.model.id, task.combo.prompt.id, task.case, runs, self._pass_rate)
        data, result = self._encoded(result)
        hidden = self._plan.hide(data)
        if hidden is not data:
            # From here on nobody hears the secret: not the reporters, and not what is made of all results together.
            data, result = hidden, self._journal.decoded(hidden, combo)
        self._journal.add(combo, case, data)
        self._enter(combo, case, result)

    def _enter(self, combo: int, number: int, result: CaseResult) -> None:
        self._count(combo, number, result)
        self._order.finished(combo, number, result)
        now = time.monotonic()
        if now - self._told >= PROGRESS_EVERY_S:
            self._told = now
            self._on_progress(self.progress())

    def _count(self, combo: int, number: int, result: CaseResult) -> None:
        self._tallies[combo].add(result)
        self.outcomes.add(combo, number, result)

    def _encoded(self, result: CaseResult) -> tuple[bytes, CaseResult]:
        try:
            return self._journal.encoded(result), result
        except BaseException as error:
            if must_pass(error):
                raise
            reason = described(error, "")
        self._warn(f"case {result.id!r}: what its scorers say in detail cannot be written and is left out: {reason}")
        result = dataclasses.replace(result, runs=tuple(_without_details(run) for run in result.runs))
        try:
            return self._journal.encoded(result), result
        except BaseException as error:
            if must_pass(error):
                raise
            result = _unwritable(result, described(error, f"case {result.id!r}: its result cannot be written"))
            return self._journal.encoded(result), result

    def progress(self) -> Progress:
        """Return how far the run is."""
        counts = [tally.counts for tally in self._tallies]
        planned = self._plan.case_count
        return Progress(
            done=sum(one.done for one in counts),
            total=None if planned is None else planned * len(counts),
            passed=sum(one.passed for one in counts),
            failed=sum(one.failed for one in counts),
            errors=sum(one.errors for one in counts),
            spent_usd=self._ledger.spent_usd,
            cost_unknown=self._ledger.unknown > 0,
            elapsed_s=time.monotonic() - self._started,
            by_combo=tuple((one.done, one.passed, one.errors) for one in counts),
        )

    def close(self, *, cut_off: bool, size: int) -> tuple[ComboResult, ...]:
        """Tell the last of what has finished, and return what became of each combo.

        Args:
            cut_off: Whether the run ended before it had gone through all cases.
            size: How many cases each combo has.
        """
        if cut_off:
            self._adopt_what_was_not_reached()
        self._order.flush(len(self._tallies))
        self._on_progress(self.progress())
        return tuple(tally.result(size, self._journal.cases(number)) for number, tally in enumerate(self._tallies))

    def _adopt_what_was_not_reached(self) -> None:
        """Keep what an earlier part of the run has finished beyond the point where this one was stopped."""
        first, last = self._order.position
        for combo in range(first, len(self._tallies)):
            for number in tuple(self._journal.numbers(combo, last if combo == first else -1)):
                result = self._scored_earlier(combo, number)
                if result is not None:
                    self._count(combo, number, result)

    def notes(self) -> tuple[str, ...]:
        """Say at the end what the numbers alone do not."""
        said = []
        budget = self._ledger.max_cost_usd
        left_out = sum(tally.counts.not_run for tally in self._tallies)
        if self._ledger.refused:
            said.append(f"max_cost_usd ({budget:g}) left no room for more calls")
        if left_out:
            said.append(f"{left_out} case(s) were not run")
        if budget is not None:
            said.extend(
                f"{label}: its cost is unknown and max_cost_usd does not cover it" for label in self._unpriced()
            )
        if self._journal.failure is not None:
            said.append(
                f"{self._journal.path}: could not be written ({self._journal.failure}); later results were kept"
            )
        return tuple(said)

    def _unpriced(self) -> tuple[str, ...]:
        return self._ledger.unpriced()


def _without_details(run: CaseRun) -> CaseRun:
    return dataclasses.replace(run, scores=tuple(dataclasses.replace(one, details=NOTHING) for one in run.scores))


def _unwritable(result: CaseResult, message: str) -> CaseResult:
    """Return what can be written of a result in any case: what was asked, answered and paid, as an error."""
    runs = tuple(
        dataclasses.replace(run, status=Status.INTERNAL_ERROR, passed=False, score=None, error=message, scores=())
        for run in result.runs
    )
    return dataclasses.replace(
        result,
        status=Status.INTERNAL_ERROR,
        passed=False,
        score=None,
        runs=runs,
        expected=None,
        metadata=NOTHING,
        flaky=False,
    )
