"""Evalkit suites: the least that is sound, with something changed, and a reader."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.formats.evalkit import create

LEAST = {
    "name": "demo",
    "target": "{provider: mock}",
    "tasks": "[{id: t1, input: hi, expected: hi, graders: [{type: exact}]}]",
}
"""The least that can be run: one line for each key."""


@pytest.fixture
def read(read_with: Callable[..., Any]) -> Callable[..., Any]:
    """Read a text as an evalkit suite."""
    return read_with(create)


@pytest.fixture
def suite() -> Callable[..., str]:
    """Write the least suite, with keys added, replaced, or left out by ``None``."""

    def build(**blocks: str | None) -> str:
        parts = {**LEAST, **blocks}
        return "".join(f"{key}:{_value(block)}\n" for key, block in parts.items() if block is not None)

    return build


def _value(block: str) -> str:
    text = textwrap.dedent(block).strip("\n")
    return "\n" + textwrap.indent(text, "  ") if "\n" in text else f" {text}"
