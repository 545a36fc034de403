"""``steelyard validate``: everything that is wrong with a benchmark file, without a call and without a key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..api import Benchmark, RunOptions
from ..errors import SteelyardError
from .boundary import counted, print_problems, report
from .exit_codes import FAILED, PASSED
from .files import benchmark_files
from .invocation import Invocation, pass_invocation
from .opening import must_be_known, opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_error, print_line

if TYPE_CHECKING:
    from ..session import Session


@click.command("validate", context_settings=HELP_OPTIONS)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--format", metavar="NAME", help="Read the file as this format instead of recognising it.")
@click.option(
    "--dataset",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read the rows of the cases from this file instead.",
)
@click.option("--local-plugins", is_flag=True, help="Load the plugins beside the benchmark wherever it lies.")
@no_plugin_option
@debug_option
@pass_invocation
@click.pass_context
def command(
    context: click.Context,
    invocation: Invocation,
    files: tuple[Path, ...],
    format: str | None,  # noqa: A002 - the option's name
    dataset: Path | None,
    local_plugins: bool,
) -> None:
    """Check benchmark files; calls no model and needs no key.

    Every prompt is rendered with every case. Without FILE, the only benchmark in benchmarks/ is checked. Exits with 1
    when there is an error; warnings alone leave it 0.
    """
    options = RunOptions(format=format, dataset=dataset, local_plugins=local_plugins)
    with opened(invocation) as session:
        must_be_known(session, "format", [format] if format else [])
        codes = [_check_one(session, path, options, invocation) for path in benchmark_files(files)]
    context.exit(max(codes))


def _check_one(session: Session, path: Path, options: RunOptions, invocation: Invocation) -> int:
    try:
        checked = session.check(path, options)
    except SteelyardError as error:
        report(error, invocation, about=str(path))
        return FAILED
    print_problems(checked.problems, invocation)
    if not checked.ok or checked.benchmark is None:
        print_error(f"{path}: {counted(checked.problems)}", color=invocation.color)
        return FAILED
    remarks = f" ({counted(checked.problems)})" if checked.problems else ""
    print_line(f"{path}: valid{remarks}: {_size(checked.benchmark, checked.cases)}", color=invocation.color)
    return PASSED


def _size(benchmark: Benchmark, cases: int) -> str:
    parts = ((len(benchmark.models), "model"), (len(benchmark.prompts), "prompt"), (cases, "case"))
    return " × ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in parts)
