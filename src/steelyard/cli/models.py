"""``steelyard models``: the models that a provider lists, with what they cost and how much they take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import click

from ..api import ModelInfo
from .checked_values import tokens
from .forms import Form, form_option
from .invocation import Invocation, pass_invocation
from .json_output import print_json
from .model_prices import is_free, per_mtok, takes_and_gives_text
from .opening import opened
from .options import HELP_OPTIONS, debug_option, no_plugin_option
from .output import print_note, print_warning
from .tables import print_table

_COLUMNS: Final = ("Model", "Context", "Max output", "Input $/M", "Output $/M", "Notes")
_FIGURES: Final = _COLUMNS[1:5]
_UNKNOWN: Final = "?"


@click.command("models", context_settings=HELP_OPTIONS)
@click.option(
    "--provider", "vendor", metavar="VENDOR", help="Only models of this vendor: what stands before the slash."
)
@click.option("--free", is_flag=True, help="Only models that cost nothing.")
@click.option("--text", is_flag=True, help="Only models that take text and give text alone.")
@click.option(
    "--min-context", type=tokens, metavar="TOKENS", help="Only models that take at least so much: 100k, 8K, 131072."
)
@click.option("--no-cache", "refresh", is_flag=True, help="Fetch the list anew instead of using that of the last 24 h.")
@click.option("--from", "source", metavar="NAME", help="Ask this provider instead of the default one.")
@form_option(Form.TEXT, Form.JSON)
@no_plugin_option
@debug_option
@pass_invocation
def command(
    invocation: Invocation,
    /,
    *,
    vendor: str | None,
    refresh: bool,
    source: str | None,
    form: Form,
    **wanted: Any,
) -> None:
    """List models with their prices, in USD per million tokens. Needs no key.

    What is unknown is shown as ?, and is never taken for free.
    """
    with opened(invocation) as session:
        listed = session.providers.models(source, refresh=refresh)
    if listed.key_problem:
        print_warning(listed.key_problem, color=invocation.color)
    found = sorted(_chosen(listed.models, vendor, **wanted), key=lambda model: model.id)
    if form is Form.JSON:
        print_json([_as_json(model) for model in found])
    elif found:
        print_table(_COLUMNS, [_row(model) for model in found], color=invocation.color, right=_FIGURES)
    else:
        print_note(f"none of the {len(listed.models)} models that {listed.title} lists is like that")


def _chosen(
    models: Iterable[ModelInfo], vendor: str | None, *, free: bool, text: bool, min_context: int | None
) -> list[ModelInfo]:
    return [
        model
        for model in models
        if (vendor is None or model.id.partition("/")[0].casefold() == vendor.strip().rstrip("/").casefold())
        and (not free or is_free(model))
        and (not text or takes_and_gives_text(model))
        and (min_context is None or (model.context_length or 0) >= min_context)
    ]


def _row(model: ModelInfo) -> tuple[str, ...]:
    notes = (model.price_note, f"gone after {model.expires}" if model.expires else "")
    return (
        model.id,
        _UNKNOWN if model.context_length is None else str(model.context_length),
        _UNKNOWN if model.max_output_tokens is None else str(model.max_output_tokens),
        per_mtok(model.pricing.input_per_mtok, _UNKNOWN),
        per_mtok(model.pricing.output_per_mtok, _UNKNOWN),
        "; ".join(filter(None, notes)),
    )


def _as_json(model: ModelInfo) -> dict[str, Any]:
    return {
        "id": model.id,
        "name": model.name,
        "context_length": model.context_length,
        "max_output_tokens": model.max_output_tokens,
        "input_per_mtok": model.pricing.input_per_mtok,
        "output_per_mtok": model.pricing.output_per_mtok,
        "free": is_free(model),
        "input_modalities": list(model.input_modalities),
        "output_modalities": list(model.output_modalities),
        "expires": model.expires,
        "price_note": model.price_note,
    }
