"""``steelyard new-plugin``: a package with a plugin of one kind, which passes its tests, lint and types as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click

from .. import __version__
from ..errors import UsageError
from .commands import OWN, commands_of_plugins
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .output import print_line, print_note
from .plugin_files import filled_in, write_folder
from .plugin_names import PREFIX, Names, names_of

_SUMMARIES: Final = {
    "scorer": "Output has no more lines than it should",
    "provider": "Models behind a server with the chat completions API",
    "reporter": "What became of each case, one a line",
    "cache": "Replies in one file each, with a checksum",
    "format": "Suites of questions with their answers",
    "command": "Print how many cases of a stored run passed",
}
"""Each kind, and what the example of it does; the first thing that its author changes."""


def _read_name(context: click.Context, _parameter: click.Parameter, name: str) -> Names:
    try:
        return names_of(name)
    except ValueError as error:
        raise click.UsageError(str(error), context) from error


def _read_kind(context: click.Context, _parameter: click.Parameter, kinds: tuple[str, ...]) -> str:
    """Return the one kind. Of several, click would take the last without a word."""
    if len(set(kinds)) > 1:
        raise click.UsageError(f"a new package has one kind of plugin, got {', '.join(kinds)}; name one", context)
    return kinds[0]


@click.command("new-plugin", context_settings=HELP_OPTIONS)
@click.argument("names", metavar="NAME", callback=_read_name)
@click.option(
    "--kind",
    type=click.Choice(list(_SUMMARIES)),
    required=True,
    multiple=True,
    callback=_read_kind,
    help="What the plugin adds.",
)
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, names: Names, kind: str) -> None:
    """Write a package with a plugin, to be changed into yours.

    NAME is the package's, such as steelyard-tone; it is written into a new folder of that name. It has a small working
    component, tests with the kit of steelyard, and what a CI job needs, and passes its tests, lint and types as it is.
    """
    _must_be_nobodys(context, invocation, names, kind)
    target = Path(names.distribution)
    write_folder(target, filled_in(kind, _words(names, kind)))
    if not _plain(names.distribution).startswith(PREFIX):
        print_note(f"note: people look for plugins by names such as '{PREFIX}{names.command}'")
    print_line(f"Wrote {target.absolute()}")
    _say_what_is_next(names, kind)


def _must_be_nobodys(context: click.Context, invocation: Invocation, names: Names, kind: str) -> None:
    """Raise ``UsageError`` for a name that two plugins would have: neither of them could be used by it."""
    if kind == "command":
        taken = dict.fromkeys(OWN, "steelyard")
        taken |= {found.name: found.origin.distribution for found in commands_of_plugins(context)}
        name = names.command
    else:
        with opened(invocation) as session:
            taken = {name: plugin.distribution for plugin in session.plugins for _kind, name in plugin.adds}
            taken |= {plugin.name: plugin.distribution for plugin in session.plugins}
        name = names.component
    owner = taken.get(name)
    if owner is not None and _plain(owner) != _plain(names.distribution):
        what = f"{name!r} belongs to {owner} already, and nobody can use a name that two plugins have"
        raise UsageError(f"{names.distribution}: {what}; choose another, such as '{PREFIX}my-{names.command}'")


def _plain(distribution: str) -> str:
    return distribution.lower().replace("_", "-").replace(".", "-")


def _words(names: Names, kind: str) -> Mapping[str, str]:
    """Return what stands for the words in the templates."""
    host = f'"steelyard>={".".join(__version__.split(".")[:2])},<2"'
    is_command = kind == "command"
    return {
        "distribution": names.distribution,
        "module": names.module,
        "component": names.component,
        "command": names.command,
        "Class": names.in_classes,
        "VARIABLE": names.in_variables,
        "kind": kind,
        "summary": _SUMMARIES[kind],
        "dependencies": f'{host}, "click>=8.2"' if is_command else host,
        "group": '"steelyard.commands"' if is_command else "steelyard",
        "entry": names.command if is_command else names.component,
        "target": f"{names.module}:command" if is_command else names.module,
        "use": _use(names, kind),
    }


def _use(names: Names, kind: str) -> str:
    """Return the command line that uses the plugin."""
    if kind == "command":
        return f"steelyard {names.command} results/RUN.json"
    if kind == "provider":
        # Its server is still to be named: a run would find nobody who answers.
        return "steelyard validate example.yaml"
    output = f" -o {names.component}:report.txt" if kind == "reporter" else ""
    return f"steelyard run example.yaml{output}"


def _say_what_is_next(names: Names, kind: str) -> None:
    print_note("Next:")
    steps = [f"cd {names.distribution}", 'pip install -e ".[dev]"', "pytest && ruff check . && mypy"]
    steps += ["steelyard run example.yaml"] if kind == "command" else []
    for step in [*steps, _use(names, kind)]:
        print_note(f"  {step}")
    print_note("Then change what it does and what it says of itself, and choose a licence.")
