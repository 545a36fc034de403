"""The tracebacks that ``--debug`` asks for, on standard error and without secrets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

from ..errors import PluginError


def show_traceback(error: BaseException) -> None:
    """Print the traceback of an error, with those of its causes."""
    import traceback  # noqa: PLC0415 - slow to import, and hardly ever needed

    from . import crash  # noqa: PLC0415 - as above

    text = "".join(traceback.format_exception(error))
    click.echo(crash.without_secrets(text, os.environ), file=sys.stderr, nl=False)


def show_what_broke(errors: Iterable[PluginError]) -> None:
    """Print for each broken plugin what its own code raised, if it did."""
    for error in errors:
        if error.__cause__ is not None:
            click.echo(f"{error.origin} is broken:", file=sys.stderr)
            show_traceback(error.__cause__)
