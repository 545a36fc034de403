"""``steelyard suggest``: where a combo fails, guesses at why, and the command that tests each guess."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ..text import markdown_cell, one_line, printable
from .exit_codes import PASSED
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_line

if TYPE_CHECKING:
    from ..session import Diagnosis, Hypothesis

_SHOWN: Final = 8
_SMALLEST_P: Final = 0.001


@click.command("suggest", context_settings=HELP_OPTIONS)
@click.argument("record", required=False, metavar="[RECORD]")
@click.option("-m", "--only-model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
@click.option("--model", "words_of", metavar="MODEL", help="Let this model (PROVIDER:MODEL) put it into words too.")
@form_option(Form.TEXT, Form.MARKDOWN, Form.JSON)
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, /, *, record: str | None, **asked: Any) -> None:
    """Say where a run fails and what could be tried: by rules, offline, with the cases behind each guess.

    RECORD is a record file, a run id or the unique beginning of one; the latest run by default. Without -m and -p, the
    best combo is looked at. Nothing is changed: what to do is for you to decide.
    """
    from ..session import Choice  # noqa: PLC0415 - what a session is made of is slow to import

    with opened(invocation) as session:
        run = session.history(asked["results_dir"]).run(record)
        choice = Choice(models=asked["models"], prompts=asked["prompts"])
        found = session.analysis.diagnoses(run.record, choice)
        words = session.analysis.retell(found, asked["words_of"]) if asked["words_of"] else [""] * len(found)
    if asked["form"] is Form.JSON:
        combos = [_as_json(one, said) for one, said in zip(found, words, strict=True)]
        print_json({"run_id": run.record.run_id, "combos": combos})
    else:
        show = _print_markdown if asked["form"] is Form.MARKDOWN else _print_text
        for one, said in zip(found, words, strict=True):
            show(one, said)
    context.exit(PASSED)


def _summary(diagnosis: Diagnosis) -> str:
    errors = f", {diagnosis.errors} could not be scored" if diagnosis.errors else ""
    return (
        f"{diagnosis.model} / {diagnosis.prompt_id}: "
        f"{diagnosis.failed} of {diagnosis.scored} scored case{'' if diagnosis.scored == 1 else 's'} failed"
        f"{_share(diagnosis)}{errors}"
    )


def _share(diagnosis: Diagnosis) -> str:
    if not diagnosis.scored or diagnosis.failed_low is None or diagnosis.failed_high is None:
        return ""
    return _in_per_cent(diagnosis.failed, diagnosis.scored, diagnosis.failed_low, diagnosis.failed_high).join(
        (" (", ")")
    )


def _in_per_cent(count: int, of: int, low: float, high: float) -> str:
    return f"{100 * count / of:.0f} %, 95 % interval {100 * low:.0f} to {100 * high:.0f} %"


def _figures(found: Hypothesis) -> str:
    said = _in_per_cent(found.count, found.of, found.low, found.high)
    if found.p_adjusted is None:
        return said
    p_value = "p < 0.001" if found.p_adjusted < _SMALLEST_P else f"p = {found.p_adjusted:.3f}"
    return f"{said}, {p_value} for all kinds at once"


def _cases(found: Hypothesis) -> str:
    more = f" and {len(found.cases) - _SHOWN} more" if len(found.cases) > _SHOWN else ""
    return ", ".join(found.cases[:_SHOWN]) + more


def _nothing(diagnosis: Diagnosis) -> str:
    if not diagnosis.failed and not diagnosis.errors:
        return "Nothing failed."
    return "What failed has nothing in common that rules can see; read the cases themselves."


def _print_text(diagnosis: Diagnosis, words: str) -> None:
    print_line(one_line(_summary(diagnosis)))
    for number, found in enumerate(diagnosis.hypotheses, start=1):
        print_line("")
        print_line(one_line(f"{number}. {found.claim} ({_figures(found)})"))
        print_line(f"   cases: {one_line(_cases(found))}")
        print_line(f"   try:   {one_line(found.advice)}")
        print_line(f"   test:  {one_line(found.test)}")
    if not diagnosis.hypotheses:
        print_line(_nothing(diagnosis))
    if words:
        print_line("")
        print_line("In a model's words, which may be wrong:")
        print_line(printable(words, newlines=True))
    print_line("")


def _print_markdown(diagnosis: Diagnosis, words: str) -> None:
    print_line(f"### {markdown_cell(_summary(diagnosis))}")
    print_line("")
    for number, found in enumerate(diagnosis.hypotheses, start=1):
        print_line(f"{number}. **{markdown_cell(found.claim)}** ({markdown_cell(_figures(found))})")
        print_line(f"   - cases: {markdown_cell(_cases(found))}")
        print_line(f"   - try: {markdown_cell(found.advice)}")
        print_line(f"   - test: {markdown_cell(found.test)}")
    if not diagnosis.hypotheses:
        print_line(_nothing(diagnosis))
    if words:
        print_line("")
        print_line(f"In a model's words, which may be wrong: {markdown_cell(words)}")
    print_line("")


def _as_json(diagnosis: Diagnosis, words: str) -> dict[str, Any]:
    return {
        "model": diagnosis.model,
        "prompt_id": diagnosis.prompt_id,
        "scored": diagnosis.scored,
        "failed": diagnosis.failed,
        "failed_low": diagnosis.failed_low,
        "failed_high": diagnosis.failed_high,
        "errors": diagnosis.errors,
        "hypotheses": [
            {
                "kind": found.kind,
                "claim": found.claim,
                "count": found.count,
                "of": found.of,
                "share_low": found.low,
                "share_high": found.high,
                "p_adjusted": found.p_adjusted,
                "cases": list(found.cases),
                "advice": found.advice,
                "test": found.test,
            }
            for found in diagnosis.hypotheses
        ],
        "words": words or None,
    }
