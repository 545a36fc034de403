"""Making the providers of a benchmark without asking them anything: what is wrong with their settings shows then.

``create`` needs no key and makes no call, so that ``steelyard validate`` can do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..api import Problem
from ..errors import BenchmarkError, PluginError, UsageError
from .blocking import blocking
from .checking import Checked, judge_use
from .closing import close_all
from .components import Made, Workshop
from .models import ModelPlan
from .parts import Parts


def provider_of(plan: ModelPlan, workshop: Workshop) -> Made:
    """Return a model's provider, created when it is first needed.

    Raises ``BenchmarkError``, at the place of the model, for settings that cannot work; ``UsageError`` where the model
    stands in no file; and ``PluginError`` for whatever else goes wrong.
    """
    try:
        return workshop.get(plan.offer, plan.settings)
    except UsageError as error:
        if not plan.use.place:
            raise
        raise BenchmarkError([_problem(plan, error)]) from error


def problems_of_providers(checked: Checked, parts: Parts, say: Callable[[str], None]) -> tuple[Problem, ...]:
    """Create every provider that a run of the benchmark would ask, close them all, and return what went wrong.

    Components that the check has created are closed with them.
    """

    async def tried() -> tuple[Problem, ...]:
        # On an event loop, as in a run: a provider may want to make a client that belongs to one.
        try:
            return tuple(dict.fromkeys(_problems(checked, parts)))
        finally:
            await close_all(parts.workshop.made, parts.threads, say)

    return blocking(tried)


def _problems(checked: Checked, parts: Parts) -> Iterator[Problem]:
    for plan in _plans(checked, parts):
        try:
            parts.workshop.get(plan.offer, plan.settings)
        except (UsageError, PluginError) as error:
            yield _problem(plan, error)


def _plans(checked: Checked, parts: Parts) -> Sequence[ModelPlan]:
    plans = list(checked.models)
    for name in checked.judges:
        if checked.benchmark is not None:
            try:
                plans.append(parts.models.plan(judge_use(checked.benchmark, name), "judge"))
            except UsageError:
                continue  # the check has said so
    return plans


def _problem(plan: ModelPlan, error: UsageError | PluginError) -> Problem:
    return Problem(message=str(error), place=plan.use.place, path=plan.use.path or f"model {plan.use.id!r}")
