"""What a run would cost, from the file and the catalogs alone: no completion is asked for and no key is needed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from .._engine.estimate import ComboEstimate, PricedModel, estimate_combo
from .._suggest import closest
from ..api import (
    NO_PARAMETERS,
    Case,
    CaseSource,
    Message,
    ModelInfo,
    Parameters,
    PlannedAsk,
    Pricing,
    Prompt,
    RunOptions,
)
from ..errors import ProviderError
from .binding import ModelBinder
from .catalog import Catalog, find
from .checking import Checked, judge_use
from .closing import close_all
from .components import guarded
from .models import ModelPlan
from .parts import Parts
from .planning import select

_JUDGE_LIMIT = "evaluation.judge_max_tokens"
"""What files call the output limit of a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimate of a run."""

    combos: tuple[ComboEstimate, ...]
    max_cost_usd: float | None
    unknown: tuple[str, ...] = ()
    """A line for each model that its provider's catalog does not list: almost always a typo."""
    notes: tuple[str, ...] = ()
    """What to know about the figures: prices that are unknown, limits that a model does not have."""
    judging: tuple[str, ...] = ()
    """The scorers that ask models, by name."""

    @property
    def total(self) -> Decimal:
        """USD in all, of what could be priced; judging counts also where the answers themselves have no price."""
        own = sum((combo.own_cost for combo in self.combos if combo.own_cost is not None), Decimal(0))
        return own + self.judge_total

    @property
    def judge_total(self) -> Decimal:
        """USD of it for judging."""
        return sum((combo.judge_cost for combo in self.combos if combo.judge_cost is not None), Decimal(0))

    @property
    def within_budget(self) -> bool:
        """Whether the estimate keeps to ``max_cost_usd``; true when there is none."""
        return self.max_cost_usd is None or self.total <= Decimal(repr(self.max_cost_usd))

    @property
    def passed(self) -> bool:
        """Whether a dry run exits with 0."""
        return self.within_budget and not self.unknown


def _listed(asks: Callable[..., Iterable[PlannedAsk]], *arguments: object) -> tuple[PlannedAsk, ...]:
    return tuple(asks(*arguments))


