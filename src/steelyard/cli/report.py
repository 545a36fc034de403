"""``steelyard report``: a stored run told again, as Markdown beside its record or as any other report."""

from __future__ import annotations

from pathlib import Path

import click

from .checked_values import whole_number
from .forms import Form
from .invocation import Invocation, pass_invocation
from .opening import must_be_known, opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note
from .run_list import print_runs, stored_runs


@click.command("report", context_settings=HELP_OPTIONS)
@click.argument("run", required=False, metavar="[RUN]")
@click.option(
    "-o",
    "--output",
    "outputs",
    metavar="FILE",
    multiple=True,
    help="Write this file instead; its ending says how, or REPORTER:FILE does. Repeatable.",
)
@click.option("--reporter", "reporters", metavar="NAME", multiple=True, help="Tell the run with this one. Repeatable.")
@click.option("--last", type=whole_number(1), metavar="N", help="List the N newest runs instead.")
@click.option("--suite", metavar="NAME", help="List the runs of benchmarks whose name contains this instead.")
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(
    context: click.Context,
    invocation: Invocation,
    /,
    run: str | None,
    outputs: tuple[str, ...],
    reporters: tuple[str, ...],
    last: int | None,
    suite: str | None,
    results_dir: Path | None,
) -> None:
    """Write the report of a stored run anew, from its record.

    RUN is a record file, a run id or the unique beginning of one; the latest run when left out. Without -o and
    --reporter the report beside the record is written. With --last or --suite, runs are listed instead.
    """
    listing = last is not None or suite is not None
    if listing and (run or outputs or reporters):
        raise click.UsageError("--last and --suite list runs; leave RUN, -o and --reporter out", context)
    with opened(invocation) as session:
        history = session.history(results_dir)
        if listing:
            print_runs(stored_runs(history, suite=suite, last=last), Form.TEXT, invocation)
            return
        must_be_known(session, "reporter", reporters)
        found = history.run(run)
        for path in session.report(found, reporters=reporters, outputs=outputs):
            print_note(f"Report of {found.record.run_id} saved to {path}")
