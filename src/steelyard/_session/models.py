"""From a model as the file names it to a model that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from .._config.option_plans import secret_hint
from .._config.options import fill_mapping
from .._config.settings import Settings
from .._host.kinds import Offer
from .._host.registry import Registry
from .._suggest import closest
from ..api import Benchmark, JsonMapping, JsonValue, ModelUse, Problem, ProviderSpec
from ..errors import BenchmarkError, UsageError
from .components import filled
from .model_options import CallOptions, RequestOptions
from .names import CALL_OPTIONS, REQUEST_OPTIONS, split_options, with_provider

Report = Callable[[Problem], None]


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

    def __init__(
        self,
        *,
        benchmark: Benchmark,
        registry: Registry,
        settings: Settings,
        warn: Callable[[str], None],
        hide: Callable[[str], None],
    ) -> None:
        self._benchmark = benchmark
        self.registry = registry
        self._settings = settings
        self._warn = warn
        self._hide = hide

    def plan(self, use: ModelUse, path: str) -> ModelPlan:
        """Check a model's name and options; imports nothing heavy and needs no key.

        Raises ``BenchmarkError`` with every problem, each at the model's place.
        """
        try:
            use = with_provider(use, self.registry.names("provider"), self._default, self._aside)
            offer = self.registry.get("provider", use.provider or "")
        except UsageError as exc:
            raise BenchmarkError([Problem(message=str(exc), place=use.place, path=path)]) from exc
        if not use.model and offer.spec.needs_model:
            message = f"provider {offer.name!r} needs a model; write model: NAME"
            raise BenchmarkError([Problem(message=message, place=use.place, path=path)])
        request, call, own = split_options({**self._shared(offer.name), **use.options})
        problems: list[Problem] = []
        fill = partial(fill_mapping, place=use.place, path=path, report=problems.append)
        own = self._known(own, offer, use, path, problems.append)
        request_options = fill(RequestOptions, request)
        call_options = fill(CallOptions, call)
        if request_options is None or call_options is None or problems:
            raise BenchmarkError(problems)
        settings = filled(offer, own, place=use.place, path=path, hide=self._hide, warn=self._warn)
        return ModelPlan(use=use, offer=offer, settings=settings, request=request_options, call=call_options)

    def stray_prefix(self, use: ModelUse) -> str | None:
        """Return what stands before the colon of a name that nobody but the format sends to its default provider.

        It may be part of the name. It may as well be a provider whose plugin is not installed, and then the prompts go
        to somebody else. Where the user has chosen the default provider, its names are taken as they are.
        """
        head, colon, _ = use.model.partition(":")
        if use.provider is not None or not colon or "/" in head or self._settings.default_provider is not None:
            return None
        return None if head in self.registry.names("provider") else head

    def _known(
        self, own: dict[str, JsonValue], offer: Offer[ProviderSpec[Any]], use: ModelUse, path: str, report: Report
    ) -> dict[str, JsonValue]:
        """Return the options that the provider has, and report the others: by all names that a model may use."""
        names = {option.name for option in fields(offer.spec.settings)}
        for key in own.keys() - names:
            near = closest(key, {*names, *REQUEST_OPTIONS, *CALL_OPTIONS})
            hint = (
                f"did you mean {near!r}?" if near else f"options of {offer.name}: {', '.join(sorted(names)) or 'none'}"
            )
            message = f"unknown option {key!r}"
            hint = secret_hint(key, names) or hint
            report(Problem(message=message, hint=hint, place=use.place, path=f"{path}.{key}" if path else key))
        return {key: value for key, value in own.items() if key in names}

    @property
    def _aside(self) -> frozenset[str]:
        """Names that belong to a provider which is not in use."""
        names = {report.name for report in self.registry.plugins if report.state != "ok"}
        return frozenset(names | set(self.registry.contested("provider")))

    @property
    def _default(self) -> str | None:
        return self._settings.default_provider or self._benchmark.default_provider

    def _shared(self, provider: str) -> JsonMapping:
        shared: dict[str, Any] = {}
        for options in (self._settings.providers.get(provider), self._benchmark.providers.get(provider)):
            if isinstance(options, Mapping):
                shared.update(options)
        return shared
