"""A judge's reply that was cut off decides nothing, whatever complete object is left in it."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply

CUT_OFF = [
    '{"reasoning": "a draft says so", "final": {"score": 5}',
    '{"drafts": [{"score": 5}, {"score": 5}',
    '{"a":' * 300 + '{"score": 5}',
    '<think effort="high">{"score": 5} would be right, but',
    "<think>\n<thinking>\n" + '{"score": 5}',
]
WHOLE = [
    # What the judge shows of the answer is cut off; its own verdict is not.
    'The answer is {"items": [{"name": "a"}, ... and ends there. {"reasoning": "broken", "score": 2}',
    '<think effort="high">{"score": 5}</think>{"reasoning": "no", "score": 2}',
    'It writes {"a": "b, and I find: {"reasoning": "broken", "score": 2}',
]


@pytest.mark.parametrize(("reply", "score"), [(one, None) for one in CUT_OFF] + [(one, 0.25) for one in WHOLE])
def test_only_a_verdict_that_is_no_part_of_something_cut_off_counts(
    project: Any, api: FakeAPI, reply: str, score: float | None
) -> None:
    def answer(request: FakeRequest) -> Reply:
        return Reply(reply if request.model == "judge/model" else "fine", cost_usd=0)

    api.answer(answer)
    case = {"id": "a", "variables": {"q": "hi"}, "evaluation": "llm_judge", "criteria": "polite"}
    project.suite([case], evaluation={"judge_model": "judge/model"})

    project("run", "suite.json")

    assert project.cases()[0]["status"] == ("judge_error" if score is None else "scored")
    assert project.cases()[0]["match_score"] == score
