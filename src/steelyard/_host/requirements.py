"""Whether plugins that somebody insists on are there and in use, and if not, why not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .._suggest import closest
from ..errors import PluginError
from .blocking import normalised, selected_by, selectors
from .reports import PluginReport


@dataclass(frozen=True, slots=True)
class Lack:
    """One name that is not there as it must be."""

    message: str
    error: PluginError | None = None
    """What broke the plugin; ``None`` when it is missing or blocked."""

    def __str__(self) -> str:
        """Return the line that a user reads."""
        return self.message


def lacking(names: Iterable[str], plugins: Sequence[PluginReport]) -> tuple[Lack, ...]:
    """Return what is wrong with the plugins of these names, in the order of the names; empty when all is well."""
    return tuple(lack for name in names for lack in _lacks(name, plugins))


def _lacks(name: str, plugins: Sequence[PluginReport]) -> Iterable[Lack]:
    meant = [plugin for plugin in plugins if selected_by([name], plugin.origin)]
    if not meant:
        yield Lack(_missing(name, plugins))
        return
    own = [plugin for plugin in meant if normalised(plugin.name) == normalised(name)]
    # A plugin's name is served by any plugin of that name; a distribution's by all that it has.
    if any(plugin.state == "ok" for plugin in own):
        return
    for plugin in meant:
        if plugin.state != "ok":
            unblock = "; do not switch it off" if plugin.state == "blocked" else ""
            yield Lack(f"required plugin {name!r}: {plugin}{unblock}", plugin.error)


def _missing(name: str, plugins: Collection[PluginReport]) -> str:
    known = {selector for plugin in plugins for selector in selectors(plugin.origin)[:2]}
    near = closest(name, known, cutoff=0.85)  # strict: distributions of plugins all begin alike
    # No "pip install NAME": a plugin's name is rarely its package's, and a stranger may have the package of that name.
    advice = f"did you mean {near!r}?" if near else "install the package that offers it"
    return (
        f"required plugin {name!r}: no installed distribution has that name or offers a plugin of that name; {advice}"
    )
