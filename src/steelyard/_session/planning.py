"""From a checked benchmark and a run's options to a plan: what is run, with whom, and what stands in the way.

Everything that can stop a run before its first call stops it here: a selection of nothing, a missing key, an unknown
reporter, a folder that cannot be written to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .._config.settings import Settings
from .._engine.filters import Filtered
from .._engine.plan import BoundCache, BoundModel, Combo, Plan
from .._engine.threads import is_plain, settle
from .._host.registry import Registry
from .._suggest import closest
from ..api import NO_PARAMETERS, Benchmark, CaseSource, Gate, JsonValue, ModelUse, Prompt, RunOptions
from ..errors import MissingKeyError, UsageError
from .binding import ModelBinder
from .checking import Checked, judge_use
from .components import Made, Workshop, filled
from .models import ModelPlan
from .parts import Parts
from .unpriced import unpriced


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The part of a benchmark that is run."""

    models: tuple[ModelPlan, ...]
    prompts: tuple[Prompt, ...]
    cases: CaseSource
    count: int | None
    """Cases that are selected, at least one; ``None`` while nobody has counted the rows."""
    filters: Mapping[str, JsonValue]
    """What was filtered by, for the record; empty when nothing was."""


def select(checked: Checked, options: RunOptions) -> Selection:
    """Apply the filters. Raises ``UsageError`` for a name that is not in the file, and for a selection of nothing."""
    benchmark = checked.benchmark_or_raise()
    models = _named("model", checked.wanted_models(options), [plan.use.id for plan in checked.models], benchmark)
    prompts = _named("prompt", options.prompts, [prompt.id for prompt in benchmark.prompts], benchmark)
    cases: CaseSource = benchmark.cases
    if options.tags or options.text or options.ids or options.limit is not None:
        cases = Filtered(
            source=cases,
            tags=frozenset(options.tags),
            text=options.text,
            ids=frozenset(options.ids),
            limit=options.limit,
        )
    filters = _filters(options)
    count = _count(cases, checked)
    if count == 0 or not models or not prompts:
        asked = ", ".join(f"{name}: {_listed(value)}" for name, value in filters.items()) or "the file has none"
        raise UsageError(f"{_name(benchmark)}: no test case is left to run ({asked}); nothing was called")
    return Selection(
        models=tuple(plan for plan in checked.models if plan.use.id in models),
        prompts=tuple(prompt for prompt in benchmark.prompts if prompt.id in prompts),
        cases=cases,
        count=count,
        filters=filters,
    )


def _listed(value: JsonValue) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _count(cases: CaseSource, checked: Checked) -> int | None:
    if checked.benchmark is not None and cases is checked.benchmark.cases:
        return checked.cases if checked.complete else None
    if checked.complete or (isinstance(cases, Filtered) and cases.only_limits):
        return sum(1 for _ in cases)
    return None if any(True for _ in cases) else 0


def _name(benchmark: Benchmark) -> str:
    return str(benchmark.path or benchmark.name)


def _named(kind: str, wanted: tuple[str, ...], known: list[str], benchmark: Benchmark) -> set[str]:
    for name in wanted:
        if name not in known:
            near = closest(name, known)
            hint = f"did you mean {near!r}?" if near else f"{kind}s in the file: {', '.join(known)}"
            raise UsageError(f"{_name(benchmark)}: no {kind} {name!r}; {hint}")
    return set(wanted or known)


