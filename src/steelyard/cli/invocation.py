"""What one invocation has been told before and besides the options of its command."""

from __future__ import annotations

from dataclasses import dataclass, field

import click


@dataclass(slots=True, kw_only=True)
class Invocation:
    """The global options, gathered while the command line is read; click hands it on as the context's object."""

    debug: bool = False
    """Show tracebacks."""
    color: bool | None = None
    """Whether to colour; ``None`` colours on a terminal only."""
    no_plugins: list[str] = field(default_factory=list)
    """Plugins or distributions that must not be loaded."""
    author: str = ""
    """Who answers for the command that runs: ``command 'x' of plugin 'x' (steelyard-x 0.2)``; empty for ours."""
    quiet: bool = False
    """Whether nothing is said that is only good to know."""
    on_interrupt: str = "Interrupted."
    """What to say when the user interrupts what is going on now."""


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)
