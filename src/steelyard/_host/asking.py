"""Asking a plugin what it offers: every hook of it by itself, so that what goes wrong has a name.

Called all at once, pluggy drops ``None``, mixes up who returned what, and lets an exception through bare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pluggy

from .._escape import one_line
from ..errors import Origin
from .blame import UnfitError, plugin_error, said
from .kinds import OFFERINGS, Kind, Offer, Offering, Spec
from .spec_checks import fault_of

LookAt = Callable[[Kind, Spec], str | None]
"""Says what else is wrong with a spec that is right by itself, or nothing: what options may be, others know."""


def ask(
    manager: pluggy.PluginManager, plugin: object, origin: Origin, look_at: LookAt = lambda _kind, _spec: None
) -> tuple[Offer[Spec], ...]:
    """Return everything a registered plugin offers, checked, by ``look_at`` too.

    Raises ``PluginError`` for the first thing that is wrong: a plugin is taken whole or not at all.
    """
    offers: dict[tuple[str, str], Offer[Spec]] = {}
    for offering in OFFERINGS:
        for call in _implementations(manager, plugin, offering):
            try:
                for spec in _specs(call, offering, look_at):
                    offer = Offer(kind=offering.kind, spec=spec, origin=origin)
                    if (offer.kind, offer.name) in offers:
                        raise UnfitError(f"it offers the {offer.kind} {offer.name!r} twice")
                    offers[offer.kind, offer.name] = offer
            except UnfitError as exc:
                raise plugin_error(origin, "registering", f"{offering.hook}: {exc}") from None
            except KeyboardInterrupt:
                raise
            except BaseException as exc:
                what = f"{offering.hook}: {said(exc, origin)}"
                raise plugin_error(origin, "registering", what) from exc
    return tuple(offers.values())


def _implementations(
    manager: pluggy.PluginManager, plugin: object, offering: Offering
) -> Iterator[Callable[[], object]]:
    hook: pluggy.HookCaller = getattr(manager.hook, offering.hook)
    for implementation in hook.get_hookimpls():
        if implementation.plugin is plugin:
            yield implementation.function


def _specs(call: Callable[[], Any], offering: Offering, look_at: LookAt) -> Iterator[Spec]:
    """Go through what a hook returns, which may be a generator."""
    wanted = offering.spec.__name__
    returned = call()
    if isinstance(returned, offering.spec):
        raise UnfitError(f"returned a {wanted} by itself; put it in a list")
    if not isinstance(returned, Iterable) or isinstance(returned, (str, bytes)):
        raise UnfitError(f"returned {_kind_of(returned)}, not a list of {wanted}")
    for position, item in enumerate(returned):
        if not isinstance(item, offering.spec):
            raise UnfitError(f"item {position} is {_kind_of(item)}, not a {wanted}")
        fault = fault_of(item) or look_at(offering.kind, item)
        if fault:
            raise UnfitError(f"{wanted} {one_line(repr(item.name), 80)}: {fault}")
        yield item


def _kind_of(value: object) -> str:
    if value is None:
        return "None"
    name = value.__name__ if isinstance(value, type) else type(value).__name__
    return f"the class {name!r}" if isinstance(value, type) else f"a value of type {name!r}"
