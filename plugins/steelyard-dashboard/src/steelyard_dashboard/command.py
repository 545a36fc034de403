"""``steelyard dashboard``: past runs and runs in progress in a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from steelyard.text import printable

from .application import application
from .serving import has_browser, open_browser, serve, take

RESULTS_DIR = "steelyard.results_dir"
"""The key of the context's ``meta`` under which the host has a function that returns the folder of the settings."""


@click.command(
    "dashboard",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="""Show results in a browser: runs over time, every case, comparisons, and runs in progress.

    It only reads, and only this machine can reach it unless --host says otherwise.""",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to be reached at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=3000, show_default=True, help="The port; 0 takes any free one."
)
@click.option(
    "--results-dir",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="STEELYARD_RESULTS_DIR",
    help="The folder with the results, instead of the one of the settings.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.pass_context
def command(context: click.Context, host: str, port: int, results_dir: Path | None, *, no_open: bool) -> None:
    """Serve until Ctrl-C."""
    folder = results_dir or _folder_of_settings(context)
    address = take(host, port)
    if not address.loopback:
        _note(
            f"warning: --host {host}: everyone who can reach this machine can read the results,"
            " and there is no password; leave it out to be alone"
        )
    app = application(folder, names=address.names, any_address=not address.loopback, report=_note)
    click.echo(address.url)
    _note(f"showing {folder}; Ctrl-C ends it" + ("" if folder.is_dir() else " (there is no such folder yet)"))
    if not no_open and sys.stdout.isatty() and has_browser():
        open_browser(address.url)
    serve(app, address)


def _folder_of_settings(context: click.Context) -> Path:
    told: Callable[[], Path] | None = context.meta.get(RESULTS_DIR)
    return Path("results") if told is None else told()


def _note(line: str) -> None:
    click.echo(printable(line), err=True)
