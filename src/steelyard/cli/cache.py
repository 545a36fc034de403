"""``steelyard cache``: what the response cache holds, and how to be rid of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ..errors import UsageError
from .checked_values import age
from .commands import HelpfulGroup
from .invocation import Invocation, pass_invocation
from .opening import opened
from .options import HELP_OPTIONS, debug_option
from .output import print_line

if TYPE_CHECKING:
    from ..session import Session

_Cache = TypeVar("_Cache")

_CATALOG = "models.json"

_which_cache = click.option("--cache", "name", metavar="NAME", help="Another cache than the default one.")


@click.group("cache", cls=HelpfulGroup, context_settings=HELP_OPTIONS)
def command() -> None:
    """See, empty or thin out the response cache."""


@command.command("stats", context_settings=HELP_OPTIONS)
@_which_cache
@debug_option
@pass_invocation
def stats(invocation: Invocation, name: str | None) -> None:
    """Count cached responses, and say whether the model catalog is cached."""
    with opened(invocation) as session:
        found = _in_use(session.cache(name)).stats()
        size = "" if found.size_bytes is None else f", {_size(found.size_bytes)}"
        print_line(f"{found.place}: {_responses(found.entries)}{size}")
        catalog = _catalog(session)
        print_line(f"{catalog}: {'model catalog cached' if catalog.exists() else 'no model catalog cached'}")


@command.command("clear", context_settings=HELP_OPTIONS)
@click.option("--yes", is_flag=True, help="Delete; without it the responses are only counted.")
@click.option("--all", "everything", is_flag=True, help="The cached model catalog too.")
@_which_cache
@debug_option
@pass_invocation
def clear(invocation: Invocation, name: str | None, *, yes: bool, everything: bool) -> None:
    """Delete every cached response; the model catalog stays unless --all is given."""
    with opened(invocation) as session:
        cache = _in_use(session.cache(name))
        if not yes:
            count = _responses(cache.stats().entries)
            print_line(f"{count}; nothing was deleted, add --yes to delete")
            return
        print_line(f"deleted {_responses(cache.clear())}")
        if everything and _catalog(session).exists():
            _catalog(session).unlink(missing_ok=True)
            print_line("deleted the model catalog")


@command.command("prune", context_settings=HELP_OPTIONS)
@click.option("--older-than", type=age, metavar="AGE", required=True, help="Such as 30d, 12h or 90m.")
@_which_cache
@debug_option
@pass_invocation
def prune(invocation: Invocation, name: str | None, older_than: float) -> None:
    """Delete the responses that were cached longer ago than this."""
    with opened(invocation) as session:
        print_line(f"deleted {_responses(_in_use(session.cache(name)).prune(older_than))}")


def _in_use(cache: _Cache | None) -> _Cache:
    if cache is None:
        raise UsageError("runs use no cache here; name one with --cache NAME")
    return cache


def _catalog(session: Session) -> Path:
    return (session.settings.cache_dir / _CATALOG).absolute()


def _responses(count: int) -> str:
    return f"{count} cached response" if count == 1 else f"{count} cached responses"


def _size(count: int) -> str:
    units = ("bytes", "kB", "MB", "GB")
    power = min((len(str(count)) - 1) // 3, len(units) - 1)
    return f"{count} bytes" if power == 0 else f"{count / 1000**power:.1f} {units[power]}"
