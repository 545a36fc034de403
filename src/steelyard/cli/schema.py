"""``steelyard schema``: the JSON Schema of suite files, for editors and other programs."""

from __future__ import annotations

import click

from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .opening import must_be_known, opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option


@click.command("schema", context_settings=HELP_OPTIONS)
@click.option("--format", "name", metavar="NAME", help="Of files of this format.")
@no_plugin_option
@debug_option
@pass_invocation
def command(invocation: Invocation, name: str | None) -> None:
    r"""Print the JSON Schema (2020-12) of benchmark files, with the options of everything that is installed.

    Keep it in a file, and name that in the first line of a benchmark, for completion in editors:

    \b
    steelyard schema > .steelyard.schema.json
    # yaml-language-server: $schema=.steelyard.schema.json
    """
    with opened(invocation) as session:
        must_be_known(session, "format", [name] if name else [])
        print_json(session.formats.schema(name))
