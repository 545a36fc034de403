"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from .invocation import Invocation

_Function = TypeVar("_Function", bound=Callable[..., Any])

HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def debug_option(function: _Function) -> _Function:
    """Accept ``--debug``, before the command or after it."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, is_eager=True, callback=_set_debug, help="Show tracebacks."
    )(function)


def no_plugin_option(function: _Function) -> _Function:
    """Accept ``--no-plugin NAME``, before the command or after it, any number of times."""
    return click.option(
        "--no-plugin",
        metavar="NAME",
        multiple=True,
        expose_value=False,
        is_eager=True,
        callback=_add_no_plugins,
        help="Do not load this plugin (or any plugin of this distribution). Repeatable.",
    )(function)


def _set_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Invocation).debug = True


def _add_no_plugins(context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> None:
    context.ensure_object(Invocation).no_plugins.extend(value)
