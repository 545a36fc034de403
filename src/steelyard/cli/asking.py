"""Questions on standard error and answers from standard input: on a terminal, and from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import click

from ..errors import UsageError
from ..text import one_line
from .output import print_note

T = TypeVar("T")


def ask(question: str, default: str, read: Callable[[str], T]) -> T:
    """Ask until the answer can be read.

    Args:
        question: What is asked; one line.
        default: What an empty line stands for.
        read: Makes the answer of the line. Raises ``ValueError``, with a line that says why, to have it asked again.

    Raises ``UsageError`` when standard input ends before there is an answer.
    """
    while True:
        line = _line(f"{question} [{default}]: ")
        try:
            return read(one_line(line) if line else default)
        except ValueError as error:
            print_note(str(error))


def confirmed(question: str) -> bool:
    """Ask for a yes; anything else, and the end of standard input, is a no."""
    try:
        return _line(f"{question} [y/N]: ").strip().casefold() in ("y", "yes")
    except UsageError:
        return False


def _line(prompt: str) -> str:
    """Return a line without its end."""
    click.echo(prompt, file=sys.stderr, nl=False)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError as error:
        raise UsageError("the answer is in another encoding than the terminal; type it again") from error
    if not line or not sys.stdin.isatty():
        print_note(line.rstrip("\r\n"))  # nobody has typed a line end, nor does Ctrl-D
    if not line:
        raise UsageError("standard input ended before the questions did; for the defaults: --yes")
    return line.rstrip("\r\n")
