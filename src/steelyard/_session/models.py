"""From a model as the file names it to a model that can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._config.options import fill_mapping
from .._config.settings import Settings
from .._host.registry import Registry
from ..api import Benchmark, JsonMapping, ModelUse, Problem
from ..errors import BenchmarkError, UsageError
from .components import filled
from .model_options import CallOptions, RequestOptions
from .names import split_options, with_provider


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
        fill = partial(fill_mapping, place=use.place, path=path, report=problems.append)
        request_options = fill(RequestOptions, request)
        call_options = fill(CallOptions, call)
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
            if isinstance(options, Mapping):
                shared.update(options)
        return shared
