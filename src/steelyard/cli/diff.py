"""``steelyard diff``: what became of each case between two runs; any regression fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .comparing import Wishes, show_comparison
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .regression import Rules


@click.command("diff", context_settings=HELP_OPTIONS)
@click.argument("baseline")
@click.argument("candidate")
@click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
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
    baseline: str,
    candidate: str,
    results_dir: Path | None,
    **shown: Any,
) -> None:
    """List regressed and improved cases; exit with 1 when any case regressed.

    BASELINE and CANDIDATE are record files, run ids or unique beginnings of them. The same as compare --detailed
    --strict.
    """
    wishes = Wishes(detailed=True, rules=Rules(strict=True), **shown)
    with opened(invocation) as session:
        history = session.history(results_dir)
        before, after = history.run(baseline).record, history.run(candidate).record
        context.exit(show_comparison(session, before, after, wishes, invocation))
