"""Formats that write suite files too: a first one for a user, or one that came from another format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .benchmark import Benchmark, Case


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterChoices:
    """What a format's first file may be about, before anybody was asked."""

    modes: tuple[str, ...]
    """Ways to judge, each a scorer's name; the first is taken when the user does not care. At least one."""
    model: str
    """The model that is taken when the user does not care, as a file names it."""
    also: tuple[str, ...] = ()
    """Other models worth knowing of, such as a cheap one without the limits of free ones; never taken unasked."""
    offline: str = ""
    """A model that needs neither network nor key, and with which the file passes as it is; empty when there is none."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A suite file that was made from a benchmark."""

    text: str
    lost: tuple[str, ...] = ()
    """What the format has no counterpart for, in a line each."""


class SupportsWriting(Protocol):
    """A format that can write down a benchmark which came from another format."""

    def write(self, benchmark: Benchmark, cases: Sequence[Case]) -> Written:
        """Return a file that gives the same requests and verdicts.

        References to the environment stand in the options of models as the file had them (``${VAR:-default}``), so that
        no secret gets into the new file. The host reads the file back and refuses it where it would run differently.

        Args:
            benchmark: What is to be written; ``cases`` of it is not looked at.
            cases: Its cases, with texts filled in.

        Raises ``UsageError`` for what cannot be written at all.
        """


class SupportsTemplate(Protocol):
    """A prompt that knows the text it is made from, for a conversion to try whether it can be kept."""

    @property
    def template_text(self) -> str | None:
        """The text with its placeholders, in the format's own language; ``None`` when there is none."""
