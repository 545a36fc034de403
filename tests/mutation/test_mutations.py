"""The list of faults fits the built-ins as they are. That the kit finds them is tried by run.py, in minutes."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCE = ROOT / "plugins" / "builtins" / "steelyard_builtins"
FEWEST = 3


def load(name):
    spec = importlib.util.spec_from_file_location(f"mutation_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where a dataclass looks for its annotations
    spec.loader.exec_module(module)
    return module


MUTATIONS = load("mutations").MUTATIONS


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_fault_can_be_put_into_the_source(mutation):
    source = (SOURCE / mutation.file).read_text("utf-8")

    assert source.count(mutation.was) == 1, "mend the text in tests/mutation/mutations.py"
    ast.parse(source.replace(mutation.was, mutation.becomes))


def test_every_built_in_is_broken_in_three_ways_at_least():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    built_in = set(project["entry-points"]["steelyard"])

    counted = Counter(mutation.builtin for mutation in MUTATIONS)

    assert {name: counted[name] for name in built_in if counted[name] < FEWEST} == {}
    assert set(counted) == built_in == set(load("contracts").BUILTINS)


@pytest.mark.parametrize("builtin", ["max_words", "memory", "badge", "eval", "ollama", "mock"])
def test_the_checks_of_a_built_in_are_its_own(builtin):
    names = [name for name, _check in load("contracts").checks_of(builtin)]

    assert len(names) > 5
    assert len(names) < 60
    assert len(names) == len(set(names))
