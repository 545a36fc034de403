"""Who has a name. Built once, frozen, and the same whatever order plugins were found in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, overload

from .._suggest import SLIP, closest
from ..api import CacheSpec, FormatSpec, ProviderSpec, ReporterSpec, ScorerSpec
from ..errors import NameConflictError, Origin, UnknownNameError
from .blocking import normalised
from .conflict import conflict
from .kinds import Kind, Offer, Spec
from .reports import PluginReport, State

_SUSPECTS = 5
"""Plugins that a message names before it only counts the rest."""


@dataclass(frozen=True, slots=True)
class Registry:
    """Every component that the plugins in use offer, by kind and name."""

    claims: Mapping[tuple[Kind, str], tuple[Offer[Spec], ...]]
    """Who offers a name; more than one makes it nobody's."""
    plugins: tuple[PluginReport, ...]

    @overload
    def get(self, kind: Literal["provider"], name: str) -> Offer[ProviderSpec[Any]]: ...
    @overload
    def get(self, kind: Literal["scorer"], name: str) -> Offer[ScorerSpec[Any]]: ...
    @overload
    def get(self, kind: Literal["reporter"], name: str) -> Offer[ReporterSpec[Any]]: ...
    @overload
    def get(self, kind: Literal["cache"], name: str) -> Offer[CacheSpec[Any]]: ...
    @overload
    def get(self, kind: Literal["format"], name: str) -> Offer[FormatSpec]: ...
    def get(self, kind: Kind, name: str) -> Offer[Any]:
        """Return the component of that name and who offers it.

        Raises ``UnknownNameError`` when nobody offers it, and ``NameConflictError`` when several do.
        """
        claimants = self.claims.get((kind, name), ())
        if not claimants:
            raise UnknownNameError(self._unknown(kind, name), kind=kind, name=name, known=self.names(kind))
        if len(claimants) > 1:
            raise self._conflict(kind, name, claimants)
        return claimants[0]

    def names(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of a kind that can be used, sorted. Contested ones are not among them."""
        return tuple(sorted(name for (of, name), offers in self.claims.items() if of == kind and len(offers) == 1))

    @overload
    def specs(self, kind: Literal["provider"]) -> tuple[Offer[ProviderSpec[Any]], ...]: ...
    @overload
    def specs(self, kind: Literal["scorer"]) -> tuple[Offer[ScorerSpec[Any]], ...]: ...
    @overload
    def specs(self, kind: Literal["reporter"]) -> tuple[Offer[ReporterSpec[Any]], ...]: ...
    @overload
    def specs(self, kind: Literal["cache"]) -> tuple[Offer[CacheSpec[Any]], ...]: ...
    @overload
    def specs(self, kind: Literal["format"]) -> tuple[Offer[FormatSpec], ...]: ...
    def specs(self, kind: Kind) -> tuple[Offer[Any], ...]:
        """Return the components of a kind that can be used, with who offers each, sorted by name."""
        return tuple(self.claims[kind, name][0] for name in self.names(kind))

    @overload
    def wanted(
        self, kind: Literal["scorer"], wants: Callable[[Offer[ScorerSpec[Any]]], bool]
    ) -> tuple[Offer[ScorerSpec[Any]], ...]: ...
    @overload
    def wanted(
        self, kind: Literal["reporter"], wants: Callable[[Offer[ReporterSpec[Any]]], bool]
    ) -> tuple[Offer[ReporterSpec[Any]], ...]: ...
    @overload
    def wanted(
        self, kind: Literal["cache"], wants: Callable[[Offer[CacheSpec[Any]]], bool]
    ) -> tuple[Offer[CacheSpec[Any]], ...]: ...
    @overload
    def wanted(
        self, kind: Literal["format"], wants: Callable[[Offer[FormatSpec]], bool]
    ) -> tuple[Offer[FormatSpec], ...]: ...
    def wanted(self, kind: Kind, wants: Callable[[Offer[Any]], bool]) -> tuple[Offer[Any], ...]:
        """Return the components that are wanted for what they are rather than by their names, sorted by name.

        To be used by default is to be named: raises ``NameConflictError`` when several plugins offer the name of one
        that is wanted. To leave it out would be to switch it off without a word.
        """
        for name, claimants in self.contested(kind).items():
            if any(wants(offer) for offer in claimants):
                raise self._conflict(kind, name, claimants)
        return tuple(offer for name in self.names(kind) if wants(offer := self.claims[kind, name][0]))

    def conflicts_of(self, origin: Origin) -> tuple[NameConflictError, ...]:
        """Return the errors for the names that a plugin offers and does not have, since others offer them too."""
        return tuple(
            self._conflict(kind, name, claimants)
            for (kind, name), claimants in self.claims.items()
            if len(claimants) > 1 and origin in [offer.origin for offer in claimants]
        )

    def _conflict(self, kind: Kind, name: str, claimants: Sequence[Offer[Spec]]) -> NameConflictError:
        every = [plugin.origin for plugin in self.plugins]
        return conflict(kind, name, [offer.origin for offer in claimants], every)

    def contested(self, kind: Kind) -> Mapping[str, tuple[Offer[Spec], ...]]:
        """Return the names of a kind that several plugins offer, with all of them; nobody has such a name."""
        return {name: offers for (of, name), offers in sorted(self.claims.items()) if of == kind and len(offers) > 1}

    def _unknown(self, kind: Kind, name: str) -> str:
        """Say that a name is unknown, and where it may have gone: to a misspelling, or with a plugin not in use."""
        aside = [plugin for plugin in self.plugins if plugin.state != "ok"]
        owners = [str(plugin) for plugin in aside if normalised(plugin.name) == normalised(name)]
        if owners:
            return "; ".join([f"unknown {kind} {name!r}", *owners])
        near = closest(name, [*self.names(kind), *self.contested(kind)], cutoff=SLIP)
        # A name that is nearly right is a slip of the pen; only one that is not makes blocked plugins worth naming.
        states: tuple[State, ...] = ("broken",) if near else ("broken", "blocked")
        parts = [f"unknown {kind} {name!r}", f"did you mean {near!r}?" if near else self._known(kind)]
        parts += (_suspicion(state, [plugin for plugin in aside if plugin.state == state]) for state in states)
        return "; ".join(filter(None, parts))

    def _known(self, kind: Kind) -> str:
        known = ", ".join(self.names(kind))
        if not known:
            return f"no plugin in use offers a {kind}"
        return f"known {kind}s: {known}; or the package that adds it is not installed"


def build_registry(offers: Iterable[Offer[Spec]], plugins: Sequence[PluginReport]) -> Registry:
    """Return the registry of these offers; the order of ``offers`` has no meaning."""
    claims: dict[tuple[Kind, str], list[Offer[Spec]]] = {}
    for offer in offers:
        claims.setdefault((offer.kind, offer.name), []).append(offer)
    by_origin = {key: tuple(sorted(found, key=_place)) for key, found in claims.items()}
    return Registry(MappingProxyType(by_origin), tuple(plugins))


def _place(offer: Offer[Spec]) -> tuple[str, str]:
    return offer.origin.plugin, normalised(offer.origin.distribution)


def _suspicion(state: State, suspects: Sequence[PluginReport]) -> str:
    """Name plugins that may have offered a name, had they been in use."""
    if not suspects:
        return ""
    named = ", ".join(f"{one.name!r} ({f'{one.distribution} {one.version}'.strip()})" for one in suspects[:_SUSPECTS])
    more = f" and {len(suspects) - _SUSPECTS} more" if len(suspects) > _SUSPECTS else ""
    return f"a {state} plugin may offer it: {named}{more}"
