"""From a model as the file names it to a model that can be asked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from .._config.options import canonical, fill_mapping
from .._config.settings import Settings
from .._engine.plan import BoundModel, CallPolicy
from .._engine.threads import Threads, settle
from .._host.registry import Registry
from ..api import Benchmark, Credentials, JsonMapping, ModelUse, Parameters, Problem, Request
from ..errors import BenchmarkError, UsageError
from .catalog import Catalog
from .components import Made, Workshop, filled, guarded
from .model_options import CallOptions, RequestOptions
from .names import split_options, with_provider
from .redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """A model whose options are checked, and whose provider is not created yet."""

    use: ModelUse
    offer: Any
    settings: Any
    request: RequestOptions
    call: CallOptions


class Models:
    """Checks and binds the models of one benchmark."""

    def __init__(self, *, benchmark: Benchmark, registry: Registry, settings: Settings) -> None:
        self._benchmark = benchmark
        self._registry = registry
        self._settings = settings

    def plan(self, use: ModelUse, path: str) -> ModelPlan:
        """Check a model's name and options; imports nothing heavy and needs no key.

        Raises ``BenchmarkError`` with every problem, each at the model's place.
        """
        try:
            use = with_provider(use, self._registry.names("provider"), self._default)
            offer = self._registry.get("provider", use.provider or "")
        except UsageError as exc:
            raise BenchmarkError([Problem(message=str(exc), place=use.place, path=path)]) from exc
        if not use.model and offer.spec.needs_model:
            message = f"provider {offer.name!r} needs a model; write model: NAME"
            raise BenchmarkError([Problem(message=message, place=use.place, path=path)])
        request, call, own = split_options({**self._shared(offer.name), **use.options})
        problems: list[Problem] = []
        where = {"place": use.place, "path": path, "report": problems.append}
        request_options = fill_mapping(RequestOptions, request, **where)
        call_options = fill_mapping(CallOptions, call, **where)
        if request_options is None or call_options is None or problems:
            raise BenchmarkError(problems)
        settings = filled(offer, own, place=use.place, path=path)
        return ModelPlan(use=use, offer=offer, settings=settings, request=request_options, call=call_options)

    @property
    def _default(self) -> str | None:
        return self._settings.default_provider or self._benchmark.default_provider

    def _shared(self, provider: str) -> JsonMapping:
        shared: dict[str, Any] = {}
        for options in (self._settings.providers.get(provider), self._benchmark.providers.get(provider)):
            if isinstance(options, dict) or hasattr(options, "items"):
                shared.update(options)
        return shared


class ModelBinder:
    """Creates providers and makes models of them that the engine can ask."""

    def __init__(
        self,
        *,
        settings: Settings,
        benchmark: Benchmark,
        workshop: Workshop,
        threads: Threads,
        catalog: Catalog,
        redactor: Redactor,
    ) -> None:
        self._settings = settings
        self._benchmark = benchmark
        self._workshop = workshop
        self._threads = threads
        self._catalog = catalog
        self._redactor = redactor

    def made(self, plan: ModelPlan) -> Made:
        """Return the model's provider, created when it is first needed."""
        return self._workshop.get(plan.offer, plan.settings)

    def credentials(self, plan: ModelPlan) -> Credentials | None:
        """Ask the provider whether its key can be used; ``None`` when it has no say in that."""
        made = self.made(plan)
        ask = getattr(made.component, "credentials", None)
        if ask is None:
            return None
        answer: Credentials = guarded(made, "credentials", ask)
        self._redactor.add(answer.secrets)
        return answer

    def bind(self, plan: ModelPlan, base: Parameters) -> BoundModel:
        """Return a model that the engine can ask; ``base`` are the parameters that its own options are laid over."""
        made = self.made(plan)
        spec = plan.offer.spec
        credentials = self.credentials(plan)
        fingerprint = getattr(made.component, "fingerprint", None)
        spread = canonical(plan.settings)
        secrets = credentials.secrets if credentials else ()
        return BoundModel(
            id=plan.use.id,
            provider=spec.name,
            model=plan.use.model,
            complete=settle(made.component.complete, inline=spec.inline, threads=self._threads),
            fingerprint=fingerprint or (lambda request: _whole(spread, request)),
            parameters=plan.request.over(base),
            policy=self._policy(plan.call),
            pricing=plan.call.pricing.pricing(),
            catalog_pricing=self._catalog.pricing_of(made, plan.use.model),
            cached=spec.cached if plan.call.cache is None else plan.call.cache,
            usage_required=spec.usage_required,
            limit_key=_limit_key(spec.name, canonical(plan.settings, secrets=True), secrets),
            blame=made.blame,
            redact=self._redactor,
        )

    def _policy(self, call: CallOptions) -> CallPolicy:
        benchmark, settings = self._benchmark, self._settings
        return CallPolicy(
            retries=_first(call.retries, benchmark.retries, settings.retries),
            backoff_s=_first(call.retry_backoff, benchmark.retry_backoff_s, settings.retry_backoff_s),
            timeout_s=_first(call.timeout, benchmark.timeout_s, settings.timeout_s),
        )


def _first(*values: Any) -> Any:
    return next(value for value in values if value is not None)


def _whole(settings: Any, request: Request) -> str:
    """Everything that could decide the answer, for a provider that does not say what does."""
    asked = asdict(request)
    for without_influence in ("timeout_s", "repeat"):
        asked.pop(without_influence)
    return json.dumps([settings, asked], sort_keys=True, default=str)


def _limit_key(name: str, settings: Any, secrets: tuple[str, ...]) -> str:
    """Calls with the same address and key share a rate limit. Hashed: the key must be found nowhere."""
    text = json.dumps([settings, secrets], sort_keys=True, default=str)
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
