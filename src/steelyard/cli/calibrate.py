"""``steelyard calibrate``: how far a judge can be trusted, measured against what people gave the same outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .calibration_output import as_json, print_as_text
from .calibration_page import write_page
from .checked_values import number
from .exit_codes import PASSED
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .output import print_note
from .stated_output import print_stated, stated_as_json


@click.command("calibrate", context_settings=HELP_OPTIONS)
@click.argument("record", required=False, metavar="[RECORD]")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What people gave: .csv, .jsonl, .json or .yaml with id and human_score, and model and prompt_id if need be.",
)
@click.option(
    "--human-pass",
    type=number(1, 5),
    default="4",
    show_default=True,
    metavar="SCORE",
    help="The score from which on a person passes an output.",
)
@click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
@click.option("--scorer", metavar="NAME", help="Measure this scorer; by default the judge.")
@click.option("--stated", is_flag=True, help="Measure instead how sure answers say that they are: CONFIDENCE: 80 %.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE.html", help="Write a page with a plot too."
)
@form_option(Form.TEXT, Form.JSON)
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@debug_option
@pass_invocation
@click.pass_context
def command(
    context: click.Context, invocation: Invocation, /, *, record: str | None, labels: Path | None, **asked: Any
) -> None:
    """Measure a judge against people: do they score and pass the same outputs?

    With --stated it is the answers that are measured: are those that say 80 % right in 80 %?

    RECORD is a record file, a run id or the unique beginning of one; the latest run by default. Scores of people are
    taken from --labels, else from what steelyard label wrote beside the record, else from human_score of the cases.
    """
    from ..session import Choice  # noqa: PLC0415 - what a session is made of is slow to import

    output: Path | None = asked["output"]
    if asked["stated"] and (labels is not None or output is not None or asked["scorer"] is not None):
        raise click.UsageError("--stated goes without --labels, --scorer and -o", context)
    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"-o writes a page: its name must end in .html, got {output.name!r}", context)
    choice = Choice(models=asked["models"], prompts=asked["prompts"], scorer=asked["scorer"])
    with opened(invocation) as session:
        run = session.history(asked["results_dir"]).run(record)
        if asked["stated"]:
            stated = session.analysis.stated_confidence(run.record, choice)
            if asked["form"] is Form.JSON:
                print_json(stated_as_json(stated))
            else:
                print_stated(stated, color=invocation.color)
            context.exit(PASSED)
        found = session.analysis.labels(run, labels)
        calibration = session.analysis.calibration(run, found, choice, human_pass=asked["human_pass"])
    judge = run.record.judge_model
    if asked["form"] is Form.JSON:
        print_json(as_json(calibration, judge))
    else:
        print_as_text(calibration, judge, color=invocation.color)
    if output is not None:
        write_page(output, calibration, judge, run.record)
        print_note(f"Page saved to {output}")
    context.exit(PASSED)
