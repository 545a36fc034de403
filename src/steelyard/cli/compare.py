"""``steelyard compare``: two runs side by side, and whether their difference is real."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click

from ..api import RunOptions
from .checked_values import confidence, points
from .comparing import Wishes, show_comparison
from .exit_codes import PASSED
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .opening import must_be_known, opened
from .options import HELP_OPTIONS, debug_option
from .output import print_note
from .regression import Rules

_SUITES: Final = (".yaml", ".yml")
"""Endings of what can be run, and is no record of a run."""


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
@click.option(
    "--confidence",
    "sure",
    type=confidence,
    metavar="SHARE",
    help="Count only drops that are real at this level: with 0.95, chance fails at most one build of twenty.",
)
@click.option("--scores", is_flag=True, help="With POINTS or SHARE: the mean score may fall no further either.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a single case that passed does not pass any more.")
@click.option("--models", "asked", metavar="A,B,…", help="With A a suite: run it with these models, side by side.")
@click.option("--provider", metavar="NAME", help="With --models: who answers for names that do not say it.")
@click.option("--no-cache", is_flag=True, help="With --models: neither read nor write the response cache.")
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
    sure: float | None,
    strict: bool,
    results_dir: Path | None,
    **shown: Any,
) -> None:
    """Compare two runs: quality, cost, and whether the difference is real.

    A and B are record files, run ids or unique beginnings of them. With A alone, it is compared with the latest run of
    the same benchmark and filters; with neither, the two latest runs of the benchmark that was run last are compared.

    With --models, A is a suite: it is run with those models, and the cases about which they do not agree are marked.
    Exits with 1 as "run" does: when the suite's gate is missed by all of them, or nothing could be scored.
    """
    asked, provider, no_cache, scores = (shown.pop(name) for name in ("asked", "provider", "no_cache", "scores"))
    if asked is not None:
        if first is None or second is not None or strict or scores or (allowed, sure) != (None, None):
            raise click.UsageError("--models takes one suite and no rule for runs: compare SUITE --models A,B", context)
        options = RunOptions(
            prompts=shown["prompts"], cache=not no_cache, results_dir=results_dir, quiet=True, resumable=False
        )
        code = _side_by_side(Path(first), asked, provider, options, shown["form"], context)
        context.exit(code)
    if provider is not None or no_cache:
        raise click.UsageError("--provider and --no-cache go with --models", context)
    if first is not None and Path(first).suffix.lower() in _SUITES:
        raise click.UsageError(f"{first} is a suite; say which models to run it with: --models A,B", context)
    wishes = Wishes(rules=Rules(points=allowed, confidence=sure, scores=scores, strict=strict), **shown)
    if scores and (allowed, sure) == (None, None):
        raise click.UsageError("--scores goes with --fail-on-regression or --confidence", context)
    with opened(invocation) as session:
        found = session.history(results_dir).two(first, second)
        if not isinstance(found, tuple):
            print_note(found.reason)
            context.exit(PASSED)
        context.exit(show_comparison(session, *found, wishes, invocation))


def _side_by_side(
    suite: Path, asked: str, provider: str | None, options: RunOptions, form: Form, context: click.Context
) -> int:
    from .side_by_side import run_side_by_side  # noqa: PLC0415 - for the other half of the command

    names = [name.strip() for name in asked.split(",") if name.strip()]
    if not names:
        raise click.UsageError("--models names no model", context)
    invocation = context.ensure_object(Invocation)
    invocation.quiet = options.quiet
    with opened(invocation) as session:
        must_be_known(session, "provider", [provider] if provider else [])
        return run_side_by_side(session, suite, names, provider, options, form, invocation)
