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


@pytest.fixture
def run(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    yield load("run")
    for name in ("contracts", "mutations"):
        sys.modules.pop(name, None)


def harmless(run):
    return run.Mutation("max_words", "scorers/max_words.py", "Counts words.", "Counts the words.", "says it otherwise")


def deadly(run):
    return run.Mutation("max_words", "scorers/max_words.py", "passed = count", "passed = -count", "counts backwards")


def test_a_fault_that_nothing_finds_is_named_and_fails(run, monkeypatch, capsys):
    monkeypatch.setattr(run, "MUTATIONS", [harmless(run), deadly(run)])

    assert run.main(["max_words", "-j", "1"]) == 1
    *survivors, last = capsys.readouterr().out.splitlines()
    assert survivors == ["survives: max_words: says it otherwise"]
    assert last.startswith("2 faults in 1 built-ins, 1 survive (")


def test_faults_that_are_all_found_pass_and_say_by_which_check(run, monkeypatch, capsys):
    monkeypatch.setattr(run, "MUTATIONS", [deadly(run)])

    assert run.main(["max_words", "-j", "1", "-v"]) == 0
    first, second, _last = capsys.readouterr().out.splitlines()
    assert first == "max_words: counts backwards"
    assert second.strip().startswith("max_words: it gives the wanted verdict ")


def test_a_built_in_that_is_red_by_itself_fails(run, monkeypatch, capsys):
    monkeypatch.setattr(run, "MUTATIONS", [])
    monkeypatch.setattr(run, "red_unbroken", lambda name: f"{name}: some check")

    assert run.main(["max_words", "-j", "1"]) == 1
    assert "max_words: red although nothing is broken: max_words: some check" in capsys.readouterr().out
