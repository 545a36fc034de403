"""How a command gets its session: with the global options, and with warnings on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..errors import UsageError
from .invocation import Invocation
from .output import print_note, print_warning
from .tracebacks import show_what_broke

if TYPE_CHECKING:
    from ..session import Session

NamedByFlags = Literal["format", "provider", "reporter"]
"""Kinds of component whose names stand on the command line."""


@contextmanager
def opened(invocation: Invocation) -> Iterator[Session]:
    """Open a session for the length of one command."""
    # Late: the help of a command, its completion and a slip in its options need none of what a session is made of.
    from ..session import open_session  # noqa: PLC0415

    def note(line: str) -> None:
        if not invocation.quiet:
            print_note(line, color=invocation.color)

    warn = partial(print_warning, color=invocation.color)
    session = open_session(no_plugins=invocation.no_plugins, warn=warn, note=note)
    try:
        with session.hiding_secrets():
            yield session
    finally:
        if invocation.debug:
            show_what_broke(session.broken_plugins.values())
        session.close()


def results_dir(invocation: Invocation) -> Path:
    """Return the results folder of the settings. Raises ``UsageError`` when they are wrong."""
    with opened(invocation) as session:
        return session.store().folder


def must_be_known(session: Session, kind: NamedByFlags, names: Iterable[str]) -> None:
    """Raise ``click.UsageError`` for a name on the command line that no component has: before anything is read."""
    with _wrong_usage():
        for name in names:
            session.registry.get(kind, name)


def files_written(session: Session, outputs: Iterable[str]) -> tuple[Path, ...]:
    """Return the files of the outputs on the command line.

    Raises ``click.UsageError`` for one that no reporter can write, and for one that is named twice.
    """
    with _wrong_usage():
        return session.check_outputs(tuple(outputs))


@contextmanager
def _wrong_usage() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error