class Estimator:
    """Makes the estimate of one benchmark."""

    def __init__(
        self, *, checked: Checked, options: RunOptions, parts: Parts, binder: ModelBinder, catalog: Catalog
    ) -> None:
        self._checked = checked
        self._benchmark = checked.benchmark_or_raise()
        self._options = options
        self._parts = parts
        self._binder = binder
        self._catalog = catalog
        self._unknown: list[str] = []
        self._notes: list[str] = []
        self._priced: dict[tuple[str, str], PricedModel] = {}
        self._judging: dict[str, None] = {}

    async def estimate(self) -> Estimate:
        """Return the estimate; only catalogs are fetched."""
        selection = select(self._checked, self._options)
        inference = self._benchmark.inference
        judges = {name: await self._judge(name) for name in self._checked.judges}
        combos = []
        for plan in selection.models:
            limit_name = "inference.max_tokens" if plan.request.max_tokens is None else "max_tokens"
            model = await self._model(plan, inference, limit_name)
            combos += [self._combo(model, prompt, selection.cases, judges) for prompt in selection.prompts]
        limit = self._options.max_cost_usd
        return Estimate(
            combos=tuple(combos),
            max_cost_usd=self._benchmark.max_cost_usd if limit is None else limit,
            unknown=tuple(dict.fromkeys(self._unknown)),
            notes=tuple(dict.fromkeys(self._notes)),
            judging=tuple(self._judging),
        )

    async def estimate_and_close(self, warn: Callable[[str], None]) -> Estimate:
        """Do the same, and give back what was created for it."""
        try:
            return await self.estimate()
        finally:
            await close_all(self._parts.workshop.made, self._parts.threads, warn)

    def _combo(
        self, model: PricedModel, prompt: Prompt, cases: CaseSource, judges: dict[str, PricedModel]
    ) -> ComboEstimate:
        def rendered() -> Iterator[tuple[Case, Sequence[Message]]]:
            return ((case, prompt.render(case)) for case in cases)

        return estimate_combo(
            model,
            prompt.id,
            rendered(),
            asks=self._asks,
            judge=judges.__getitem__,
            repeat=self._options.repeat or self._benchmark.repeat,
        )

    def _asks(self, case: Case, messages: Sequence[Message]) -> list[PlannedAsk]:
        planned: list[PlannedAsk] = []
        for use in case.scorers:
            made = self._parts.scorers.made(use, f"case {case.id!r}")
            asks = getattr(made.component, "asks", None)
            if asks is None:
                continue
            found = guarded(made, "asks", partial(_listed, asks, self._benchmark, case, messages))
            if found:
                self._judging.setdefault(use.type)
            planned += found
        for ask in planned:
            self._note_limit(ask.max_tokens, self._known(ask.model), _JUDGE_LIMIT, ask.model)
        return planned

    def _known(self, judge: str) -> ModelInfo | None:
        found = self._priced.get(("judge", judge))
        return found.info if found else None

    async def _judge(self, name: str) -> PricedModel:
        plan = self._parts.models.plan(judge_use(self._benchmark, name), "judge")
        model = await self._model(plan, NO_PARAMETERS, _JUDGE_LIMIT)
        self._priced["judge", name] = model
        return model

    async def _model(self, plan: ModelPlan, base: Parameters, limit_name: str) -> PricedModel:
        self._note_key(plan)
        info = await self._info(plan)
        stated = plan.call.pricing.pricing()
        pricing = stated if stated.input_per_mtok is not None else (info.pricing if info else stated)
        model = PricedModel(
            id=plan.use.id,
            pricing=pricing,
            max_tokens=plan.request.over(base).max_tokens,
            info=info,
            call_cost=self._call_cost(plan),
        )
        self._note_limit(model.max_tokens, info, limit_name, plan.use.model)
        if not model.priced:
            model = self._unpriced(plan, model)
        elif limit_name != _JUDGE_LIMIT and model.cost(1, 1, model.budget) is None:
            self._notes.append(f"No output limit for '{_name(plan)}' — excluded from the estimate; set {limit_name}.")
        return model

    def _call_cost(self, plan: ModelPlan) -> float | None:
        made = self._binder.made(plan)
        found = getattr(made.component, "call_cost", None)
        return None if found is None else guarded(made, "call_cost", lambda: _usd(found()))

    def _note_key(self, plan: ModelPlan) -> None:
        """Say that a key cannot work; that there is none does not matter here."""
        credentials = self._binder.credentials(plan)
        if credentials is not None and credentials.is_set and credentials.problem:
            self._notes.append(f"provider {plan.offer.name!r}: {credentials.problem}")

    def _unpriced(self, plan: ModelPlan, model: PricedModel) -> PricedModel:
        if not hasattr(self._binder.made(plan).component, "models") and not plan.offer.spec.needs_model:
            # The user's own program: nobody bills for it by the token.
            return replace(model, pricing=Pricing(input_per_mtok=0.0, output_per_mtok=0.0))
        if not any(f"'{plan.use.model}'" in line for line in self._unknown):
            self._notes.append(f"No pricing for '{_name(plan)}' — excluded from the estimate.")
        return model

    def _note_limit(self, wanted: int | None, info: ModelInfo | None, name: str, model: str) -> None:
        limit = info.max_output_tokens if info else None
        if wanted and limit and wanted > limit:
            self._notes.append(
                f"{name} ({wanted}) is above {model}'s output limit ({limit} tokens) — lower it to {limit} or less."
            )

    async def _info(self, plan: ModelPlan) -> ModelInfo | None:
        made = self._binder.made(plan)
        if not hasattr(made.component, "models"):
            return None
        try:
            models = await self._catalog.models(made)
        except ProviderError as exc:
            self._notes.append(f"no model catalog from provider {plan.offer.name!r}: {exc}")
            return None
        info = find(models, plan.use.model)
        if info is None:
            near = closest(plan.use.model, [model.id for model in models])
            hint = f" — did you mean '{near}'?" if near else ""
            catalog = plan.offer.spec.title or plan.offer.name
            self._unknown.append(f"Unknown model '{plan.use.model}': not in the {catalog} catalog{hint}")
        return info


def _usd(cost: float | None) -> float | None:
    """Return a cost as a plugin gives it. Raises ``ValueError`` when it can be none."""
    if cost is not None and not 0 <= cost < math.inf:
        raise ValueError(f"a cost must be a number of at least 0, not {cost!r}")
    return None if cost is None else float(cost)


def _name(plan: ModelPlan) -> str:
    """Return a model's name; the label of one whose provider needs no name."""
    return plan.use.model or plan.use.id
