"""Whatever a suite file holds in whatever place, its reader reports problems and never fails."""

from __future__ import annotations

import copy
import json
import random

import pytest
from steelyard_builtins.formats import eval_cli, evalkit, native

from steelyard.errors import BenchmarkError, TemplateError

VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**400,
    "",
    " ",
    "x",
    "{{ q }}",
    "{{ q",
    "${NO_SUCH}",
    "\ud800",
    "rows.jsonl",
    [],
    [None],
    ["x", 3, [True]],
    {},
    {"x": None},
    {"type": "llm_judge", "provider": 3},
    {"role": "user", "content": None},
]
NATIVE = {
    "name": "demo",
    "models": ["a", {"id": "b", "provider": "mock", "model": "m", "headers": {"k": "${HOME:-x}"}}],
    "providers": {"mock": {"timeout": 3}},
    "prompts": [{"id": "v1", "template": "{{ q }} {{ items[0] }}", "system": "{{ q }}"}],
    "variables": {"items": [1, "b"]},
    "inference": {"temperature": 0, "max_tokens": 100, "seed": 1, "params": {"top_p": 1}},
    "evaluation": {
        "judge_model": "j",
        "judge_threshold": 0.5,
        "quality_threshold": 0.5,
        "variables": [{"name": "order"}],
    },
    "scorers": ["contains", {"type": "regex", "pattern": "x", "weight": 2, "negate": True, "turn": 0}],
    "gate": {"model": "a", "prompt": "v1", "every": True, "confidence": 0.9},
    "quality_threshold": 50,
    "cache": "files",
    "require_plugins": ["x"],
    "test_cases": [
        {"id": "c1", "variables": {"q": "x"}, "evaluation": "exact_match", "expected_output": "x", "tags": ["t"]},
        {"id": "c2", "variables": {"q": "x"}, "evaluation": "llm_judge", "criteria": "c", "reference": "r"},
        {
            "id": "c3",
            "variables": {"q": "x"},
            "turns": [{"role": "user", "content": "{{ q }}"}, {"role": "assistant", "content": None}],
            "scorers": [{"type": "contains", "value": ["a"], "threshold": 0.5, "name": "n"}],
            "metadata": {"k": 1},
            "human_score": 3,
        },
    ],
}
NATIVE_ROWS = {
    **{key: NATIVE[key] for key in ("name", "models", "prompts", "variables")},
    "test_cases": {"path": "rows.jsonl", "limit": 2, "sample": 1, "seed": 3},
    "case": {
        "id": "q-{{ id }}",
        "variables": {"a": "{{ q }}", "b": ["{{ q }}", {"c": "{{ id }}"}]},
        "expected_output": "{{ q }}",
        "scorers": [{"type": "contains", "value": "{{ q }}"}],
        "turns": [{"role": "user", "content": "{{ q }}"}],
        "tags": ["{{ q }}"],
    },
}
EVALKIT = {
    "version": 1,
    "name": "demo",
    "target": {"provider": "mock", "model": "m", "responses": [{"match": "x", "output": "y"}], "timeout": "${T:-3}"},
    "judge": {"provider": "command", "command": ["cat"]},
    "system": "s",
    "prompt": "{{ input }} {{ q }} {{ vars.q }} {{ metadata.k.0 }}",
    "graders": [{"type": "exact", "value": "{{ q }}"}, {"type": "contains", "value": ["{{ q }}", 3]}],
    "tasks": [
        {
            "id": "t",
            "input": {"a": 1},
            "vars": {"q": "x"},
            "expected": [1],
            "tags": ["t"],
            "metadata": {"k": [1]},
            "graders": [
                {"type": "llm_judge", "rubric": "r {{ q }}", "scale": 3, "provider": {"provider": "http", "url": "u"}},
                {"type": "numeric", "weight": 2, "negate": True, "name": "n"},
                {"type": "regex", "pattern": "x"},
            ],
        }
    ],
    "settings": {"concurrency": 3, "repeat": 2, "fail_under": 0.5, "cache": False, "seed": 3},
}
EVALKIT_ROWS = {**EVALKIT, "tasks": "rows.jsonl", "prompt": None}
EVAL = {
    "name": "demo",
    "provider": "anthropic",
    "model": "m",
    "temperature": 0,
    "max_tokens": 9,
    "cases": [
        {
            "id": "c",
            "prompt": "p",
            "criteria": [
                {"type": "contains", "value": "x", "case_sensitive": True},
                {"type": "regex", "value": "[^]$", "flags": "im"},
                {"type": "llm_judge", "rubric": "r", "pass_threshold": 3, "model": "gpt-4o"},
                {"type": "code_execution", "language": "python", "test_code": "t", "timeout_ms": 3},
                {"type": "max_words", "value": 3},
                {"type": "mine", "x": [1]},
            ],
        },
        {"turns": [{"role": "user", "content": "x"}, {"role": "assistant", "content": None}], "criteria": []},
    ],
}
EVAL_ROWS = {**EVAL, "dataset": "rows.jsonl", "dataset_limit": 2, "dataset_sample": 1}
ROWS = '{"id": 1, "q": "x", "input": "x", "graders": [{"type": "exact", "value": "x"}]}\n{"id": 2, "q": {"x": [1]}}\n'

SUITES = [
    (native, NATIVE),
    (native, NATIVE_ROWS),
    (evalkit, EVALKIT),
    (evalkit, EVALKIT_ROWS),
    (eval_cli, EVAL),
    (eval_cli, EVAL_ROWS),
]


def _places(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _places(child, (*path, key))


def _changed(suite, path, value):
    if not path:
        return value
    changed = copy.deepcopy(suite)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def _go_through(benchmark):
    try:
        for case in benchmark.cases:
            for prompt in benchmark.prompts:
                prompt.render(case)
    except (BenchmarkError, TemplateError):
        return


@pytest.mark.parametrize(("module", "suite"), SUITES, ids=lambda value: getattr(value, "__name__", "suite"))
@pytest.mark.parametrize("seed", range(2))
def test_no_value_anywhere_makes_a_reader_fail(read_with, monkeypatch, tmp_path, module, suite, seed):
    monkeypatch.chdir(tmp_path)
    read = read_with(module.create)
    draw = random.Random(seed)
    for path in _places(suite):
        value = draw.choice(VALUES)
        reading = read(json.dumps(_changed(suite, path, value)), {"rows.jsonl": ROWS}, name="suite.json")
        assert reading.benchmark is not None or reading.errors, (path, value)
        if reading.benchmark is not None:
            _go_through(reading.benchmark)
