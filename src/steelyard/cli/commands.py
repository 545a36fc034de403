"""The commands of ``steelyard``, known by name: a command's module is imported when it is called, and not before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from .._host.commands import CommandFound, find_commands
from ..errors import PluginError
from .invocation import Invocation

OWN: Final = {
    "run": "Run benchmarks: every model with every prompt on every case.",
    "validate": "Check benchmark files; calls no model and needs no key.",
    "compare": "Compare two runs: quality, cost, and whether the difference is real.",
    "diff": "List regressed and improved cases; any regression fails.",
    "plan": "Say how many cases show a difference, and what that costs.",
    "calibrate": "Measure a judge against people.",
    "label": "Score outputs yourself, to measure a judge.",
    "pairwise": "Let a judge compare outputs two by two, in both orders.",
    "suggest": "Say where a run fails and what could be tried; changes nothing.",
    "report": "Write the report of a stored run anew, or list runs.",
    "history": "List stored runs.",
    "init": "Write a first benchmark, with comments, from three questions.",
    "convert": "Write a suite of another format as a native file that runs alike.",
    "schema": "Print the JSON Schema of benchmark files, for editors.",
    "models": "List models with their prices.",
    "providers": "List providers, and whether their keys are set.",
    "cache": "See, empty or thin out the response cache.",
    "plugins": "List plugins, what each adds, and what failed to load and why.",
    "new-plugin": "Write a package with a plugin that passes its own tests.",
}
"""Our own commands in the order of the help, each in the module of its name, with the line that the help shows."""


class HelpfulGroup(click.Group):
    """A group that shows its help when no command is named: wrong usage, whatever the version of click."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the group's own options."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True, color=ctx.color)
            ctx.exit(2)
        return super().parse_args(ctx, args)


class Commands(HelpfulGroup):
    """Our own commands and those of plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, our own first."""
        return [*OWN, *(found.name for found in commands_of_plugins(ctx) if found.problem is None)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name. Raises ``PluginError`` when a plugin's cannot be used."""
        if cmd_name in OWN:
            command: click.Command = import_module(f"{__package__}.{cmd_name.replace('-', '_')}").command
            return command
        found = next((found for found in commands_of_plugins(ctx) if found.name == cmd_name), None)
        if found is None:
            return None
        command = _loaded(found)
        ctx.ensure_object(Invocation).author = f"command {found.name!r} of {found.origin}"
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name, or say which one could have been meant."""
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            ctx.fail(f"no such command {name!r}{self._advice(ctx, name)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what is known without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(OWN.items()))
        added = [(found.name, _by_whom(found)) for found in commands_of_plugins(ctx) if found.problem is None]
        if added:
            with formatter.section("Plugin commands"):
                formatter.write_dl(added)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer commands without importing them, which is what click would do; options as click does."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        offered = {
            **OWN,
            **{found.name: _by_whom(found) for found in commands_of_plugins(ctx) if found.problem is None},
        }
        return [CompletionItem(name, help=line) for name, line in offered.items() if name.startswith(incomplete)]

    def _advice(self, ctx: click.Context, name: str) -> str:
        if Path(name).suffix in {".yaml", ".yml", ".json"}:
            return f"; did you mean 'steelyard run {name}'?"
        from .._suggest import closest  # noqa: PLC0415 - only a slip needs it

        near = closest(name, self.list_commands(ctx))
        return f"; did you mean {near!r}?" if near else ""


def commands_of_plugins(ctx: click.Context) -> tuple[CommandFound, ...]:
    """Return what plugins offer as commands, also what nobody can call; without importing any of it."""
    return find_commands(taken=tuple(OWN), no_plugins=tuple(_switched_off(ctx)))


def _switched_off(ctx: click.Context) -> Iterator[str]:
    yield from (name.strip() for name in os.environ.get("STEELYARD_NO_PLUGINS", "").split(",") if name.strip())
    invocation = ctx.find_object(Invocation)
    yield from invocation.no_plugins if invocation is not None else ()


def _by_whom(found: CommandFound) -> str:
    return f"{found.origin.distribution} {found.origin.version}".strip()


def _loaded(found: CommandFound) -> click.Command:
    command: Any = found.load()
    if isinstance(command, click.Command):
        return command
    what = f"the command {found.name!r} must be a click.Command, got {type(command).__name__}"
    raise PluginError(f"{found.origin}: loading: {what}", origin=found.origin, stage="loading")
