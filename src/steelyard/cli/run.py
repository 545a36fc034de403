"""``steelyard run``: run benchmarks, and let the exit code say whether the gate was passed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from ..api import RunOptions
from ..errors import SteelyardError
from . import interrupt
from .baseline import Baseline, read_baseline
from .boundary import report
from .dry_run import show_estimate
from .exit_codes import FAILED, PASSED
from .files import benchmark_files
from .invocation import Invocation, pass_invocation
from .named_outputs import RunCommand
from .opening import files_written, must_be_known, opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note, print_warning
from .run_options import FILE, run_options

if TYPE_CHECKING:
    from ..session import Session

_INTERRUPTED: Final = (
    "Interrupted — no results written. What was answered is kept; to go on, add --resume to the same command"
)

_One: TypeAlias = "Callable[[Session, Path, RunOptions, Invocation], int]"
"""What is done with one benchmark; returns the exit code."""


@click.command("run", cls=RunCommand, context_settings=HELP_OPTIONS)
@click.argument("files", nargs=-1, type=FILE, metavar="[FILE]...")
@run_options
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(context: click.Context, invocation: Invocation, /, files: tuple[Path, ...], **chosen: Any) -> None:
    """Run benchmarks: every model with every prompt on every case.

    Without FILE, the only benchmark in benchmarks/ is run. Exits with 1 when the gate is missed, when nothing could be
    scored, or when the file cannot be run.
    """
    dry_run, failed, watch = (chosen.pop(name) for name in ("dry_run", "failed", "watch"))
    against = {name: chosen.pop(name) for name in ("baseline", "threshold", "confidence", "scores", "strict")}
    options = _checked(chosen, against, context)
    invocation.quiet = options.quiet
    paths = benchmark_files(files)
    if len(paths) > 1 and options.outputs:
        raise click.UsageError(f"-o writes the report of one benchmark, but there are {len(paths)} here", context)
    if len(paths) > 1 and against["baseline"]:
        raise click.UsageError(f"--baseline is a run of one benchmark, but there are {len(paths)} here", context)
    with opened(invocation) as session:
        must_be_known(session, "reporter", options.reporters)
        written = files_written(session, options.outputs)
        must_be_known(session, "format", [options.format] if options.format else [])
        one: _One = (
            show_estimate if dry_run else partial(_run_one, baseline=_baseline(session, options, written, **against))
        )
        if failed:
            one = _failed_of(one)

        def run_all() -> int:
            code = PASSED
            for path in paths:
                interrupt.stop_if_asked()
                code = max(code, _told(lambda path: one(session, path, options, invocation), path, invocation))
            return code

        context.exit(_watched(run_all, session, paths, options, invocation) if watch else run_all())


def _checked(chosen: dict[str, Any], against: dict[str, Any], context: click.Context) -> RunOptions:
    rules = against["strict"], against["scores"], against["threshold"], against["confidence"]
    if against["baseline"] is None and rules != (False, False, None, None):
        raise click.UsageError(
            "--threshold, --confidence, --scores and --strict say how to compare; name the run with --baseline", context
        )
    if chosen["verbose"] and chosen["quiet"]:
        raise click.UsageError("--verbose and --quiet exclude each other", context)
    if 0 < (chosen["fail_under"] or 0) <= 1:
        wanted = chosen["fail_under"]
        print_warning(
            f"--fail-under is in per cent: {wanted:g} lets a run pass with {wanted:g} % of its cases; "
            f"for a share of {wanted:g} write {wanted * 100:g}",
            color=context.ensure_object(Invocation).color,
        )
    chosen["outputs"] += tuple(f"json:{file}" for file in chosen.pop("json_files"))
    return RunOptions(cache=not chosen.pop("no_cache"), **chosen)


def _baseline(
    session: Session, options: RunOptions, written: Sequence[Path], *, baseline: Path | None, **rules: Any
) -> Baseline | None:
    if baseline is None:
        return None
    return read_baseline(session, baseline, results_dir=options.results_dir, written=written, **rules)


def _watched(
    run: Callable[[], int], session: Session, paths: list[Path], options: RunOptions, invocation: Invocation
) -> int:
    from .watching import run_at_every_save  # noqa: PLC0415 - hardly ever needed

    written = [options.results_dir or session.settings.results_dir, session.settings.cache_dir]
    # FILE or REPORTER:FILE; what a run writes itself must not have it run again.
    written += [Path(name) for output in options.outputs for name in (output, output.partition(":")[2]) if name]
    files = [*paths, *([options.dataset] if options.dataset else [])]
    run_at_every_save(run, files, written, session.files_read, invocation)


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


def _run_one(
    session: Session, path: Path, options: RunOptions, invocation: Invocation, *, baseline: Baseline | None = None
) -> int:
    from .interruptible import run_interruptibly  # noqa: PLC0415 - brings asyncio, which help need not pay for

    invocation.on_interrupt = _INTERRUPTED
    record = run_interruptibly(session.run_async(path, options), last_words=_INTERRUPTED)
    code = PASSED if record.insights.passed else FAILED
    return code if baseline is None else max(code, baseline.held_against(session, record, options, invocation))
