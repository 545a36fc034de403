"""The options of ``steelyard run``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from .checked_values import confidence, number, points, whole_number

FILE: Final = click.Path(path_type=Path)

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
    click.option("-n", "--repeat", type=whole_number(1, 1000), metavar="N", help="Run each case so many times."),
    click.option(
        "--seed",
        type=whole_number(),
        metavar="N",
        help="Seed for providers that take one, and for samples that have none.",
    ),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the response cache."),
    click.option("--dry-run", is_flag=True, help="Estimate the cost; asks no model and needs no key."),
    click.option("--dataset", type=FILE, metavar="FILE", help="Read the rows of the cases from this file instead."),
    click.option("--format", metavar="NAME", help="Read the file as this format instead of recognising it."),
    click.option(
        "--fail-under",
        type=number(0, 100),
        metavar="PCT",
        help="Per cent of cases that must pass, instead of the file's quality_threshold.",
    ),
    click.option(
        "--max-cost",
        "max_cost_usd",
        type=number(0),
        metavar="USD",
        help="Stop before the call that would pass this, going by what calls have cost so far.",
    ),
    click.option(
        "-o",
        "--output",
        "outputs",
        metavar="FILE",
        multiple=True,
        help="Write this file too; its ending says how, or REPORTER:FILE does, which is --REPORTER FILE. Repeatable.",
    ),
    click.option(
        "--json",
        "json_files",
        metavar="FILE",
        multiple=True,
        help="Write the record as JSON to this file too, whatever its ending; - is standard output. Repeatable.",
    ),
    click.option(
        "--reporter", "reporters", metavar="NAME", multiple=True, help="Show the run with this too. Repeatable."
    ),
    click.option("--baseline", type=FILE, metavar="RUN", help="Compare with this run afterwards; a drop exits with 1."),
    click.option("--threshold", type=points, metavar="POINTS", help="With --baseline: the drop that is allowed."),
    click.option(
        "--confidence",
        type=confidence,
        metavar="SHARE",
        help="With --baseline: count only drops that are real at this level, such as 0.95.",
    ),
    click.option("--scores", is_flag=True, help="With --baseline: the mean score may fall no further either."),
    click.option("--strict", is_flag=True, help="With --baseline: no case that passed there may fail or break."),
    click.option(
        "--watch",
        is_flag=True,
        help="Run again whenever a file is saved that the run reads; takes the extra steelyard[watch].",
    ),
    click.option("--results-dir", type=FILE, metavar="DIR", help="Store records and reports here."),
    click.option("--resume", is_flag=True, help="Go on with the latest interrupted run of the benchmark."),
    click.option("--local-plugins", is_flag=True, help="Load the plugins beside the benchmark wherever it lies."),
    click.option("-v", "--verbose", is_flag=True, help="Show every case."),
    click.option("-q", "--quiet", is_flag=True, help="Show the verdict only."),
)


def run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of ``run`` to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
