"""What is wrong with a data file is told where somebody named it."""

from __future__ import annotations

import json

import pytest
from steelyard_builtins.formats import eval_cli, evalkit, native

SUITES = {
    eval_cli: {
        "name": "s",
        "provider": "mock",
        "model": "m",
        "dataset": "nope.jsonl",
        "cases": [{"prompt": "a", "criteria": [{"type": "max_words", "value": 1}]}],
    },
    evalkit: {"name": "s", "target": {"provider": "mock"}, "tasks": "nope.jsonl"},
    native: {
        "name": "s",
        "models": ["mock:m"],
        "prompts": [{"id": "v", "template": "a"}],
        "test_cases": "nope.jsonl",
    },
}


@pytest.mark.parametrize("suite_format", SUITES, ids=lambda one: one.__name__.rpartition(".")[2])
def test_a_data_file_that_is_not_there_is_blamed_on_who_names_it(read_with, suite_format, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = json.dumps(SUITES[suite_format])
    read = read_with(suite_format.create)

    (by_suite,) = read(text).errors
    (by_flag,) = read(text, dataset=tmp_path / "none.jsonl").errors

    assert by_suite.startswith("bench.yaml:1:")
    assert by_suite.endswith("nope.jsonl: no such file")
    assert by_flag == "--dataset: none.jsonl: no such file"
