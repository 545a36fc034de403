"""Native files: the least that is sound, with something changed, and a reader."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.formats.native import create

LEAST = {
    "name": "demo",
    "models": "[m]",
    "prompts": '[{id: v1, template: "{{ q }}"}]',
    "test_cases": "[{id: c1, variables: {q: hi}, expected_output: refund, evaluation: exact_match}]",
}
"""The least that can be run: one line for each key, so that lines can be counted."""


@pytest.fixture
def read(read_with: Callable[..., Any]) -> Callable[..., Any]:
    """Read a text as a native file."""
    return read_with(create)


@pytest.fixture
def sound() -> Callable[..., str]:
    """Write the least file, with keys added, replaced, or left out by ``None``."""

    def build(**blocks: str | None) -> str:
        parts = {**LEAST, **blocks}
        return "".join(f"{key}:{_value(block)}\n" for key, block in parts.items() if block is not None)

    return build


def _value(block: str) -> str:
    text = textwrap.dedent(block).strip("\n")
    return "\n" + textwrap.indent(text, "  ") if "\n" in text else f" {text}"
