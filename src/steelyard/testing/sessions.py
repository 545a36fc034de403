"""A session with exactly the components that a test gives it, and nothing that happens to be installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import hookimpl
from ..api import CacheSpec, FormatSpec, JsonValue, NoSettings, ProviderSpec, ReporterSpec, ScorerSpec
from ..session import Session, open_session

FAKE_PROVIDER, FAKE_SCORER, FAKE_REPORTER, FAKE_CACHE, FAKE_FORMAT = (
    f"fake_{kind}" for kind in ("provider", "scorer", "reporter", "cache", "format")
)
"""The names that components without a spec get; the second of a kind is ``fake_scorer-2``."""

Spec = ProviderSpec[Any] | ScorerSpec[Any] | ReporterSpec[Any] | CacheSpec[Any] | FormatSpec

_SPECS = (ProviderSpec, ScorerSpec, ReporterSpec, CacheSpec, FormatSpec)


def session_with(
    *components: object,
    cwd: Path,
    environ: Mapping[str, str] | None = None,
    settings: Mapping[str, JsonValue] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Session:
    """Open a session that knows these components and no others.

    Args:
        *components: Specs, or objects that are components already (a :class:`~steelyard.testing.ScriptedProvider`), or
            plugins: modules and other objects with hook implementations.
        cwd: The folder to be in, such as pytest's ``tmp_path``.
        environ: The environment; empty unless given.
        settings: Settings that win over all others. Without a cache among the components there is none, and a single
            provider is the default one.
        warn: Hears warnings; by default they go to :mod:`warnings`.
    """
    specs, plugins = _sorted(components)
    chosen: dict[str, JsonValue] = {}
    providers = [spec.name for spec in specs if isinstance(spec, ProviderSpec)]
    if len(providers) == 1:
        chosen["default_provider"] = providers[0]
    if not plugins and not any(isinstance(spec, CacheSpec) for spec in specs):
        chosen["cache"] = False
    return open_session(
        cwd=cwd,
        environ=environ or {},
        plugins=[*plugins, *([ComponentsOfTheTest(specs)] if specs else [])],
        discover=False,
        settings={**chosen, **(settings or {})},
        warn=warn,
    )


class ComponentsOfTheTest:
    """A plugin that offers what a test gives it."""

    def __init__(self, specs: Iterable[Spec]) -> None:
        self._specs = tuple(specs)

    @hookimpl
    def steelyard_register_providers(self) -> Iterable[ProviderSpec[Any]]:
        """Offer the providers."""
        return [spec for spec in self._specs if isinstance(spec, ProviderSpec)]

    @hookimpl
    def steelyard_register_scorers(self) -> Iterable[ScorerSpec[Any]]:
        """Offer the scorers."""
        return [spec for spec in self._specs if isinstance(spec, ScorerSpec)]

    @hookimpl
    def steelyard_register_reporters(self) -> Iterable[ReporterSpec[Any]]:
        """Offer the reporters."""
        return [spec for spec in self._specs if isinstance(spec, ReporterSpec)]

    @hookimpl
    def steelyard_register_caches(self) -> Iterable[CacheSpec[Any]]:
        """Offer the caches."""
        return [spec for spec in self._specs if isinstance(spec, CacheSpec)]

    @hookimpl
    def steelyard_register_formats(self) -> Iterable[FormatSpec]:
        """Offer the formats."""
        return [spec for spec in self._specs if isinstance(spec, FormatSpec)]


def _sorted(components: Iterable[object]) -> tuple[list[Spec], list[object]]:
    """Return specs, made where there are none, and plugins."""
    specs: list[Spec] = []
    plugins: list[object] = []
    for component in components:
        made = None if isinstance(component, _SPECS) else _spec_for(component)
        if isinstance(component, _SPECS):
            specs.append(component)
        elif made is None:
            plugins.append(component)
        else:
            alike = sum(spec.name.startswith(made.name) for spec in specs)
            specs.append(replace(made, name=f"{made.name}-{alike + 1}") if alike else made)
    return specs, plugins


def _spec_for(component: Any) -> Spec | None:
    """Return a spec for a component by what it can do; ``None`` for what is no component."""
    summary = f"A {type(component).__name__} of a test"
    made: dict[str, Any] = {
        "summary": summary,
        "settings": NoSettings,
        "create": lambda _settings, _context: component,
    }
    if hasattr(component, "complete"):
        return ProviderSpec(name=FAKE_PROVIDER, **made)
    if hasattr(component, "score"):
        return ScorerSpec(name=FAKE_SCORER, **made)
    if hasattr(component, "run_finished"):
        return ReporterSpec(name=FAKE_REPORTER, automatic=True, **made)
    if hasattr(component, "put"):
        return CacheSpec(name=FAKE_CACHE, default=True, **made)
    if hasattr(component, "recognises"):
        return FormatSpec(name=FAKE_FORMAT, summary=summary, create=lambda _tools: component)
    return None