def _filters(options: RunOptions) -> dict[str, JsonValue]:
    every: dict[str, JsonValue] = {
        "models": list(options.models),
        "prompts": list(options.prompts),
        "tags": list(options.tags),
        "text": options.text,
        "ids": list(options.ids),
        "limit": options.limit,
        "dataset": str(options.dataset) if options.dataset else None,
    }
    return {name: value for name, value in every.items() if value not in (None, [])}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, and what the session needs to know beside it."""

    plan: Plan
    selection: Selection
    cache: Made | None
    digest: str
    """Equal for runs that would ask the same: an interrupted run is resumed only by its like."""


class Planner:
    """Makes the plan of one run."""

    def __init__(self, *, checked: Checked, options: RunOptions, parts: Parts, binder: ModelBinder) -> None:
        self._checked = checked
        self._benchmark = checked.benchmark_or_raise()
        self._options = options
        self._parts = parts
        self._binder = binder

    def plan(self) -> Planned:
        """Return the plan. Raises ``UsageError`` when something stands in the way; nothing has been called then."""
        benchmark, options = self._benchmark, self._options
        selection = select(self._checked, options)
        judges = {name: self._parts.models.plan(judge_use(benchmark, name), "judge") for name in self._checked.judges}
        self._check_keys(selection.models, judges)
        cache = self._cache()
        seed = options.seed if options.seed is not None else benchmark.inference.seed
        base = replace(benchmark.inference, seed=seed)
        models = [self._binder.bind(plan, base) for plan in selection.models]
        bound = {name: self._binder.bind(plan, NO_PARAMETERS) for name, plan in judges.items()}
        max_cost = options.max_cost_usd if options.max_cost_usd is not None else benchmark.max_cost_usd
        for line in () if max_cost is None else unpriced((*selection.models, *judges.values()), self._binder):
            self._parts.workshop.warn(line)
        plan = Plan(
            benchmark=replace(benchmark, gate=_gate(benchmark.gate, options)),
            combos=tuple(Combo(model=model, prompt=prompt) for model in models for prompt in selection.prompts),
            cases=selection.cases,
            case_count=selection.count,
            scorers_of=self._parts.scorers.of,
            judge_of=self._judge_of(bound),
            cache=self._bound_cache(cache),
            concurrency=options.concurrency or self._parts.settings.concurrency_for(benchmark.concurrency),
            repeat=options.repeat or benchmark.repeat,
            case_pass_rate=benchmark.case_pass_rate,
            seed=seed,
            max_cost_usd=max_cost,
            hide=self._binder.redactor.in_bytes,
        )
        return Planned(
            plan=plan, selection=selection, cache=cache, digest=_digest(plan, selection, self._checked.digest)
        )

    def _judge_of(self, bound: dict[str, BoundModel]) -> Callable[[str], BoundModel]:
        def judge_of(name: str) -> BoundModel:
            found = bound.get(name)
            if found is None:
                # A scorer that did not announce whom it asks: its model is checked when it is asked.
                use: ModelUse = judge_use(self._benchmark, name)
                found = bound[name] = self._binder.bind(self._parts.models.plan(use, "judge"), NO_PARAMETERS)
            return found

        return judge_of

    def _check_keys(self, models: tuple[ModelPlan, ...], judges: Mapping[str, ModelPlan]) -> None:
        problems: dict[str, str] = {}
        for plan in models:
            problems.setdefault(self._key_problem(plan), "")
        for name, plan in judges.items():
            scorer = self._checked.asked_by[name]
            problems.setdefault(
                self._key_problem(plan), f" (for the judge {name!r} of {scorer}; its option 'model' chooses another)"
            )
        problems.pop("", None)
        if problems:  # all at once: nobody wants to hear of the next one after setting the first
            raise MissingKeyError("; ".join(f"{problem}{why}" for problem, why in problems.items()))

    def _key_problem(self, plan: ModelPlan) -> str:
        """Return why a model cannot be asked; empty when it can."""
        credentials = self._binder.credentials(plan)
        return (
            ""
            if credentials is None or not credentials.problem
            else f"provider {plan.offer.name!r}: {credentials.problem}"
        )

    def _cache(self) -> Made | None:
        if not self._options.cache:
            return None
        name = self._parts.settings.cache_for(self._benchmark.cache)
        return make_cache(name, self._parts.settings, self._parts.registry, self._parts.workshop)

    def _bound_cache(self, made: Made | None) -> BoundCache | None:
        if made is None:
            return None
        inline, threads, cache = made.offer.spec.inline, self._parts.threads, made.component
        get_many = getattr(cache, "get_many", None)
        waits = not (inline and is_plain(cache.get) and is_plain(cache.put))
        return BoundCache(
            get=settle(cache.get, inline=inline, threads=threads),
            put=settle(cache.put, inline=inline, threads=threads),
            get_many=None if waits or get_many is None or not is_plain(get_many) else get_many,
            fetch_many=settle(get_many, inline=inline, threads=threads) if waits and get_many is not None else None,
            blame=made.blame,
            waits=waits,
        )


def make_cache(name: str | bool | None, settings: Settings, registry: Registry, workshop: Workshop) -> Made | None:
    """Create a cache by its name, or the one that says that it is the default; ``None`` for no cache.

    Its options are those of the settings: runs and ``steelyard cache`` must find the same entries.

    Raises ``UsageError`` when several say so or an option is wrong, ``UnknownNameError`` for an unknown name, and
    ``NameConflictError`` for a contested one, that of the default cache included.
    """
    if name is False:
        return None
    if isinstance(name, str):
        offer = registry.get("cache", name)
    else:
        defaults = registry.wanted("cache", lambda offer: offer.spec.default)
        if len(defaults) > 1:
            names = ", ".join(str(offer) for offer in defaults)
            raise UsageError(f"{len(defaults)} caches want to be the default ({names}); set cache: NAME, or block one")
        if not defaults:
            return None
        offer = defaults[0]
    options, place = settings.caches.get(offer.name, {}), settings.sources.get("caches", "")
    path = f"caches.{offer.name}"
    settings_of_it = filled(offer, options, place=place, path=path, hide=workshop.hide, warn=workshop.warn)
    return workshop.get(offer, settings_of_it)


def _gate(gate: Gate, options: RunOptions) -> Gate:
    if options.fail_under is None:
        return gate
    return replace(gate, quality_threshold=options.fail_under, called="")


def _digest(plan: Plan, selection: Selection, cases: str) -> str:
    """Hash what decides which calls a run makes and how they are judged."""
    benchmark = plan.benchmark
    parts = {
        "file": benchmark.digest,
        "name": benchmark.name,
        "combos": [
            [model.id, model.limit_key, model.model, repr(model.parameters), combo.prompt.id]
            for combo in plan.combos
            for model in (combo.model,)
        ],
        "filters": dict(selection.filters),
        "repeat": plan.repeat,
        "seed": plan.seed,
        "cases": cases,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
