"""``cli.md``: every command of ours with its arguments and options, from click's own tree."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import click

from steelyard.cli.commands import OWN
from steelyard.cli.root import root

from .built_ins import loaded_entry_points
from .markup import block, code, heading, page, table
from .prose import one_line, prose

_PROGRAM = "steelyard"


def command_line_page() -> str:
    """Return the page."""
    context = click.Context(root, info_name=_PROGRAM)
    return page(
        "The command line",
        "the commands in src/steelyard/cli",
        "`python -m steelyard` is the same command. Options that every command has: `-h`, `--help`. Plugins may add "
        "commands; `steelyard --help` lists them.",
        heading(2, code(_PROGRAM)),
        *_command_parts(root, context),
        *(part for name, command in commands() for part in _sections(name, command, context)),
    )


def commands() -> Iterator[tuple[str, click.Command]]:
    """Give our own commands, those that come through the door of plugins included, in the order of the help."""
    context = click.Context(root, info_name=_PROGRAM)
    for name in OWN:
        command = root.get_command(context, name)
        if command is not None:
            yield name, command
    yield from loaded_entry_points("steelyard.commands")


def _sections(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    if command.hidden:
        return
    context = click.Context(command, info_name=name, parent=parent)
    yield heading(2, code(context.command_path))
    yield from _command_parts(command, context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                yield from _sections(inner, found, context)


def _command_parts(command: click.Command, context: click.Context) -> Iterator[str]:
    yield block("text", " ".join([context.command_path, *_usage(command)]))
    yield prose(inspect.cleandoc((command.help or "").replace("\b", "")))
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    yield table(("option", "default", "meaning"), [_row(one) for one in options])


def _usage(command: click.Command) -> Iterator[str]:
    if any(isinstance(one, click.Option) for one in command.params):
        yield "[OPTIONS]"
    for one in command.params:
        if isinstance(one, click.Argument):
            yield one.metavar or (one.name or "").upper()
    if isinstance(command, click.Group):
        yield "COMMAND [ARGS]..."


def _row(option: click.Option) -> tuple[str, str, str]:
    value = "" if option.is_flag or option.count else f" {_value(option)}"
    names = [code(name) for name in sorted(option.opts + option.secondary_opts, key=len)]
    names[-1] = f"{names[-1][:-1]}{value}`"
    return ", ".join(names), _default(option), one_line(option.help)


def _value(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return option.type.name.upper()


def _default(option: click.Option) -> str:
    """Return a default that is worth saying, whatever a version of click calls the absence of one."""
    value: Any = option.default
    if option.required:
        return "**required**"
    plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return code(str(value)) if plain and not option.is_flag else ""
