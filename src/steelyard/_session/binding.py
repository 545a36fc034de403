"""From a checked model to one that the engine can ask: the provider is created, its call settled, its key asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .._config.options import canonical
from .._engine.plan import BoundModel, CallPolicy
from .._engine.threads import settle
from ..api import Benchmark, Credentials, Parameters, Request
from .catalog import Catalog
from .components import Made, guarded
from .model_options import CallOptions
from .models import ModelPlan
from .parts import Parts
from .redaction import Redactor
from .trying import provider_of


class ModelBinder:
    """Creates providers and makes models of them that the engine can ask."""

    def __init__(self, *, parts: Parts, benchmark: Benchmark, catalog: Catalog, redactor: Redactor) -> None:
        self._parts = parts
        self._benchmark = benchmark
        self._catalog = catalog
        self.redactor = redactor
        """Knows what must be shown nowhere."""

    def made(self, plan: ModelPlan) -> Made:
        """Return the model's provider, created when it is first needed."""
        return provider_of(plan, self._parts.workshop)

    def credentials(self, plan: ModelPlan) -> Credentials | None:
        """Ask the provider whether its key can be used; ``None`` when it has no say in that."""
        made = self.made(plan)
        ask = getattr(made.component, "credentials", None)
        if ask is None:
            return None
        answer: Credentials = guarded(made, "credentials", ask)
        self.redactor.add(answer.secrets)
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
            complete=settle(made.component.complete, inline=spec.inline, threads=self._parts.threads),
            fingerprint=fingerprint or (lambda request: _whole(spread, request)),
            parameters=plan.request.over(base),
            policy=self._policy(plan.call),
            pricing=plan.call.pricing.pricing(),
            catalog_pricing=self._catalog.pricing_of(made, plan.use.model),
            cached=spec.cached if plan.call.cache is None else plan.call.cache,
            usage_required=spec.usage_required,
            limit_key=_limit_key(spec.name, canonical(plan.settings, secrets=True), secrets)
            + _lane(made, plan.use.model),
            blame=made.blame,
            redact=self.redactor,
        )

    def _policy(self, call: CallOptions) -> CallPolicy:
        benchmark, settings = self._benchmark, self._parts.settings
        return CallPolicy(
            retries=settings.chosen("retries", _first(call.retries, benchmark.retries)),
            backoff_s=settings.chosen("retry_backoff_s", _first(call.retry_backoff, benchmark.retry_backoff_s)),
            timeout_s=settings.chosen("timeout_s", _first(call.timeout, benchmark.timeout_s)),
        )


def _first(of_model: Any, of_benchmark: Any) -> Any:
    """What the file says: about this model, or about all of them; ``None`` when it says nothing."""
    return of_benchmark if of_model is None else of_model


def _whole(settings: Any, request: Request) -> str:
    """Everything that could decide the answer, for a provider that does not say what does."""
    parameters = request.parameters
    asked = [
        request.model,
        [[message.role, message.content] for message in request.messages],
        [parameters.temperature, parameters.max_tokens, parameters.seed, parameters.params],
        request.input,
        request.variables,
    ]
    return json.dumps([settings, asked], sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    # A read-only mapping is no dict for json, and its text would depend on the order of its keys.
    return dict(value) if isinstance(value, Mapping) else str(value)


def _lane(made: Made, model: str) -> str:
    lane = getattr(made.component, "lane", None)
    return "" if lane is None else f":{guarded(made, 'lane', lambda: str(lane(model)))}"


def _limit_key(name: str, settings: Any, secrets: tuple[str, ...]) -> str:
    """Calls with the same address and key share a rate limit. Hashed: the key must be found nowhere."""
    text = json.dumps([settings, secrets], sort_keys=True, default=str)
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
