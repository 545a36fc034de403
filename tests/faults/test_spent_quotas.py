"""Where no call can succeed any more today, none is made, and the end of the run says why and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, Reply

SAMPLES = Path(__file__).parents[1] / "fixtures" / "api"
CASES = 20
SPENT = [
    ("openrouter", "free_daily"),
    ("openrouter", "credits"),
    ("openrouter", "key_budget"),
    ("openrouter", "key_refused"),
    ("openai", "quota"),
    ("openai", "key_refused"),
    ("anthropic", "spend_limit"),
    ("anthropic", "credit"),
    ("gemini", "daily_quota"),
    ("gemini", "key_refused"),
]
"""Replies as their makers document them: a quota of the day, a credit, a budget of a key, or the key itself is gone."""


def sample(file: str, name: str) -> Reply:
    found = json.loads((SAMPLES / f"{file}.json").read_text(encoding="utf-8"))[name]
    return Reply(body=found["json"], status=found["status"], headers=found.get("headers", {}))


@pytest.mark.parametrize(("provider", "name"), SPENT)
def test_a_spent_quota_ends_the_calls_to_that_server_and_is_said_at_the_end(
    place: Any, api: FakeAPI, provider: str, name: str
) -> None:
    spent, good = sample(provider, name), 3
    api.answer(lambda request: spent if request.model != "free" and len(api.prompts) > good else Reply("ok"))
    here = place("spent")
    for one in ("OPENAI", "ANTHROPIC", "GEMINI"):
        here.environ.update({f"{one}_API_KEY": "sk-test-0123456789abcdef", f"{one}_BASE_URL": api.origin})
    here.environ["OPENAI_BASE_URL"] = api.base_url
    model = {"id": "paid", "provider": provider, "model": "vendor/one"}
    whole = {
        "name": "spent",
        "models": [model, {"id": "free", "provider": "ollama", "model": "free", "base_url": api.origin}],
        "concurrency": 1,
        "retry_backoff": 0.001,
        "inference": {"max_tokens": 9},
        "prompts": [{"id": "p", "template": "Case {{ n }}"}],
        "test_cases": [
            {"id": f"c{n}", "variables": {"n": n}, "expected_output": "ok", "evaluation": "exact_match"}
            for n in range(CASES)
        ],
    }
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    ended = here.run("run", "b.json", "-q")
    paid, free = here.record()["results"]
    # One call found it out; no other was made, and what had been answered counts.
    assert sum(request.model != "free" and request.method == "POST" for request in api.requests) == good + 1
    assert (paid["success"], paid["scored"], paid["errors"] + paid["not_run"]) == (good, good, CASES - good)
    assert (free["success"], free["errors"]) == (CASES, 0)
    (note,) = [line for line in ended.said.splitlines() if "no further call was made" in line]
    assert len(note) > len("no further call was made: ") + 20
    # Asked again, only what is missing is asked for.
    before = len(api.prompts)
    api.reply(Reply("ok"))
    here.run("run", "b.json", "-q")
    assert len(api.prompts) - before == CASES - good


OWN_WORDS: dict[str, dict[str, Any]] = {
    "openai": {"stop": ["END"], "reasoning_effort": "low", "response_format": {"type": "json_object"}},
    "openrouter": {"stop": ["END"], "reasoning": {"effort": "low"}, "response_format": {"type": "json_object"}},
    "anthropic": {"stop_sequences": ["END"], "thinking": {"type": "enabled", "budget_tokens": 1024}},
    "gemini": {"generationConfig": {"stopSequences": ["END"], "thinkingConfig": {"thinkingBudget": 0}}},
    "ollama": {"options": {"stop": ["END"], "top_k": 3}, "think": False, "format": "json"},
}


@pytest.mark.parametrize("provider", OWN_WORDS)
def test_what_only_one_api_has_is_sent_in_its_own_words_beside_what_all_have(
    place: Any, api: FakeAPI, provider: str
) -> None:
    api.reply(Reply("ok", cost_usd=0.001))
    here = place("words")
    for one in ("OPENAI", "ANTHROPIC", "GEMINI"):
        here.environ.update({f"{one}_API_KEY": "sk-test-0123456789abcdef", f"{one}_BASE_URL": api.origin})
    here.environ.update(OPENAI_BASE_URL=api.base_url, OLLAMA_HOST=api.origin)
    whole = {
        "name": "words",
        "models": [{"id": "m", "provider": provider, "model": "m"}],
        "inference": {"temperature": 0.5, "max_tokens": 77, "params": OWN_WORDS[provider]},
        "prompts": [{"id": "p", "template": "x"}],
        "test_cases": [{"id": "c", "expected_output": "ok", "evaluation": "exact_match"}],
    }
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    ended = here.run("run", "b.json", "-q")
    assert ended.code == 0, ended.said
    (body,) = [request.json for request in api.requests if request.method == "POST"]

    def holds(whole: Any, part: Any) -> bool:
        if isinstance(part, dict):
            return all(key in whole and holds(whole[key], value) for key, value in part.items())
        return bool(whole == part)

    assert holds(body, OWN_WORDS[provider]), body
    # Nothing that all have was pushed out by it.
    limit = {"gemini": ("generationConfig", "maxOutputTokens"), "ollama": ("options", "num_predict")}.get(provider)
    found = body[limit[0]][limit[1]] if limit else body.get("max_tokens", body.get("max_completion_tokens"))
    assert found == 77
