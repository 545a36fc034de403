"""``steelyard compare``: two runs side by side, and whether their difference is real."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from .checked_values import points
from .comparing import Wishes, show_comparison
from .exit_codes import PASSED
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .output import print_note
from .regression import Rules


@click.command("compare", context_settings=HELP_OPTIONS)
@click.argument("first", required=False, metavar="[A]")
@click.argument("second", required=False, metavar="[B]")
@click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
@click.option("-d", "--detailed", is_flag=True, help="Show every case whose outcome changed.")
@click.option(
    "--fail-on-regression",
    "--threshold",
    "allowed",
    type=points,
    metavar="POINTS",
    help="Exit with 1 when the pass rate of a combo fell by more points than this.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 when a single case that passed does not pass any more.")
@form_option(Form.TEXT, Form.MARKDOWN, Form.JSON)
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@debug_option
@pass_invocation
@click.pass_context
def command(
    context: click.Context,
    invocation: Invocation,
    /,
    *,
    first: str | None,
    second: str | None,
    allowed: Fraction | None,
    strict: bool,
    results_dir: Path | None,
    **shown: Any,
) -> None:
    """Compare two runs: quality, cost, and whether the difference is real.

    A and B are record files, run ids or unique beginnings of them. With A alone, it is compared with the latest run of
    the same benchmark and filters; with neither, the two latest runs of the benchmark that was run last are compared.
    """
    wishes = Wishes(rules=Rules(points=allowed, strict=strict), **shown)
    with opened(invocation) as session:
        found = session.history(results_dir).two(first, second)
        if not isinstance(found, tuple):
            print_note(found.reason)
            context.exit(PASSED)
        context.exit(show_comparison(session, *found, wishes, invocation))
