"""What became of one plugin: in use, switched off, or set aside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..errors import Origin, PluginError
from .kinds import Kind

State = Literal["ok", "blocked", "broken"]
"""``blocked``: the user switched it off, and it was not imported. ``broken``: it could not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginReport:
    """One plugin that was found."""

    origin: Origin
    state: State = "ok"
    adds: tuple[tuple[Kind, str], ...] = ()
    """Kind and name of each component, in the order of kinds; empty unless the state is ``ok``."""
    why: str = ""
    """Why it is not in use, as one line without the plugin's name; empty when it is."""
    error: PluginError | None = field(default=None, compare=False)
    """What broke it, with its cause, for a traceback; ``None`` unless the state is ``broken``."""

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.origin.plugin

    @property
    def distribution(self) -> str:
        """The distribution that installed it, or the path of a local file."""
        return self.origin.distribution

    @property
    def version(self) -> str:
        """The distribution's version; empty for a local file."""
        return self.origin.version

    def __str__(self) -> str:
        """Return ``plugin 'strict' (steelyard-strict 0.3) is broken: loading: …``."""
        return f"{self.origin} is {self.state}: {self.why}" if self.why else f"{self.origin} is {self.state}"
