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
        {"id": "c2", "variables": {"text": "z"}, "scorers": [{"type": "contains", "value": "y", "weight": 2}]},
        {"id": "c3", "variables": {"text": "x"}, "evaluation": "llm_judge", "criteria": "Polite.", "reference": "Hi."},
    ],
}
EVALKIT = {
    "version": 1,
    "name": "support",
    "target": {"provider": "mock"},
    "judge": {"provider": "mock"},
    "prompt": "Customer says: {{message}}",
    "graders": [{"type": "contains", "value": ["Thanks"], "mode": "any"}],
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


def without(document, key):
    return {name: value for name, value in document.items() if name != key}


def look_at_native(benchmark):
    assert [use.id for use in benchmark.models] == ["mock:a", "b"]
    assert (benchmark.inference.temperature, benchmark.inference.max_tokens) == (0, 200)
    (prompt,) = benchmark.prompts
    first, second, third = benchmark.cases
    assert [message.content for message in prompt.render(second)] == ["Be brief.", "Label z"]
    assert (first.expected, first.tags, first.variables["text"]) == ("y", ("easy",), "x")
    (weighted,) = second.scorers
    assert (weighted.type, weighted.options["value"], weighted.weight) == ("contains", "y", 2)
    assert (third.criteria, third.reference, third.scorers[0].type) == ("Polite.", "Hi.", "llm_judge")


def look_at_evalkit(benchmark):
    first, second = benchmark.cases
    assert [message.content for message in benchmark.prompts[0].render(first)] == ["Customer says: hi"]
    contains, exact = first.scorers
    assert (contains.type, contains.options["value"], contains.negate) == ("contains", ["Thanks"], False)
    assert contains.options["mode"] == "any"
    assert (exact.type, exact.options["value"], exact.negate) == ("exact_match", "x", True)
    assert (second.scorers[1].options["min_score"], second.scorers[1].options["rubric"]) == (4, "Polite.")
    assert (benchmark.concurrency, benchmark.repeat) == (4, 1)


def look_at_eval(benchmark):
    (model,) = benchmark.models
    assert (model.provider, model.model) == ("anthropic", "claude-haiku-4-5")
    first, second = benchmark.cases
    asked = [(message.role, message.content) for message in benchmark.prompts[0].render(first)]
    assert asked == [("system", "Be brief."), ("user", "Say hi")]
    assert first.scorers[0].options["ignore_case"] is False
    assert second.scorers[0].options["ignore_case"] is True
    assert [(turn.role, turn.content) for turn in second.turns] == [("user", "Hi"), ("assistant", None)]


FORMATS = {
    "native": (
        native,
        NATIVE,
        {
            "an empty suite": ({**NATIVE, "test_cases": []}, "test_cases"),
            "a suite without a name": (without(NATIVE, "name"), "'name' is required"),
            "a case that nobody judges": (
                {**NATIVE, "test_cases": [{"id": "c"}]},
                "nothing says how the case is judged",
            ),
        },
        look_at_native,
        [mock, exact_match, contains, llm_judge],
    ),
    "evalkit": (
        evalkit,
        EVALKIT,
        {
            "an empty suite": ({**EVALKIT, "tasks": []}, "tasks"),
            "another version": ({**EVALKIT, "version": 2}, "the only version is 1"),
            "an unknown grader": ({**EVALKIT, "graders": [{"type": "exakt"}]}, "did you mean 'exact'?"),
        },
        look_at_evalkit,
        [mock, exact_match, contains, llm_judge],
    ),
    "eval": (
        eval_cli,
        EVAL,
        {
            "an empty suite": ({**EVAL, "cases": []}, "cases"),
            "a case without a criterion": (
                {**EVAL, "cases": [{"prompt": "Hi", "criteria": []}]},
                "must hold at least one criterion",
            ),
        },
        look_at_eval,
        [anthropic, exact_match, contains],
    ),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}: {check}")
        for name, (plugin, document, bad, look, needs) in FORMATS.items()
        for check in format_checks(
            plugin.steelyard_register_formats()[0], {"a suite": document}, bad, needs=needs, looks={"a suite": look}
        )
    ],
)
def test_the_format_keeps_the_contract(check):
    check()
