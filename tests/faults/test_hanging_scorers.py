"""A scorer that never ends, or raises, costs its own score: the answer, the other scores and what was paid all stay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply

PLUGIN = """
from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import Message, ScorerSpec, option


@dataclass(frozen=True)
class Settings:
    how: str = option("", doc="How it fails")


class Failing:
    def __init__(self, how):
        self._how = how

    async def score(self, case, output, ask):
        if self._how == "waits":
            await asyncio.sleep(3600)
        await ask.complete(model="vendor/judge", messages=[Message(role="user", content="Is it?")])
        raise KeyError("x")


class Blocking:
    def score(self, case, output, ask):
        while True:
            time.sleep(0.01)


def create(settings, context):
    return Blocking() if settings.how == "blocks" else Failing(settings.how)


@hookimpl
def steelyard_register_scorers():
    return [
        ScorerSpec(name="hanging", summary="Hangs", settings=Settings, create=create, timeout_s=0.5),
        ScorerSpec(name="raising", summary="Raises", settings=Settings, create=create),
    ]
"""


@pytest.mark.parametrize(("how", "says"), [("waits", "0.5 s"), ("blocks", "0.5 s"), ("raises", "KeyError")])
def test_a_scorer_that_hangs_or_raises_costs_its_own_score_only(place: Any, api: FakeAPI, how: str, says: str) -> None:
    def answer(request: FakeRequest) -> Reply:
        if request.model == "vendor/judge":
            return Reply('{"reasoning": "polite", "score": 5}', cost_usd=0.25)
        return Reply("an answer", cost_usd=0.5)

    api.answer(answer)
    failing = "raising" if how == "raises" else "hanging"
    here = place("hanging")
    (here.folder / "scorers").mkdir()
    (here.folder / "scorers" / "failing.py").write_text(PLUGIN, encoding="utf-8")
    scorers = [
        {"type": "max_words", "value": 3},
        {"type": failing, "how": how},
        {"type": "llm_judge", "criteria": "Is it polite?"},
    ]
    whole = {
        "name": "hanging",
        "retries": 0,
        "models": ["vendor/one"],
        "evaluation": {"judge_model": "vendor/judge"},
        "prompts": [{"id": "p", "template": "{{ n }}"}],
        "test_cases": [
            {"id": "bad", "variables": {"n": 1}, "scorers": scorers},
            {"id": "good", "variables": {"n": 2}, "scorers": [scorers[0], scorers[2]]},
        ],
    }
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    ended = here.run("run", "b.json")
    assert "Traceback" not in ended.said
    (combo,) = here.record()["results"]
    bad, good = combo["test_cases"]
    assert (good["status"], good["match_result"]) == ("scored", True)
    assert bad["status"] != "scored"
    assert (bad["match_result"], bad["match_score"], bad["response"]) == (False, None, "an answer")
    assert says in bad["error"]
    by_name = {score["scorer"]: score for score in bad["scores"]}
    assert (by_name["max_words"]["passed"], by_name["llm_judge"]["score"]) == (True, 1.0)
    assert by_name[failing]["score"] is None
    # The answer and the judge's word were paid for, and stand there.
    assert bad["cost"] == 0.5
    assert bad["judge_cost"] == (0.5 if how == "raises" else 0.25)
    assert combo["total_cost"] == bad["cost"] + bad["judge_cost"] + good["cost"] + good["judge_cost"]
    # Nothing that was answered is asked for again: only what the failing scorer kept to itself.
    asked = len(api.prompts)
    here.run("run", "b.json")
    assert len(api.prompts) - asked <= (1 if how == "raises" else 0)
