"""A program of one's own as the thing under test: the prompt goes in, what it prints is the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option

from ._placeholders import case_names


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings:
    """What to run, and how."""

    command: str | Sequence[str] = option(
        doc="The program and its arguments, as a list or as one line that is split like a shell's. {{prompt}}, "
        "{{system}}, {{vars.NAME}} and {{messages}} in an argument are filled in; no shell sees them."
    )
    shell: bool = option(default=False, doc="Hand the line to the shell as it is; placeholders are not filled in then.")
    stdin: Literal["prompt", "json"] = option(
        "prompt",
        doc="What the program reads, unless an argument contains {{prompt}}: the prompt, or the request as JSON "
        "(messages, model, vars, seed, repeat).",
    )
    cwd: str | None = option(None, doc="The folder to run in, relative to the benchmark file's, which is the default.")
    env: Mapping[str, str] = option(
        default_factory=dict, doc="Environment variables, besides those that steelyard was started with.", secret=True
    )


def create(settings: CommandSettings, context: PluginContext) -> Provider:
    """Make the provider. Runs nothing yet. Raises ``UsageError`` for a line that is no command."""
    from ._command import Command  # noqa: PLC0415 - start-up must not pay for it

    return Command(settings, context)


def _case_names(settings: CommandSettings) -> set[str]:
    # A shell sees the line as it is.
    return set() if settings.shell else case_names(settings.command)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[CommandSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="command",
            summary="A program of one's own: the prompt on its standard input, the answer on its standard output",
            settings=CommandSettings,
            create=create,
            cached=False,
            needs_model=False,
            case_names=_case_names,
        )
    ]
