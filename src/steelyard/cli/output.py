"""How the commands speak: results to standard output, everything about them to standard error, one line at a time."""

from __future__ import annotations

import sys

import click


def print_line(text: str = "", *, color: bool | None = None) -> None:
    """Print a line of results to standard output."""
    click.echo(text, file=sys.stdout, color=color)


def print_note(text: str, *, color: bool | None = None) -> None:
    """Print a line about what is going on to standard error."""
    click.echo(_printable(text), file=sys.stderr, color=color)


def print_warning(text: str, *, color: bool | None = None) -> None:
    """Print something that does not stop the command to standard error."""
    _print_labelled("warning", text, color)


def print_error(text: str, *, color: bool | None = None) -> None:
    """Print what stopped the command to standard error."""
    _print_labelled("error", text, color)


def label(severity: str) -> str:
    """Return ``error:`` or ``warning:`` in its colour; the colour is taken out again where none is wanted."""
    return click.style(f"{severity}:", fg="red" if severity == "error" else "yellow", bold=True)


def print_labelled_at(place: str, severity: str, text: str, *, color: bool | None = None) -> None:
    """Print ``place: error: text``, the form by which editors and CI jobs find the line."""
    where = f"{_printable(place)}: " if place else ""
    click.echo(f"{where}{label(severity)} {_printable(text)}", file=sys.stderr, color=color)


def _print_labelled(severity: str, text: str, color: bool | None) -> None:
    print_labelled_at("", severity, text, color=color)


def _printable(text: str) -> str:
    from ..text import printable  # noqa: PLC0415 - its patterns take longer to compile than a good line to print

    return printable(text)
