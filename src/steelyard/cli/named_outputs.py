"""Options that are named for reporters: ``--junit FILE`` says what ``-o junit:FILE`` does, whoever brings the reporter.

Which there are is not known here: the installed reporters say.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from .invocation import Invocation


class RunCommand(click.Command):
    """A command that takes every reporter's name for an option that it does not have itself."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, with each option that is a reporter's name written out as ``-o``."""
        while True:
            try:
                return super().parse_args(ctx, list(args))
            except click.NoSuchOption as error:
                if not error.option_name.startswith("--") or error.option_name[2:] not in _reporters(ctx):
                    raise
                args = _written_out(error.option_name, args, ctx)


def _reporters(ctx: click.Context) -> Sequence[str]:
    from ..session import open_session  # noqa: PLC0415 - only an option that is none of the command's needs it

    invocation = ctx.find_object(Invocation)
    # What could not be loaded is told by the run itself.
    session = open_session(no_plugins=invocation.no_plugins if invocation else (), warn=lambda _message: None)
    try:
        # A contested name is an option too, which is then explained.
        return [*session.registry.names("reporter"), *session.registry.contested("reporter")]
    finally:
        session.close()


def _written_out(option: str, args: Sequence[str], ctx: click.Context) -> list[str]:
    """Return the arguments with the first use of an option written out."""
    place = next(place for place, word in enumerate(args) if word == option or word.startswith(f"{option}="))
    _, given, file = args[place].partition("=")
    rest = list(args[place + 1 :])
    if not given:
        if not rest:
            raise click.BadOptionUsage(option, f"Option {option!r} requires an argument.", ctx)
        file = rest.pop(0)
    return [*args[:place], "-o", f"{option[2:]}:{file}", *rest]
