"""What one benchmark is checked and run with."""

from __future__ import annotations

from dataclasses import dataclass

from .._config.settings import Settings
from .._engine.threads import Threads
from .._host.registry import Registry
from .components import Workshop
from .models import Models
from .scorers import Scorers


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The registry and settings in force, and everything that is created for this benchmark alone."""

    registry: Registry
    settings: Settings
    models: Models
    scorers: Scorers
    workshop: Workshop
    threads: Threads
