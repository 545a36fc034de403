"""Whether each case has what the settings of a model take from it, such as an argument of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .._suggest import closest
from ..api import Case, Problem
from .models import ModelPlan

ALWAYS_THERE = frozenset({"expected", "id", "metadata"})
"""What every case has, although it may be null or empty."""


class CaseNames:
    """The names that models take from cases."""

    def __init__(self, plans: Sequence[ModelPlan]) -> None:
        asked = [(plan, plan.offer.spec.case_names) for plan in plans]
        self._names = [(plan, sorted(names(plan.settings))) for plan, names in asked if names is not None]

    def missing(self, case: Case) -> Iterator[Problem]:
        """Say which names a case lacks, once for each model."""
        if not self._names:
            return
        of_input = case.input.keys() if isinstance(case.input, Mapping) else ()
        known = {*case.variables, *of_input, *ALWAYS_THERE}
        for plan, names in self._names:
            for name in names:
                if name not in known:
                    near = closest(name, {*case.variables, "prompt", "system", "messages"})
                    yield Problem(
                        message=f"{plan.offer.name}: nothing is called {name!r}",
                        hint=f"did you mean {near!r}?" if near else "",
                        place=plan.use.place,
                        path=f"model {plan.use.id!r}, case {case.id!r}",
                    )
