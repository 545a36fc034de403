"""Formats that write suite files too: a first one for a user, or one that came from another format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterChoices:
    """What a format's first file may be about, before anybody was asked."""

    modes: tuple[str, ...]
    """Ways to judge, each a scorer's name; the first is taken when the user does not care. At least one."""
    model: str
    """The model that is taken when the user does not care, as a file names it."""
    also: tuple[str, ...] = ()
    """Other models worth knowing of, such as a cheap one without the limits of free ones; never taken unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterAnswers:
    """What a user wants of a first file."""

    name: str
    mode: str
    """One of the modes that were offered."""
    models: tuple[str, ...]
    """At least one, as a file names it."""


class SupportsStarter(Protocol):
    """A format that can write a first file: complete, commented, and such that it runs as it is."""

    def starter_choices(self) -> StarterChoices:
        """Say what can be chosen."""

    def starter(self, answers: StarterAnswers) -> str:
        """Return the text of the file. The host checks it before it writes it."""
