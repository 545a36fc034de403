"""The command ``steelyard`` itself: its global options and its commands."""

from __future__ import annotations

from functools import partial
from typing import Final

import click

from .. import __version__
from .commands import Commands
from .invocation import Invocation, pass_invocation
from .opening import results_dir
from .options import HELP_OPTIONS, debug_option, no_plugin_option

RESULTS_DIR: Final = "steelyard.results_dir"
"""Under this key of the context's ``meta`` a command of a plugin finds a function without arguments that returns the
results folder of the settings as a path. A promise to plugins, like the hooks."""


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
    """Hand the global options down, and to the commands of plugins what they cannot find out by themselves."""
    context.color = invocation.color
    context.meta[RESULTS_DIR] = partial(results_dir, invocation)
