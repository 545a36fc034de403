"""The installed providers, looked at by themselves: the models that they list, and where their keys come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..api import Benchmark, ModelInfo, ModelUse
from ..errors import BenchmarkError, ProviderError, SteelyardError, UsageError
from .binding import ModelBinder
from .blocking import blocking
from .catalog import Catalog
from .closing import close_all
from .models import ModelPlan
from .parts import Parts
from .reading import Reading

_ANY_MODEL = "any"
"""A provider is asked about itself here, for which the name of a model does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderKey:
    """A provider, and where its key comes from. The key itself is nowhere here."""

    name: str
    summary: str
    source: str = ""
    """The environment variable, or that none is needed; empty when the provider cannot tell."""
    is_set: bool | None = None
    """``None`` when no key is needed, or nobody knows of one."""
    problem: str = ""
    """Why no call can succeed now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderModels:
    """The models that a provider lists."""

    provider: str
    title: str
    """How people write the provider's name."""
    models: tuple[ModelInfo, ...]
    """In the provider's own order."""
    key_problem: str = ""
    """Why a key that is set cannot work; whether one is set does not matter."""


class Providers:
    """What can be known of providers without a benchmark and without a call to a model."""

    def __init__(
        self,
        *,
        reading: Reading,
        binder: Callable[[Benchmark, Parts], tuple[ModelBinder, Catalog]],
        say: Callable[[str], None],
        hide: Callable[[str], str],
        defaults: Mapping[str, str],
    ) -> None:
        self._reading = reading
        self._binder = binder
        self._say = say
        self._hide = hide
        self.defaults = defaults
        """By format: who answers for its models that name nobody, where its tool's own settings file says so."""

    @property
    def default(self) -> str | None:
        """The provider of a model that names none: by the settings, or else by the formats. ``None`` for none."""
        if self._reading.settings.default_provider is not None:
            return self._reading.settings.default_provider
        registry = self._reading.host.registry
        # A contested name is not passed over: to ask it is to be told who claims it.
        there = {*registry.names("provider"), *registry.contested("provider")}
        named = {offer.spec.default_provider for offer in registry.specs("format")} & there
        return named.pop() if len(named) == 1 else None

    def models(self, name: str | None = None, *, refresh: bool = False) -> ProviderModels:
        """Return the models that a provider lists, from disk when they were fetched in the last 24 hours.

        Args:
            name: The provider; the default one when left out.
            refresh: Fetch them whatever is on disk.

        Raises ``UsageError`` when there is no such provider or it lists nothing, ``ProviderError`` when the list cannot
        be had.
        """
        wanted = name or self.default
        if wanted is None:
            raise UsageError("no provider is the default one; name one, or set default_provider in the settings")
        parts = self._reading.parts_without_benchmark()
        plan = _plan(parts, wanted)

        async def fetched() -> ProviderModels:
            binder, catalog = self._binder(_NO_BENCHMARK, parts)
            try:
                made = binder.made(plan)
                if not hasattr(made.component, "models"):
                    raise UsageError(f"provider {wanted!r} has no list of models")
                credentials = binder.credentials(plan)
                unusable = credentials is not None and credentials.is_set and credentials.problem
                return ProviderModels(
                    provider=wanted,
                    title=plan.offer.spec.title or wanted,
                    models=await catalog.models(made, refresh=refresh),
                    key_problem=f"provider {wanted!r}: {unusable}" if unusable else "",
                )
            except ProviderError as error:
                raise ProviderError(f"provider {wanted!r}: no model catalog: {error}", status=error.status) from error
            finally:
                await close_all(parts.workshop.made, parts.threads, self._say)

        return blocking(fetched)

    def key_sources(self) -> tuple[ProviderKey, ...]:
        """Return every provider with what it says of its key, by name."""
        parts = self._reading.parts_without_benchmark()

        async def asked() -> tuple[ProviderKey, ...]:
            try:
                return tuple(self._keys(parts))
            finally:
                await close_all(parts.workshop.made, parts.threads, self._say)

        return blocking(asked)

    def _keys(self, parts: Parts) -> Iterator[ProviderKey]:
        binder, _ = self._binder(_NO_BENCHMARK, parts)
        for offer in parts.registry.specs("provider"):
            name, summary = offer.name, offer.spec.summary
            try:
                credentials = binder.credentials(_plan(parts, name))
            except BenchmarkError:
                # It needs options that only a benchmark has: what the key is, if there is one, stands there too.
                yield ProviderKey(name=name, summary=summary)
                continue
            except SteelyardError as error:
                yield ProviderKey(name=name, summary=summary, problem=self._hide(str(error)))
                continue
            if credentials is None:
                yield ProviderKey(name=name, summary=summary, source="none needed")
                continue
            problem = credentials.problem or ""
            needed = not credentials.is_set or bool(credentials.secrets) or bool(problem)
            yield ProviderKey(
                name=name,
                summary=summary,
                source=credentials.source,
                is_set=credentials.is_set if needed else None,
                problem=problem,
            )


_NO_BENCHMARK = Benchmark(name="", models=(), prompts=(), cases=())


def _plan(parts: Parts, name: str) -> ModelPlan:
    parts.registry.get("provider", name)  # an unknown name is told as itself, not as a fault of a benchmark
    return parts.models.plan(ModelUse(id=name, model=_ANY_MODEL, provider=name), f"provider {name}")
