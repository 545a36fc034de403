"""``steelyard pairwise``: a judge says which of two outputs is better, for every two combos of past runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .checked_values import number, whole_number
from .exit_codes import FAILED, PASSED
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note
from .pairwise_output import as_json, print_as_text

_INTERRUPTED = "Interrupted; verdicts so far are in the cache, and asked for again they cost nothing."


@click.command("pairwise", context_settings=HELP_OPTIONS)
@click.argument("records", nargs=-1, metavar="RECORD [RECORD]...")
@click.option("--judge", metavar="MODEL", help="PROVIDER:MODEL; by default the judge of the first run.")
@click.option("--criteria", metavar="TEXT", help="What makes an answer better, where the benchmark does not say it.")
@click.option(
    "--benchmark",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The suite of the runs, for criteria, references and judges that only it names.",
)
@click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
@click.option("--limit", type=whole_number(1), metavar="N", help="At most so many cases, drawn at random.")
@click.option("--seed", type=whole_number(), default="0", metavar="N", help="Which cases --limit draws.")
@click.option("--scorer", metavar="NAME", help="The scorer that compares; needed only where several can.")
@click.option("-j", "--concurrency", type=whole_number(1, 100), metavar="N", help="Most calls in flight (1 to 100).")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the response cache.")
@click.option("--max-cost", type=number(0), metavar="USD", help="Stop before the call that would pass this.")
@click.option("-d", "--detailed", is_flag=True, help="Show every comparison.")
@form_option(Form.TEXT, Form.JSON)
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, /, *, records: tuple[str, ...], **asked: Any) -> None:
    """Compare the outputs of combos two by two: a judge sees two answers to the same case, in both orders.

    RECORD is a record file, a run id or the unique beginning of one; the latest run by default. Combos of all runs that
    are named take part. An answer wins only if it wins in both orders; three or more combos are ranked.
    """
    from ..session import Choice, DuelWish  # noqa: PLC0415 - what a session is made of is slow to import

    wish = DuelWish(
        judge=asked["judge"],
        criteria=asked["criteria"],
        choice=Choice(models=asked["models"], prompts=asked["prompts"], scorer=asked["scorer"]),
        limit=asked["limit"],
        seed=asked["seed"],
        cache=not asked["no_cache"],
        concurrency=asked["concurrency"],
        max_cost_usd=asked["max_cost"],
    )
    invocation.on_interrupt = _INTERRUPTED
    with opened(invocation) as session:
        history = session.history(asked["results_dir"])
        runs = [history.run(record) for record in records] or [history.run()]
        report = session.analysis.pairwise(runs, wish, source=asked["benchmark"], told=print_note)
    if asked["form"] is Form.JSON:
        print_json(as_json(report))
    else:
        print_as_text(report, detailed=asked["detailed"], color=invocation.color)
    context.exit(PASSED if report.duels.judged else FAILED)
