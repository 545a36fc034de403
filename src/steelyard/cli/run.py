"""``steelyard run``: run benchmarks, and let the exit code say whether the gate was passed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from ..api import RunOptions
from ..errors import SteelyardError
from .boundary import report
from .checked_values import number, whole_number
from .dry_run import show_estimate
from .exit_codes import FAILED, PASSED
from .files import benchmark_files
from .invocation import Invocation, pass_invocation
from .opening import must_be_known, opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note

if TYPE_CHECKING:
    from ..session import Session

_INTERRUPTED: Final = (
    "Interrupted — no results written. What was answered is kept; to go on, add --resume to the same command"
)

_FILE: Final = click.Path(path_type=Path)

_One: TypeAlias = "Callable[[Session, Path, RunOptions, Invocation], int]"
"""What is done with one benchmark; returns the exit code."""

_OPTIONS: Final = (
    click.option("-m", "--model", "models", metavar="ID", multiple=True, help="Only this model. Repeatable."),
    click.option("-p", "--prompt", "prompts", metavar="ID", multiple=True, help="Only this prompt. Repeatable."),
    click.option("-t", "--tag", "tags", metavar="TAG", multiple=True, help="Only cases with this tag. Repeatable."),
    click.option("-k", "text", metavar="TEXT", help="Only cases whose id contains this text."),
    click.option("--failed", is_flag=True, help="Only cases that did not pass in the latest run of the benchmark."),
    click.option("--limit", type=whole_number(1), metavar="N", help="At most so many cases, after the other filters."),
    click.option(
        "-j", "--concurrency", type=whole_number(1, 100), metavar="N", help="Most calls in flight (1 to 100)."
    ),
    click.option("-n", "--repeat", type=whole_number(1), metavar="N", help="Run each case so many times."),
    click.option("--seed", type=whole_number(), metavar="N", help="Seed for providers that take one."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the response cache."),
    click.option("--dry-run", is_flag=True, help="Estimate the cost; asks no model and needs no key."),
    click.option("--dataset", type=_FILE, metavar="FILE", help="Read the rows of the cases from this file instead."),
    click.option("--format", metavar="NAME", help="Read the file as this format instead of recognising it."),
    click.option(
        "--fail-under",
        type=number(0, 100),
        metavar="PCT",
        help="Per cent of cases that must pass, instead of the file's quality_threshold.",
    ),
    click.option(
        "--max-cost", "max_cost_usd", type=number(0), metavar="USD", help="Stop before the call that would pass this."
    ),
    click.option(
        "-o",
        "--output",
        "outputs",
        metavar="FILE",
        multiple=True,
        help="Write this file too; its ending says how, or REPORTER:FILE does. Repeatable.",
    ),
    click.option(
        "--reporter", "reporters", metavar="NAME", multiple=True, help="Show the run with this too. Repeatable."
    ),
    click.option("--results-dir", type=_FILE, metavar="DIR", help="Store records and reports here."),
    click.option("--resume", is_flag=True, help="Go on with the latest interrupted run of the benchmark."),
    click.option("--local-plugins", is_flag=True, help="Load the plugins beside the benchmark wherever it lies."),
    click.option("-v", "--verbose", is_flag=True, help="Show every case."),
    click.option("-q", "--quiet", is_flag=True, help="Show the verdict only."),
)


def _run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command("run", context_settings=HELP_OPTIONS)
@click.argument("files", nargs=-1, type=_FILE, metavar="[FILE]...")
@_run_options
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, /, files: tuple[Path, ...], **chosen: Any) -> None:
    """Run benchmarks: every model with every prompt on every case.

    Without FILE, the only benchmark in benchmarks/ is run. Exits with 1 when the gate is missed, when nothing could be
    scored, or when the file cannot be run.
    """
    dry_run, failed = chosen.pop("dry_run"), chosen.pop("failed")
    options = _checked(chosen, context)
    paths = benchmark_files(files)
    if len(paths) > 1 and options.outputs:
        raise click.UsageError(f"-o writes the report of one benchmark, but there are {len(paths)} here", context)
    with opened(invocation) as session:
        must_be_known(session, "reporter", options.reporters)
        must_be_known(session, "format", [options.format] if options.format else [])
        one: _One = show_estimate if dry_run else _run_one
        if failed:
            one = _failed_of(one)
        codes = [_told(lambda path: one(session, path, options, invocation), path, invocation) for path in paths]
    context.exit(max(codes))


def _checked(chosen: dict[str, Any], context: click.Context) -> RunOptions:
    if chosen["verbose"] and chosen["quiet"]:
        raise click.UsageError("--verbose and --quiet exclude each other", context)
    return RunOptions(cache=not chosen.pop("no_cache"), **chosen)


def _told(work: Callable[[Path], int], path: Path, invocation: Invocation) -> int:
    """Do the work for one file and return its exit code; what is wrong with one file costs the others nothing."""
    try:
        return work(path)
    except SteelyardError as error:
        report(error, invocation, about=str(path))
        return FAILED


def _failed_of(one: _One) -> _One:
    """Narrow the work to what did not pass the last time."""

    def narrowed(session: Session, path: Path, options: RunOptions, invocation: Invocation) -> int:
        from .failed_cases import only_failed  # noqa: PLC0415 - hardly ever needed

        chosen = only_failed(session, path, options)
        if isinstance(chosen, RunOptions):
            return one(session, path, chosen, invocation)
        print_note(chosen, color=invocation.color)
        return PASSED

    return narrowed


def _run_one(session: Session, path: Path, options: RunOptions, invocation: Invocation) -> int:
    from .interruptible import run_interruptibly  # noqa: PLC0415 - brings asyncio, which help need not pay for

    invocation.on_interrupt = _INTERRUPTED
    record = run_interruptibly(session.run_async(path, options), last_words=_INTERRUPTED)
    return PASSED if record.insights.passed else FAILED
