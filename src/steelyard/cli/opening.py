"""How a command gets its session: with the global options, and with warnings on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from .invocation import Invocation
from .output import print_warning

if TYPE_CHECKING:
    from ..session import Session


@contextmanager
def opened(invocation: Invocation) -> Iterator[Session]:
    """Open a session for the length of one command."""
    # Late: the help of a command, its completion and a slip in its options need none of what a session is made of.
    from ..session import open_session  # noqa: PLC0415

    session = open_session(no_plugins=invocation.no_plugins, warn=partial(print_warning, color=invocation.color))
    try:
        yield session
    finally:
        session.close()
