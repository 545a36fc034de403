"""Suites of the eval tool: the least that is sound, with something changed, and a reader."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from steelyard_builtins.formats.eval_cli import create

LEAST = {
    "name": "demo",
    "provider": "anthropic",
    "cases": "[{id: c1, prompt: hi, criteria: [{type: contains, value: x}]}]",
}
"""The least that can be run: one line for each key."""


@pytest.fixture
def read(read_with: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Read a text as a suite of the eval tool, in the folder that the user runs in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
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
