"""What one benchmark is checked and run with."""

from __future__ import annotations

from dataclasses import dataclass

from .._config.settings import Settings
from .._engine.threads import Threads
from .._host.host import Host
from .._host.registry import Registry
from .components import Workshop
from .models import Models
from .scorers import Scorers


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The host and settings in force, and everything that is created for this benchmark alone."""

    host: Host
    """With the plugins beside the suite, when there are any that may be run."""
    settings: Settings
    models: Models
    scorers: Scorers
    workshop: Workshop
    threads: Threads

    @property
    def registry(self) -> Registry:
        """Every component that can be used, by kind and name."""
        return self.host.registry
