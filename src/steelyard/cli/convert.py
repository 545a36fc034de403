"""``steelyard convert``: a suite of another tool as a benchmark file of ours that gives the same verdicts."""

from __future__ import annotations

from pathlib import Path

import click

from ..api import RunOptions
from ..errors import UsageError
from ..records import write_file
from .invocation import Invocation, pass_invocation
from .opening import must_be_known, opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_line, print_note, print_warning

_FILE = click.Path(path_type=Path)


@click.command("convert", context_settings=HELP_OPTIONS)
@click.argument("file", type=_FILE)
@click.option("-o", "--output", type=_FILE, metavar="OUT", help="Write this file; standard output when left out.")
@click.option("--force", is_flag=True, help="Replace OUT when it is there already.")
@click.option("--format", "name", metavar="NAME", help="Read FILE as this format instead of recognising it.")
@click.option("--local-plugins", is_flag=True, help="Load the plugins beside FILE wherever it lies.")
@no_plugin_option
@debug_option
@pass_invocation
def command(
    invocation: Invocation, file: Path, output: Path | None, *, force: bool, name: str | None, local_plugins: bool
) -> None:
    """Write a suite of another format as a native file that runs alike.

    The new file is read back and compared: where it would send another request or judge otherwise, nothing is written.
    What has no counterpart is said. Comments are not kept.
    """
    if output is not None and output.exists() and not force:
        raise UsageError(f"{output}: exists already; name another file, or replace it with --force")
    if output is not None and output.suffix.lower() == ".json":
        raise UsageError(f"{output}: what is written is YAML; end its name in .yaml")
    target = output or file.with_name(f"{file.stem}.yaml")
    with opened(invocation) as session:
        must_be_known(session, "format", [name] if name else [])
        converted = session.formats.convert(file, target, RunOptions(format=name, local_plugins=local_plugins))
    for line in converted.lost:
        print_warning(f"not converted: {line}", color=invocation.color)
    if output is None:
        print_line(converted.text.rstrip("\n"))
        return
    write_file(output, [converted.text.encode("utf-8", "replace")])
    print_note(f"Wrote {output}")
