"""The host of one session: every plugin found, what became of it, and who has which name.

The order of events is the promise: blocked plugins are never imported, a broken one is set aside whole and reported,
and nothing that a plugin does keeps the host from being built.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pluggy

from ..errors import Origin, PluginError, UsageError
from ..hookspecs import PROJECT
from .admission import admit, new_manager
from .asking import LookAt, ask
from .blame import why
from .blocking import selected_by
from .entries import Entry, installed_entries, sort_key
from .kinds import Offer, Spec
from .local_files import file_entry
from .registry import Registry, build_registry
from .reports import PluginReport
from .requirements import lacking


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What plugins offer, once each has been asked."""

    registry: Registry
    plugins: tuple[PluginReport, ...]
    """Every plugin found, by name and distribution."""
    unmatched: tuple[str, ...] = ()
    """Names that were to be blocked although no plugin has them: misspelt, or not installed here."""

    def lacking(self, names: Collection[str]) -> tuple[str, ...]:
        """Say, in a line each, which of these plugins or distributions are missing, blocked or broken, and why."""
        return tuple(str(lack) for lack in lacking(names, self.plugins))

    def require(self, names: Collection[str]) -> None:
        """Insist on plugins, each named by itself or by its distribution.

        Raises ``PluginError`` when what is lacking is broken, else ``UsageError``; either names all that is lacking.
        """
        lacks = lacking(names, self.plugins)
        if not lacks:
            return
        message = "; ".join(map(str, lacks))
        errors = [lack.error for lack in lacks if lack.error is not None]
        if len(errors) == len(lacks):
            raise PluginError(message, origin=errors[0].origin, stage=errors[0].stage) from errors[0]
        raise UsageError(message)


def build_host(
    no_plugins: Collection[str] = (),
    extra: Sequence[tuple[Origin, object]] = (),
    files: Sequence[Path] = (),
    *,
    discover: bool = True,
    look_at: LookAt = lambda _kind, _spec: None,
) -> Host:
    """Find plugins, import each and ask it what it offers. A plugin that breaks is reported, never raised.

    Args:
        no_plugins: Plugins or distributions that are not to be imported; ``DISTRIBUTION:PLUGIN`` names exactly one. A
            mapping says where each is switched off.
        extra: Plugins that are objects already, for tests and embedding.
        files: Plugins that are local ``.py`` files. They are run, so the caller must trust them.
        discover: Whether to look for installed plugins.
        look_at: Says what else is wrong with a spec; its plugin is then broken.
    """
    entries = sorted(_entries(extra, files, discover=discover), key=sort_key)
    manager = new_manager()
    offers: list[Offer[Spec]] = []
    reports = []
    for entry in entries:
        report, offered = _take_in(manager, entry, no_plugins, look_at)
        reports.append(report)
        offers.extend(offered)
    return Host(
        registry=build_registry(offers, reports),
        plugins=tuple(reports),
        unmatched=tuple(name for name in no_plugins if not any(selected_by([name], one.origin) for one in reports)),
    )


def _entries(extra: Sequence[tuple[Origin, object]], files: Sequence[Path], *, discover: bool) -> Iterator[Entry]:
    if discover:
        yield from installed_entries(PROJECT)
    for origin, plugin in extra:
        yield Entry(origin=origin, value="", load=partial(_given, plugin))
    yield from map(file_entry, files)


def _given(plugin: object) -> object:
    return plugin


def _take_in(
    manager: pluggy.PluginManager, entry: Entry, no_plugins: Collection[str], look_at: LookAt
) -> tuple[PluginReport, tuple[Offer[Spec], ...]]:
    blocking = selected_by(no_plugins, entry.origin)
    if blocking is not None:
        where = f" ({no_plugins[blocking]})" if isinstance(no_plugins, Mapping) else ""
        why_blocked = f"switched off by the name {blocking!r}{where}"
        return PluginReport(origin=entry.origin, state="blocked", why=why_blocked), ()
    try:
        offered = _admit_and_ask(manager, entry, look_at)
    except PluginError as error:
        return PluginReport(origin=entry.origin, state="broken", why=why(error), error=error), ()
    return PluginReport(origin=entry.origin, adds=tuple((one.kind, one.name) for one in offered)), offered


def _admit_and_ask(manager: pluggy.PluginManager, entry: Entry, look_at: LookAt) -> tuple[Offer[Spec], ...]:
    # What a plugin prints meanwhile must not get into what the command prints, which may be JSON.
    with contextlib.redirect_stdout(sys.stderr):
        plugin = admit(manager, entry)
        try:
            return ask(manager, plugin, entry.origin, look_at)
        except PluginError:
            manager.unregister(plugin)
            raise
