"""What one place says about the settings: the keys that it may have, what they hold, and where it says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from ..api import JsonMapping, option

PATHS = ("cache_dir", "results_dir")


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsKeys:
    """The keys of a settings file. All are optional."""

    default_provider: str | None = option(None, doc="The provider of a model that names none.")
    concurrency: int | None = option(None, doc="The most calls in flight at once.", minimum=1, maximum=100)
    retries: int | None = option(None, doc="Attempts after the first, for failures that may pass.", minimum=0)
    retry_backoff: float | None = option(None, doc="Seconds before the second attempt; it doubles.", minimum=0)
    timeout: float | None = option(None, doc="Seconds for one attempt.", above=0)
    cache: str | bool | None = option(None, doc="The name of the cache that keeps replies; false for none.")
    cache_dir: str | None = option(None, doc="The folder of what can be asked for again.")
    results_dir: str | None = option(None, doc="The folder of records and reports.")
    no_plugins: tuple[str, ...] = option((), doc="Plugins or distributions to leave out.")
    reporters: tuple[str, ...] = option((), doc="Reporters that take part in every run.")
    providers: Mapping[str, JsonMapping] = option(default_factory=dict, doc="Options of providers, by their names.")
    caches: Mapping[str, JsonMapping] = option(default_factory=dict, doc="Options of caches, by their names.")


KEYS = tuple(key.name for key in fields(SettingsKeys))
BY_NAME = ("providers", "caches")
"""Keys that hold options by a component's name, which no variable of the environment can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one place, or several of them together, say."""

    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """By key; only what is said."""
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Where each key is said."""

    def over(self, below: Layer) -> Layer:
        """Return what holds when this layer lies over another.

        Options of providers and caches are put together one by one. Plugins that either layer leaves out are left out:
        what a project must not load is not loaded because a user leaves out something else.
        """
        values = {**below.values, **self.values}
        sources = {**below.sources, **self.sources}
        for key in ("no_plugins", *BY_NAME):
            if key in below.values and key in self.values:
                values[key] = _together(below.values[key], self.values[key])
                sources[key] = f"{below.sources[key]}, {self.sources[key]}"
        return Layer(values=values, sources=sources)


def _together(below: Any, above: Any) -> Any:
    if isinstance(above, Mapping):
        return {name: {**below.get(name, {}), **above.get(name, {})} for name in {**below, **above}}
    return tuple(dict.fromkeys((*below, *above)))
