"""What is fuzzed under coverage guidance holds for what it starts from, and for some bytes that Hypothesis makes up."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = ("suites", "rows", "verdicts", "answers", "figures", "templates", "records", "cells")


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_targets", Path(__file__).with_name("targets.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


FUZZ = load()
BYTES = st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(FUZZ.SEEDS), max_size=3).map(b"".join))


def test_every_target_is_tried_here() -> None:
    assert tuple(FUZZ.TARGETS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_target_holds_for_what_it_starts_from(name: str) -> None:
    for seed in FUZZ.SEEDS:
        FUZZ.TARGETS[name](seed)


@pytest.mark.parametrize("name", NAMES)
@given(data=BYTES)
@settings(max_examples=50, deadline=None)
def test_a_target_holds_for_any_bytes(name: str, data: bytes) -> None:
    FUZZ.TARGETS[name](data)
