"""In which form a command prints what it found: for people, for a pull request, for a program."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import click

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Form(StrEnum):
    """What ``--format`` takes where a command prints results."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


def form_option(*forms: Form) -> Callable[[_Function], _Function]:
    """Accept ``--format`` with one of these forms, as ``form``; the first is the default."""

    def read(_context: click.Context, _parameter: click.Parameter, value: str) -> Form:
        return Form(value)

    return click.option(
        "--format",
        "form",
        type=click.Choice([str(form) for form in forms]),
        default=str(forms[0]),
        callback=read,
        help="How to print it.",
    )
