"""``steelyard providers``: each provider, where its key comes from, and whether it is set; never the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note
from .tables import print_table

if TYPE_CHECKING:
    from ..session import ProviderKey

_COLUMNS: Final = ("Provider", "Key from", "Status", "What it is")


@click.command("providers", context_settings=HELP_OPTIONS)
@form_option(Form.TEXT, Form.JSON)
@no_plugin_option
@debug_option
@pass_invocation
def command(invocation: Invocation, form: Form) -> None:
    """List providers, where each takes its key from, and whether it is set. The key is never shown."""
    with opened(invocation) as session:
        keys = session.providers.key_sources()
        default, by_format = session.providers.default, session.providers.defaults
    if form is Form.JSON:
        print_json([_as_json(key, default, by_format) for key in keys])
    elif keys:
        print_table(_COLUMNS, [_row(key, default, by_format) for key in keys], color=invocation.color)
    else:
        print_note("no plugin in use offers a provider")


def _row(key: ProviderKey, default: str | None, by_format: Mapping[str, str]) -> tuple[str, ...]:
    marks = ["default"] if key.name == default else []
    marks += [f"default of {name} suites" for name in _formats(key, by_format)]
    name = f"{key.name} ({', '.join(marks)})" if marks else key.name
    return name, key.source or "the benchmark", _status(key), key.summary


def _formats(key: ProviderKey, by_format: Mapping[str, str]) -> list[str]:
    return [name for name, provider in by_format.items() if provider == key.name]


def _status(key: ProviderKey) -> str:
    if key.is_set is None:
        return key.problem or ("-" if key.source else "needs options")
    return key.problem if key.is_set and key.problem else "set" if key.is_set else "not set"


def _as_json(key: ProviderKey, default: str | None, by_format: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": key.name,
        "default": key.name == default,
        "default_of_formats": _formats(key, by_format),
        "key_from": key.source or None,
        "is_set": key.is_set,
        "problem": key.problem or None,
        "summary": key.summary,
    }
