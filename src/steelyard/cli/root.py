"""The command ``steelyard`` itself: its global options and its commands."""

from __future__ import annotations

import click

from .. import __version__
from .commands import Commands
from .invocation import Invocation, pass_invocation
from .options import HELP_OPTIONS, debug_option, no_plugin_option


@click.group(
    cls=Commands,
    context_settings=HELP_OPTIONS,
    help="""Find out which prompt and which model is best on your own data, what it costs, and whether the difference
    is real.

    Start with: steelyard run benchmarks/quickstart.yaml""",
)
@click.version_option(__version__, "--version", prog_name="steelyard", message="%(prog)s %(version)s")
@debug_option
@no_plugin_option
@pass_invocation
@click.pass_context
def root(context: click.Context, invocation: Invocation) -> None:
    """Hand the global options down."""
    context.color = invocation.color
