"""``steelyard plugins``: every plugin, where it comes from, what it adds, and what became of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import click

from .commands import commands_of_plugins
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_line, print_note
from .tables import print_table

if TYPE_CHECKING:
    from ..session import Session

_SHOWN = 4
"""What a plugin adds that the table names before it only counts the rest; the JSON names all."""
_COLUMNS = ("plugin", "distribution", "version", "state", "adds", "why")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One line of the list; its fields are those of the JSON."""

    name: str
    distribution: str
    version: str
    state: str
    adds: tuple[tuple[str, str], ...]
    """Kind and name of each component, and of each command."""
    why: str


@click.command("plugins", context_settings=HELP_OPTIONS)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print the list.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, form: str) -> None:
    """List plugins, what each adds, and what failed to load and why."""
    with opened(invocation) as session:
        plugins = _merged([*_with_components(session), *_with_commands(context)])
    if form == "json":
        print_line(json.dumps([_as_json(plugin) for plugin in plugins], indent=2, ensure_ascii=not _speaks_utf8()))
    elif plugins:
        print_table(_COLUMNS, [_as_row(plugin) for plugin in plugins], color=invocation.color)
    else:
        print_note("no plugins are installed")


def _with_components(session: Session) -> Iterator[Listed]:
    for plugin in session.plugins:
        yield Listed(
            name=plugin.name,
            distribution=plugin.distribution,
            version=plugin.version,
            state=plugin.state,
            adds=plugin.adds,
            why=plugin.why or "; ".join(map(str, session.registry.conflicts_of(plugin.origin))),
        )


def _with_commands(context: click.Context) -> Iterator[Listed]:
    for found in commands_of_plugins(context):
        origin = found.origin
        yield Listed(
            name=origin.plugin,
            distribution=origin.distribution,
            version=origin.version,
            state="broken" if found.problem else "ok",
            adds=() if found.problem else (("command", found.name),),
            why=str(found.problem).removeprefix(f"{origin}: ") if found.problem else "",
        )


def _merged(plugins: Iterable[Listed]) -> list[Listed]:
    """Make one line of what has the same name, distribution and fate: a plugin may add components and a command."""
    merged: dict[tuple[str, ...], Listed] = {}
    for plugin in plugins:
        # One that is in use may still lack a name that others claim too; that is no fate of its own.
        key = (plugin.name, plugin.distribution, plugin.state, plugin.why if plugin.state != "ok" else "")
        known = merged.get(key)
        both = known and replace(known, adds=known.adds + plugin.adds, why=known.why or plugin.why)
        merged[key] = both or plugin
    return [merged[key] for key in sorted(merged)]


def _as_row(plugin: Listed) -> tuple[str, ...]:
    adds = ", ".join(f"{kind} {name}" for kind, name in plugin.adds[:_SHOWN])
    if len(plugin.adds) > _SHOWN:
        adds += f" and {len(plugin.adds) - _SHOWN} more"
    return (plugin.name, plugin.distribution, plugin.version, plugin.state, adds, plugin.why)


def _as_json(plugin: Listed) -> dict[str, object]:
    return {**asdict(plugin), "adds": [{"kind": kind, "name": name} for kind, name in plugin.adds]}


def _speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
