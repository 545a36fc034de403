"""The five kinds of component: their names, the hook that offers each, and the spec that it must return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from ..api import CacheSpec, FormatSpec, ProviderSpec, ReporterSpec, ScorerSpec
from ..errors import Origin

Kind: TypeAlias = Literal["provider", "scorer", "reporter", "cache", "format"]
"""A kind of component, as messages and listings name it."""

Spec: TypeAlias = ProviderSpec[Any] | ScorerSpec[Any] | ReporterSpec[Any] | CacheSpec[Any] | FormatSpec
"""What any hook may return."""

T_co = TypeVar("T_co", bound=Spec, covariant=True)


@dataclass(frozen=True, slots=True)
class Offering:
    """One hook: the kind that it offers and the class of its specs."""

    kind: Kind
    hook: str
    spec: type[Spec]


OFFERINGS: tuple[Offering, ...] = (
    Offering("provider", "steelyard_register_providers", ProviderSpec),
    Offering("scorer", "steelyard_register_scorers", ScorerSpec),
    Offering("reporter", "steelyard_register_reporters", ReporterSpec),
    Offering("cache", "steelyard_register_caches", CacheSpec),
    Offering("format", "steelyard_register_formats", FormatSpec),
)
"""Every hook, in the order in which kinds are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer(Generic[T_co]):
    """A component that a plugin offers."""

    kind: Kind
    spec: T_co
    origin: Origin

    @property
    def name(self) -> str:
        """The component's name."""
        return self.spec.name

    def __str__(self) -> str:
        """Return ``scorer 'ratio' of plugin 'ratio' (steelyard-ratio 0.2)``: whom to blame."""
        return f"{self.kind} {self.name!r} of {self.origin}"
