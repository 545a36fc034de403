"""``steelyard label``: a person scores the outputs of a run, without seeing who answered or what the judge said."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from ..errors import UsageError
from ..text import printable
from .asking import ask
from .checked_values import whole_number
from .exit_codes import PASSED
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note, print_warning

if TYPE_CHECKING:
    from ..api import CaseResult, JsonValue
    from ..session import Session, StoredRun

_Criteria: TypeAlias = Mapping[str, tuple[str, ...]]
"""What is looked for in the answers to a case, by its id."""

_SKIP: Final = "s"
_STOP: Final = "q"
_QUESTION: Final = "Score from 1 (bad) to 5 (good); s skips, q stops"


@click.command("label", context_settings=HELP_OPTIONS)
@click.argument("record", required=False, metavar="[RECORD]")
@click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
@click.option("--scorer", metavar="NAME", help="Only outputs that this scorer judged; by default the judge's.")
@click.option(
    "--benchmark",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The suite of the run: shows with each output the criteria that its judge was given.",
)
@click.option("--limit", type=whole_number(1), metavar="N", help="At most so many outputs this time.")
@click.option("--seed", type=whole_number(), default="0", metavar="N", help="Another order.")
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, /, *, record: str | None, **asked: Any) -> None:
    """Score the outputs of a run yourself, to measure its judge with steelyard calibrate.

    RECORD is a record file, a run id or the unique beginning of one; the latest run by default. Outputs come in random
    order, without model, prompt and the judge's score. Each score is kept at once beside the record; stop and go on
    whenever you like.
    """
    from ..session import Choice  # noqa: PLC0415 - what a session is made of is slow to import

    choice = Choice(models=asked["models"], prompts=asked["prompts"], scorer=asked["scorer"])
    with opened(invocation) as session:
        run = session.history(asked["results_dir"]).run(record)
        labels = session.analysis.labels(run)
        cases = session.analysis.to_label(run, labels, choice, seed=asked["seed"])
        criteria = _criteria(session, run, cases, asked["benchmark"], color=invocation.color)
        invocation.on_interrupt = "Interrupted; every score so far is kept."
        done = _label(session, run, cases[: asked["limit"]], criteria)
    left = len(cases) - done
    print_note(f"{done} output(s) scored now, {left} left.")
    if done or (labels and not left):
        print_note(f"Measure the judge with: steelyard calibrate {run.record.run_id}")
    context.exit(PASSED)


def _criteria(
    session: Session, run: StoredRun, cases: list[CaseResult], file: Path | None, *, color: bool | None
) -> _Criteria:
    """Return what the judge was told of each case, and say where it cannot be shown: people need the same measure."""
    if file is None:
        if cases and run.record.judge_model is not None:
            print_note("The criteria are not in the record; show them with --benchmark FILE.")
        return {}
    criteria = session.analysis.asked_for(file)
    missing = sum(case.id not in criteria for case in cases)
    if missing:
        print_warning(f"{file} does not have the cases of {missing} of these output(s)", color=color)
    return criteria


def _label(session: Session, run: StoredRun, cases: list[CaseResult], criteria: _Criteria) -> int:
    """Ask about each output until the person stops, and return how many were scored."""
    from ..session import Label  # noqa: PLC0415

    done = 0
    for number, case in enumerate(cases, start=1):
        _show(case, number, len(cases), criteria.get(case.id, ()))
        try:
            answer = ask(_QUESTION, _SKIP, _read)
        except UsageError:  # standard input has ended
            break
        if answer == _STOP:
            break
        if isinstance(answer, int):
            label = Label(id=case.id, human_score=answer, model=case.model, prompt_id=case.prompt_id)
            session.analysis.add_label(run, label)
            done += 1
    return done


def _read(text: str) -> int | str:
    """Read a score, or what stands for none. Raises ``ValueError``."""
    word = text.strip().casefold()
    if word in (_SKIP, _STOP):
        return word
    if word not in {"1", "2", "3", "4", "5"}:
        raise ValueError(f"a whole number from 1 to 5, s or q, not {text!r}")
    return int(word)


def _show(case: CaseResult, number: int, total: int, criteria: tuple[str, ...]) -> None:
    run = next(run for run in case.runs if run.score is not None)
    print_note("")
    print_note(f"──── {number} of {total} · {case.id}")
    for message in run.transcript[:-1] or run.messages:
        _section(message.role, message.content)
    for told in criteria:
        _section("criteria", told)
    if case.expected is not None:
        _section("expected", _as_text(case.expected))
    _section("answer", run.response)


def _section(title: str, text: str) -> None:
    print_note("")
    print_note(title.upper())
    for line in printable(text, newlines=True).splitlines() or [""]:
        print_note(f"  {line}")


def _as_text(value: JsonValue) -> str:
    import json  # noqa: PLC0415 - for the few cases that expect more than a text

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
