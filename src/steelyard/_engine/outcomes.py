"""How often each case passed under each combo, kept small, so that combos can be held against each other at the end.

A number for each case and combo instead of the results themselves, which may be read from disk one by one only.
"""

from __future__ import annotations

import math
from array import array

from ..api import CaseResult, Status
from .evidence import Differences

_UNKNOWN = math.nan


class Outcomes:
    """The shares of passed runs of a plan's cases."""

    def __init__(self, combos: int, *, repeated: bool) -> None:
        self._shares = [array("d" if repeated else "f") for _ in range(combos)]
        self._clusters: dict[int, str] = {}
        self._repeated = repeated

    def add(self, combo: int, case: int, result: CaseResult) -> None:
        """Take in a case.

        Args:
            combo: The number of its combo in the plan.
            case: Its number among the cases.
            result: What became of it.
        """
        shares = self._shares[combo]
        if case >= len(shares):
            shares.extend([_UNKNOWN] * (case + 1 - len(shares)))
        if result.status is Status.SCORED:
            shares[case] = passed_share(result)
        if result.cluster is not None:
            self._clusters.setdefault(case, result.cluster)

    def differences(self, before: int, after: int) -> Differences:
        """Return what each case gained from one combo to another, by their numbers; what was not scored is left out."""
        found = Differences()
        # Strict in no length: a run that was cut off may have gone further with one combo than with another.
        for case, (old, new) in enumerate(zip(self._shares[before], self._shares[after], strict=False)):
            if not math.isnan(old) and not math.isnan(new):
                found.add(old, new, cluster=self._clusters.get(case), repeated=self._repeated)
        return found


def passed_share(result: CaseResult) -> float:
    """Return the share of a case's scored runs that passed."""
    runs = [run.passed for run in result.runs if run.status is Status.SCORED]
    return sum(runs) / len(runs) if len(result.runs) > 1 and runs else float(result.passed)
