"""``steelyard history``: every stored run."""

from __future__ import annotations

from pathlib import Path

import click

from .checked_values import whole_number
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .run_list import print_runs, stored_runs


@click.command("history", context_settings=HELP_OPTIONS)
@click.option("--last", type=whole_number(1), metavar="N", help="Only the N newest runs.")
@click.option("--suite", metavar="NAME", help="Only runs of benchmarks whose name contains this.")
@form_option(Form.TEXT, Form.JSON)
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@debug_option
@pass_invocation
def command(invocation: Invocation, last: int | None, suite: str | None, form: Form, results_dir: Path | None) -> None:
    """List stored runs, the newest first.

    A file that is no record is named on standard error, and skipped.
    """
    with opened(invocation) as session:
        history = session.history(results_dir)
        print_runs(stored_runs(history, suite=suite, last=last), form, invocation)
