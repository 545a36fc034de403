"""Every built-in format against the kit that strangers use."""

from __future__ import annotations

import pytest
from steelyard_builtins.formats import eval_cli, evalkit, native
from steelyard_builtins.providers import anthropic, mock
from steelyard_builtins.scorers import contains, exact_match, llm_judge

from steelyard.testing import format_checks

NATIVE = {
    "name": "labels",
    "models": ["mock:a", {"id": "b", "provider": "mock", "model": "b"}],
    "inference": {"temperature": 0, "max_tokens": 200},
    "evaluation": {"judge_model": "mock:judge"},
    "prompts": [{"id": "v1", "template": "Label {{ text }}", "system": "Be brief."}],
    "variables": {"labels": "a, b"},
    "test_cases": [
        {"id": "c1", "variables": {"text": "x"}, "expected_output": "y", "evaluation": "exact_match", "tags": ["easy"]},
        {"id": "c2", "variables": {"text": "x"}, "scorers": [{"type": "contains", "value": "y", "weight": 2}]},
        {"id": "c3", "variables": {"text": "x"}, "evaluation": "llm_judge", "criteria": "Polite.", "reference": "Hi."},
    ],
}
EVALKIT = {
    "version": 1,
    "name": "support",
    "target": {"provider": "mock"},
    "judge": {"provider": "mock"},
    "prompt": "Customer says: {{message}}",
    "graders": [{"type": "contains", "value": ["Thanks"]}],
    "tasks": [
        {"id": "a", "vars": {"message": "hi"}, "expected": "x", "graders": [{"type": "exact", "negate": True}]},
        {"id": "b", "vars": {"message": "hi"}, "graders": [{"type": "llm_judge", "rubric": "Polite.", "min_score": 4}]},
    ],
    "settings": {"concurrency": 4, "repeat": 1},
}
EVAL = {
    "name": "summaries",
    "provider": "anthropic",
    "model": "claude-haiku-4-5",
    "system_prompt": "Be brief.",
    "cases": [
        {"id": "a", "prompt": "Say hi", "criteria": [{"type": "contains", "value": "hi", "case_sensitive": True}]},
        {
            "id": "b",
            "turns": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": None}],
            "criteria": [{"type": "exact_match", "value": "Hi"}],
        },
    ],
}

FORMATS = {
    "native": (native, NATIVE, ({**NATIVE, "test_cases": []}, "test_cases"), [mock, exact_match, contains, llm_judge]),
    "evalkit": (evalkit, EVALKIT, ({**EVALKIT, "tasks": []}, "tasks"), [mock, exact_match, contains, llm_judge]),
    "eval": (eval_cli, EVAL, ({**EVAL, "cases": []}, "cases"), [anthropic, exact_match, contains]),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}: {check}")
        for name, (plugin, document, bad, needs) in FORMATS.items()
        for check in format_checks(
            plugin.steelyard_register_formats()[0], {"a suite": document}, {"an empty suite": bad}, needs=needs
        )
    ],
)
def test_the_format_keeps_the_contract(check):
    check()
