"""``steelyard plugins``: every plugin, where it comes from, what it adds, and what became of it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_line, print_note
from .tables import print_table

if TYPE_CHECKING:
    from ..session import Session

_COLUMNS = ("plugin", "distribution", "version", "state", "adds", "why")


@click.command("plugins", context_settings=HELP_OPTIONS)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print the list.")
@no_plugin_option
@debug_option
@pass_invocation
def command(invocation: Invocation, form: str) -> None:
    """List plugins, what each adds, and what failed to load and why."""
    with opened(invocation) as session:
        if form == "json":
            print_line(json.dumps(_as_json(session), indent=2, ensure_ascii=not _speaks_utf8(), allow_nan=False))
        elif session.plugins:
            print_table(_COLUMNS, _rows(session), color=invocation.color)
        else:
            print_note("no plugins are installed")


def _rows(session: Session) -> list[tuple[str, ...]]:
    return [
        (
            plugin.name,
            plugin.distribution,
            plugin.version,
            plugin.state,
            ", ".join(f"{kind} {name}" for kind, name in plugin.adds),
            plugin.why,
        )
        for plugin in session.plugins
    ]


def _as_json(session: Session) -> list[dict[str, object]]:
    return [
        {
            "name": plugin.name,
            "distribution": plugin.distribution,
            "version": plugin.version,
            "state": plugin.state,
            "adds": [{"kind": kind, "name": name} for kind, name in plugin.adds],
            "why": plugin.why,
        }
        for plugin in session.plugins
    ]


def _speaks_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
