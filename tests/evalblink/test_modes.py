"""The three modes of evalblink: exact match, LLM judge, weighted match."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, failure

CANDIDATE, JUDGE = "vendor/candidate", "other/judge"


def case_result(desk: Any) -> dict[str, Any]:
    (only,) = desk.cases().values()
    return only


# Exact match


@pytest.mark.parametrize(
    ("expected", "output", "passed"),
    [
        ("order_issue", "order_issue", True),
        ("order_issue", "  ORDER_Issue\n", True),
        ("Straße", "STRASSE", True),
        ("\u00e9t\u00e9", "E\u0301TE\u0301", True),  # composed against combining accents
        ("order_issue", '{"label": "order_issue"}', False),
        ("order_issue", "It is order_issue.", False),
        ("order_issue", "order_issue.", False),
    ],
)
def test_exact_match_ignores_case_and_white_space_around_and_nothing_else(
    online, api, make, a_case, expected, output, passed
):
    api.reply(output)
    online.write("b.json", make(test_cases=[a_case("c", expected_output=expected)]))
    online("run", "b.json")
    only = case_result(online)
    assert (only["match_result"], only["match_score"]) == (passed, float(passed))


# LLM judge


def judged(make: Any, a_case: Any, *, cases: int = 1, **evaluation: Any) -> dict[str, Any]:
    fields = {"expected_output": None, "evaluation": "llm_judge", "criteria": "Greets by name.", "reference": "Hi Ann!"}
    return make(
        models=[CANDIDATE],
        inference={"max_tokens": 300},
        evaluation={"judge_model": JUDGE, **evaluation},
        prompts=[{"id": "v1", "template": "Greet {{ text }}."}],
        test_cases=[a_case(f"c{number}", **fields) for number in range(1, cases + 1)],
    )


def judging(api: FakeAPI, verdict: Reply | str) -> None:
    api.answer(lambda request: verdict if request.model == JUDGE else "Hello Ann")


def questions(api: FakeAPI) -> list[FakeRequest]:
    return [request for request in api.requests if request.model == JUDGE]


def verdict(score: object, reasoning: str = "It greets.") -> str:
    return json.dumps({"reasoning": reasoning, "score": score})


@pytest.mark.parametrize(
    ("score", "share", "passed"), [(1, 0.0, False), (2, 0.25, False), (3, 0.5, False), (4, 0.75, True), (5, 1.0, True)]
)
def test_a_judges_score_from_1_to_5_becomes_a_share_and_passes_from_070_on(
    online, api, make, a_case, score, share, passed
):
    judging(api, verdict(score))
    online.write("b.json", judged(make, a_case))
    online("run", "b.json")
    only = case_result(online)
    assert (only["status"], only["match_score"], only["match_result"]) == ("scored", share, passed)


@pytest.mark.parametrize(("threshold", "passed"), [(0.75, True), (0.76, False), (0, True)])
def test_the_threshold_of_the_judge_can_be_set(online, api, make, a_case, threshold, passed):
    judging(api, verdict(4))
    online.write("b.json", judged(make, a_case, judge_threshold=threshold))
    online("run", "b.json")
    assert case_result(online)["match_result"] is passed


@pytest.mark.parametrize(("given", "sent"), [({}, 4096), ({"judge_max_tokens": 9000}, 9000)])
def test_the_judge_has_a_budget_of_its_own(online, api, make, a_case, given, sent):
    judging(api, verdict(5))
    online.write("b.json", judged(make, a_case, **given))
    online("run", "b.json")
    (question,) = questions(api)
    (candidate,) = [request for request in api.requests if request.model == CANDIDATE]
    assert (question.json["max_tokens"], question.json["temperature"]) == (sent, 0)
    assert candidate.json["max_tokens"] == 300


def test_the_judge_sees_task_criteria_reference_and_answer_and_is_warned_of_its_biases(online, api, make, a_case):
    judging(api, verdict(5))
    online.write("b.json", judged(make, a_case))
    online("run", "b.json")
    prompt = questions(api)[0].prompt
    for text in ("Greet <c1>.", "Greets by name.", "Hi Ann!", "Hello Ann"):
        assert text in prompt
    assert "Length earns nothing" in prompt
    assert "Tone earns nothing" in prompt
    assert prompt.index('"reasoning"') < prompt.index('"score"')


def test_the_judges_reasoning_is_in_the_record_and_not_in_the_report(online, api, make, a_case):
    judging(api, verdict(2, "It forgets the name entirely."))
    online.write("b.json", judged(make, a_case))
    online("run", "b.json")
    assert case_result(online)["reasoning"] == "It forgets the name entirely."
    assert "forgets" not in online.report()


def test_judging_is_part_of_the_cost_of_its_combo(online, api, make, a_case):
    def answer(request: FakeRequest) -> Reply:
        if request.model == JUDGE:
            return Reply(verdict(5), usage={"prompt_tokens": 200, "completion_tokens": 20, "cost": 0.002})
        return Reply("Hello Ann", usage={"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.001})

    api.answer(answer)
    online.write("b.json", judged(make, a_case))
    done = online("run", "b.json")
    only = case_result(online)
    assert (only["cost"], only["judge_cost"], only["total_cost"]) == (0.001, 0.002, pytest.approx(0.003))
    assert (only["judge_prompt_tokens"], only["judge_completion_tokens"]) == (200, 20)
    (combo,) = online.record()["results"]
    assert (combo["total_prompt_tokens"], combo["total_completion_tokens"]) == (10, 2)
    assert combo["total_cost"] == pytest.approx(0.003)
    assert "│ $0.003000 │" in done.stdout


def test_a_judge_that_does_not_answer_is_a_judge_api_error_and_never_a_zero(online, api, make, a_case):
    judging(api, failure(400, "no such judge"))
    online.write("b.json", judged(make, a_case))
    done = online("run", "b.json")
    only = case_result(online)
    assert (only["status"], only["match_score"], only["match_result"]) == ("judge_api_error", None, False)
    assert "no such judge" in only["error"]
    assert only["response"] == "Hello Ann"
    assert done.stderr.startswith("⚠️  Judge API error on vendor/candidate / v1 / c1: ")
    assert "judge API error" in online.report()


def test_a_judge_whose_budget_ran_out_is_a_judge_api_error_that_says_so(online, api, make, a_case):
    judging(api, Reply("", finish_reason="length"))
    online.write("b.json", judged(make, a_case))
    online("run", "b.json")
    only = case_result(online)
    assert only["status"] == "judge_api_error"
    assert "finish_reason: length" in only["error"]


@pytest.mark.parametrize("reply", ["I would rather not say.", '{"reasoning": "cut of', verdict(9), '{"score": true}'])
def test_a_reply_without_a_usable_score_is_a_judge_error_and_never_a_zero(online, api, make, a_case, reply):
    judging(api, reply)
    online.write("b.json", judged(make, a_case))
    done = online("run", "b.json")
    only = case_result(online)
    assert (only["status"], only["match_score"], only["match_result"]) == ("judge_error", None, False)
    assert reply.split()[0] in only["error"]
    assert done.stderr.startswith("⚠️  Judge error on vendor/candidate / v1 / c1: ")
    assert "judge error" in online.report()


def test_what_a_judge_could_not_judge_is_left_out_of_the_score_and_counted(online, api, make, a_case):
    def answer(request: FakeRequest) -> str:
        if request.model != JUDGE:
            return "Hello Ann"
        return "no verdict" if "<c3>" in request.prompt else verdict(5)

    api.answer(answer)
    online.write("b.json", judged(make, a_case, cases=3))
    done = online("run", "b.json")
    (combo,) = online.record()["results"]
    assert (combo["success"], combo["scored"], combo["errors"], combo["score"]) == (2, 2, 1, 100.0)
    assert "1 pipeline error(s) excluded from scoring." in done.stdout


@pytest.mark.parametrize(
    ("models", "warned"), [([JUDGE.replace("judge", "small")], True), ([CANDIDATE, "other/large"], True), ([], False)]
)
def test_a_judge_of_a_candidates_vendor_is_warned_about_at_the_start_of_the_run(
    online, api, make, a_case, models, warned
):
    judging(api, verdict(5))
    online.write("b.json", {**judged(make, a_case), "models": models or [CANDIDATE]})
    done = online("run", "b.json")
    assert ("shares a vendor with" in done.stderr) is warned
    if warned:
        assert "shares a vendor with" in done.stderr.splitlines()[0]


@pytest.mark.parametrize(("tokens", "warned"), [(199, True), (200, False)])
def test_few_tokens_for_answers_that_are_judged_are_warned_about(online, make, a_case, tokens, warned):
    online.write("b.json", {**judged(make, a_case), "inference": {"max_tokens": tokens}})
    done = online("validate", "b.json")
    assert done.returncode == 0
    assert ("199 tokens are few for cases with llm_judge" in done.stderr) is warned


def test_the_judge_may_be_of_any_provider(online, api, make, a_case):
    api.reply("Hello Ann")
    file = judged(make, a_case, judge_model="strict")
    file["models"].append(
        {"id": "strict", "provider": "mock", "default": verdict(5, "by a stand-in")},
    )
    online.write("b.json", file)
    assert online("run", "b.json", "-m", CANDIDATE).returncode == 0
    assert case_result(online)["reasoning"] == "by a stand-in"
    assert {request.model for request in api.requests if request.method == "POST"} == {CANDIDATE}


# Weighted match

EXPECTED = [
    {"use_case": "Summarize content", "percent": 0.70, "order": 1},
    {"use_case": "Translate content", "percent": 0.30, "order": 2},
]


def weighted(make: Any, a_case: Any, threshold: float = 0.8) -> dict[str, Any]:
    return make(
        evaluation={
            "quality_threshold": threshold,
            "variables": [
                {"name": "use_case", "weight": 0.50},
                {"name": "percent", "weight": 0.25, "tolerance": 0.20},
                {"name": "order", "weight": 0.25},
            ],
        },
        test_cases=[a_case("c", evaluation="weighted_match", expected_output=EXPECTED)],
    )


def entry(use_case: str, percent: object, order: object) -> dict[str, object]:
    return {"use_case": use_case, "percent": percent, "order": order}


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        # All three dimensions are right.
        ([entry("Summarize content", 0.7, 1), entry("Translate content", 0.3, 2)], 1.0),
        # Labels ignore case; 0.9 is within 0.20 of 0.70, and 0.1 of 0.30.
        ([entry("summarize CONTENT", 0.9, 1), entry("Translate content", 0.1, 2)], 1.0),
        # 0.91 and 0.09 are not: 0.50 · 1 + 0.25 · 0 + 0.25 · 1.
        ([entry("Summarize content", 0.91, 1), entry("Translate content", 0.09, 2)], 0.75),
        # The order is turned round: 0.50 · 1 + 0.25 · 1 + 0.25 · 0.
        ([entry("Summarize content", 0.7, 2), entry("Translate content", 0.3, 1)], 0.75),
        # One of two found: precision 1, recall 1/2, F1 2/3; half of each of the others: 1/3 + 1/8 + 1/8.
        ([entry("Summarize content", 0.7, 1)], 1 / 3 + 0.25),
        # One of two is right: precision 1/2, recall 1/2, F1 1/2: 1/4 + 1/8 + 1/8.
        ([entry("Summarize content", 0.7, 1), entry("Other", 0.3, 2)], 0.5),
        ([entry("Other", 1.0, 1)], 0.0),
    ],
)
def test_labels_shares_and_order_are_scored_each_and_added_up_by_weight(online, api, make, a_case, answer, score):
    api.reply(json.dumps(answer))
    online.write("b.json", weighted(make, a_case))
    online("run", "b.json")
    only = case_result(online)
    assert only["match_score"] == pytest.approx(score)
    assert only["match_result"] is (score >= 0.8)


def test_a_weighted_match_passes_from_its_threshold_on(online, api, make, a_case):
    api.reply(json.dumps([entry("Summarize content", 0.91, 1), entry("Translate content", 0.09, 2)]))  # 0.75
    for threshold, passed in ((0.75, True), (0.76, False)):
        online.write("b.json", weighted(make, a_case, threshold))
        online("run", "b.json")
        assert case_result(online)["match_result"] is passed


@pytest.mark.parametrize("answer", ["Summarize content", "[1, 2", '{"use_case": "a"}', "[1, 2]", "[" * 3000])
def test_an_answer_that_is_no_such_list_has_failed_at_the_task(online, api, make, a_case, answer):
    api.reply(answer)
    online.write("b.json", weighted(make, a_case))
    online("run", "b.json")
    only = case_result(online)
    assert (only["status"], only["match_score"], only["match_result"]) == ("scored", 0.0, False)
