"""What the tests cost, added up from their reports, in whatever process they ran."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from steelyard.api import CaseResult

COST, SPENT, CACHED, SCORE = (f"steelyard_{name}" for name in ("cost_usd", "spent_usd", "cached", "score"))
"""Properties of a test's report, which go into JUnit files too. What is unknown is left out."""


def properties(result: CaseResult) -> list[tuple[str, object]]:
    """Return what a report keeps of a result."""
    found: dict[str, object] = {
        SCORE: result.score,
        COST: _sum(_with_judge(run.cost_usd, run.judge_cost_usd) for run in result.runs),
        SPENT: _sum(run.spent_usd for run in result.runs),
        CACHED: all(run.cached for run in result.runs),
    }
    return [(name, value) for name, value in found.items() if value is not None]


class Totals:
    """Hears every report, and has the last word in the terminal. A plugin of its own, one for each process."""

    def __init__(self) -> None:
        self._tests = self._cached = self._unknown = 0
        self._cost = self._spent = 0.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a test cost; with pytest-xdist the reports of the workers come here."""
        found = dict(report.user_properties)
        if report.when != "teardown" or CACHED not in found:
            return
        self._tests += 1
        self._cached += bool(found[CACHED])
        self._unknown += COST not in found or SPENT not in found
        self._cost += _number(found.get(COST))
        self._spent += _number(found.get(SPENT))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what the tests cost."""
        if self._tests:
            terminalreporter.write_sep("-", "steelyard")
            terminalreporter.write_line(self._line())

    def _line(self) -> str:
        cases = "1 case" if self._tests == 1 else f"{self._tests} cases"
        unknown = f", and {self._unknown} of unknown cost" if self._unknown else ""
        return f"{cases}, {self._cached} from the cache: ${self._cost:.4f}, of it ${self._spent:.4f} spent now{unknown}"


def _with_judge(cost: float | None, judge_cost: float | None) -> float | None:
    return None if cost is None or judge_cost is None else cost + judge_cost


def _sum(amounts: Iterable[float | None]) -> float | None:
    """Return the sum, or ``None`` when a part is unknown."""
    found = list(amounts)
    known = [amount for amount in found if amount is not None]
    return sum(known) if len(known) == len(found) else None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
