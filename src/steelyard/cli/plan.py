"""``steelyard plan``: how many cases show a difference, what that costs, and what a suite can show as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ..api import RunOptions
from .checked_values import confidence, number
from .exit_codes import PASSED
from .files import benchmark_files
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .money import dollars
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_line, print_warning
from .tables import print_table

if TYPE_CHECKING:
    from ..session import Sizing

_COLUMNS: Final = ("Runs of each", "Cases", "Answers", "Cost")
_ALL: Final = 100
_LEAST_POINTS: Final = 0.1


@click.command("plan", context_settings=HELP_OPTIONS)
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@click.option(
    "--detect",
    type=number(_LEAST_POINTS, _ALL),
    default="5",
    show_default=True,
    metavar="POINTS",
    help="The difference of pass rates that is to be shown.",
)
@click.option(
    "--power",
    type=confidence,
    default="0.8",
    show_default=True,
    metavar="SHARE",
    help="In how many comparisons it is to be found.",
)
@click.option(
    "--confidence",
    "sure",
    type=confidence,
    default="0.95",
    show_default=True,
    metavar="SHARE",
    help="How sure a difference has to be to be called one.",
)
@click.option("--record", metavar="RUN", help="A past run that shows how much cases scatter, and what they cost.")
@click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable.")
@click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable.")
@form_option(Form.TEXT, Form.JSON)
@click.option("--results-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where the runs are stored.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(
    context: click.Context, invocation: Invocation, /, *, file: Path | None, record: str | None, **asked: Any
) -> None:
    """Say how many cases show a difference between two combos, and what that costs; asks no model.

    Without --record the scatter of cases is assumed. A past run with several combos shows it, and one with repeats also
    how much of it more runs of each case would take away.
    """
    from ..session import Wish  # noqa: PLC0415 - what a session is made of is slow to import

    (path,) = benchmark_files([file] if file is not None else [])
    wish = Wish(points=asked["detect"], power=asked["power"], confidence=asked["sure"])
    options = RunOptions(models=asked["models"], prompts=asked["prompts"])
    with opened(invocation) as session:
        past = None if record is None else session.history(asked["results_dir"]).run(record).record
        sizing = session.analysis.sizing(path, options, wish=wish, record=past)
    for note in sizing.notes:
        print_warning(note, color=invocation.color)
    if asked["form"] is Form.JSON:
        print_json(_as_json(sizing))
    else:
        _print(sizing, color=invocation.color)
    context.exit(PASSED)


def _print(sizing: Sizing, *, color: bool | None) -> None:
    wish = sizing.wish
    print_line(
        f"To show a difference of {_points(wish.points)} in {_ALL * wish.power:g} % of comparisons, "
        f"{_ALL * wish.confidence:g} % sure:"
    )
    rows = []
    for size in sizing.sizes:
        cost = sizing.cost(size)
        answers = size.runs * sizing.combos
        rows.append((str(size.repeat), f"{size.cases:,}", f"{answers:,}", "-" if cost is None else dollars(cost)))
    print_table(_COLUMNS, rows, color=color, right=_COLUMNS)
    print_line("")
    print_line(_present(sizing))
    print_line(f"Scatter: {sizing.scatter.basis}.")
    if sizing.least:
        print_line(
            f"The cases there scatter less than a difference of {_points(wish.points)} itself makes them: these are "
            "the fewest cases that any such difference takes."
        )
    print_line(f"Cost: {_cost_basis(sizing)}.")
    if not sizing.scatter.repeats_known:
        print_line("What more runs of each case would gain is unknown: the record has one run of each.")


def _present(sizing: Sizing) -> str:
    cases = "1 case" if sizing.cases == 1 else f"{sizing.cases:,} cases"
    has = f"This suite has {cases}, run {'once' if sizing.repeat == 1 else f'{sizing.repeat} times'} each"
    if sizing.detectable > _ALL:
        return f"{has}: too few to show any difference."
    return f"{has}: it shows a difference of {sizing.detectable:.1f} points or more."


def _cost_basis(sizing: Sizing) -> str:
    if sizing.cost_of_run is None:
        return "unknown, for want of a price or an output limit; a past run tells it with --record"
    return f"{sizing.cost_basis}; for {'the one combo' if sizing.combos == 1 else f'all {sizing.combos} combos'}"


def _points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"


def _as_json(sizing: Sizing) -> dict[str, Any]:
    rows = [(size, sizing.cost(size)) for size in sizing.sizes]
    return {
        "detect": sizing.wish.points,
        "power": sizing.wish.power,
        "confidence": sizing.wish.confidence,
        "cases": sizing.cases,
        "repeat": sizing.repeat,
        "combos": sizing.combos,
        "detectable": sizing.detectable if sizing.detectable <= _ALL else None,
        "variance_between": sizing.scatter.spread.between,
        "variance_within": sizing.scatter.spread.within if sizing.scatter.repeats_known else None,
        "least": sizing.least,
        "basis": sizing.scatter.basis,
        "cost_basis": sizing.cost_basis,
        "sizes": [
            {
                "repeat": size.repeat,
                "cases": size.cases,
                "answers": size.runs * sizing.combos,
                "cost_usd": None if cost is None else float(cost),
            }
            for size, cost in rows
        ],
    }
