"""Which commands plugins add, known by name alone: nothing of theirs is imported until one is called.

A distribution adds a command by an entry point in the group ``steelyard.commands``: the entry's name is the command's,
its value a ``click.Command``. This module is on the way to ``--help``, so it does not import pluggy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import NoReturn

from ..errors import Origin, PluginError
from .blame import plugin_error
from .blocking import selected_by
from .conflict import conflict
from .entries import Entry, installed_entries, loaded
from .mentions import any_mentions

GROUP = "steelyard.commands"
"""The entry-point group of commands."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFound:
    """A command that an installed distribution offers."""

    name: str
    origin: Origin
    """Who offers it; the first of the claimants when there are several."""
    load: Callable[[], object] = field(compare=False, repr=False)
    """Imports the command. Raises ``PluginError`` when that fails, and when the name is not the plugin's to have."""
    problem: PluginError | None = field(default=None, compare=False)
    """Why nobody has the name; such a command is not to be listed. ``None`` when it can be called."""


def find_commands(*, taken: Collection[str] = (), no_plugins: Collection[str] = ()) -> tuple[CommandFound, ...]:
    """Return the commands of installed distributions, sorted by name, each name once.

    Args:
        taken: The names of the host's own commands, which no plugin can have.
        no_plugins: Plugins or distributions that are switched off; they are left out.
    """
    if not any_mentions(GROUP):
        return ()
    entries = [entry for entry in installed_entries(GROUP) if selected_by(no_plugins, entry.origin) is None]
    every = [entry.origin for entry in entries]
    by_name = groupby(entries, key=lambda entry: entry.origin.plugin)
    return tuple(_command(name, tuple(claimants), every, taken) for name, claimants in by_name)


def _command(name: str, claimants: tuple[Entry, ...], every: list[Origin], taken: Collection[str]) -> CommandFound:
    first = claimants[0].origin
    problem: PluginError | None = None
    if name in taken:
        problem = plugin_error(
            first, "registering", f"the command {name!r} belongs to steelyard; rename the entry point"
        )
    elif not _NAME.fullmatch(name):
        what = f"the command name {name!r} must be lower case letters, digits, '_' and '-', starting with a letter"
        problem = plugin_error(first, "registering", what)
    elif len(claimants) > 1:
        problem = conflict("command", name, [entry.origin for entry in claimants], every)
    load = partial(loaded, claimants[0]) if problem is None else partial(_refuse, problem)
    return CommandFound(name=name, origin=first, load=load, problem=problem)


def _refuse(problem: PluginError) -> NoReturn:
    raise problem
