"""Which case comes next: combo by combo, row by row, never more of them at once than are being worked on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..api import Case
from ..errors import SteelyardError
from .asking import with_seed
from .books import Books
from .faults import described, must_pass
from .one_case import Ran, Task, prepare
from .plan import BoundScorer, Combo, Plan

COUNT_S = 0.5
"""How long the end of an interrupted run may count the rows that were not reached."""
LOOK_EVERY = 1000
"""Rows counted between two looks at the clock."""


@dataclass(slots=True, kw_only=True)
class Begun:
    """A case in hand, until all its runs are done."""

    combo: int
    case: int
    task: Task
    ran: dict[int, Ran] = field(default_factory=dict)
    """What its runs came to, by their number."""


Step = tuple[Begun, int] | None
"""A case with the number of the run that is due, or ``None`` where a case took no work."""


class Feed:
    """Hands out runs of cases, in plan order."""

    def __init__(self, plan: Plan, books: Books, is_hopeless: Callable[[Combo], bool]) -> None:
        """Prepare to go through a plan.

        Args:
            plan: What is to be run.
            books: Where cases are adopted and left out.
            is_hopeless: Whether no case of a combo can be answered any more.
        """
        self.failure: SteelyardError | None = None
        """Why the cases could not be read to their end."""
        self.sizes: dict[int, int] = {}
        """How many cases each combo has, as far as they were gone through."""
        self._plan = plan
        self._books = books
        self._is_hopeless = is_hopeless
        self._seen = 0
        self._rows: Iterator[tuple[int, Case]] = iter(())
        self._steps = self._walk()

    def next(self) -> tuple[bool, Step]:
        """Return whether there was anything left, and the next step."""
        for step in self._steps:
            return True, step
        return False, None

    def close(self) -> None:
        """Hand out nothing any more."""
        self._steps = iter(())

    def size(self) -> int:
        """Return how many cases each combo has; as many as were seen, when counting takes too long."""
        if self.sizes:
            return max(self.sizes.values())
        if self._plan.case_count is not None:
            return self._plan.case_count
        if self.failure is None:
            stop = time.monotonic() + COUNT_S
            for number, _case in self._rows:
                self._seen = number + 1
                if number % LOOK_EVERY == 0 and time.monotonic() > stop:
                    break
        return self._seen

    def _walk(self) -> Iterator[Step]:
        for number, combo in enumerate(self._plan.combos):
            self._rows = self._read()
            size = 0
            parameters = with_seed(combo.model.parameters, self._plan.seed)
            for case_number, case in self._rows:
                size = case_number + 1
                self._seen = max(self._seen, size)
                self._books.begin(number, case_number)
                if self._books.adopt(number, case_number, case):
                    yield None
                elif self._is_hopeless(combo):
                    self._books.leave_out(number, case_number, case.tags)
                    yield None
                else:
                    task = prepare(combo, case, parameters, self._scorers_of(case))
                    begun = Begun(combo=number, case=case_number, task=task)
                    for repeat in range(self._plan.repeat):
                        yield begun, repeat
            if self.failure is not None:
                return
            self.sizes[number] = size
            self._books.end(number, size)

    def _read(self) -> Iterator[tuple[int, Case]]:
        try:
            yield from enumerate(self._plan.cases)
        except SteelyardError as error:
            self.failure = error
        except BaseException as error:
            if must_pass(error):
                raise
            self.failure = SteelyardError(described(error, "reading the cases"))

    def _scorers_of(self, case: Case) -> tuple[BoundScorer, ...] | BaseException:
        try:
            return self._plan.scorers_of(case)
        except BaseException as error:
            if must_pass(error):
                raise
            return error
