"""Several judges of one answer."""

from __future__ import annotations

import pytest
from steelyard_builtins.scorers import llm_judge as plugin
from steelyard_builtins.scorers.exact_match import ExactMatch, ExactMatchSettings
from steelyard_builtins.scorers.llm_judge import LlmJudgeSettings

from steelyard.api import Completion, ModelUse
from steelyard.errors import ProviderError, ScorerError, UsageError
from steelyard.testing import FakeAsk, make_benchmark, make_case, make_context, make_output, settled

(SPEC,) = plugin.steelyard_register_scorers()
CASE = make_case(criteria="Must apologise.")
NAMES = ("one/a", "two/b", "three/c")


def panel(**settings):
    return SPEC.create(LlmJudgeSettings(**{"models": NAMES, **settings}), make_context())


def scored(*scores, **settings):
    """Return what a panel with these scores says, and what was asked."""
    replies = dict(zip(NAMES, scores, strict=False))
    ask = FakeAsk(lambda request: reply(replies[request.model]))
    return settled(panel(**settings).score, CASE, make_output("Sorry!"), ask), ask


def reply(score):
    if isinstance(score, BaseException):
        return score
    text = score if isinstance(score, str) else f'{{"reasoning": "so {score}", "score": {score}}}'
    return Completion(text=text, cost_usd=0.25, finish_reason="stop")


@pytest.mark.parametrize(
    ("combine", "scores", "value", "passed"),
    [
        ("mean", (5, 5, 2), 0.75, True),
        ("mean", (5, 4, 2), 2 / 3, False),  # mean 3.667: below 0.7 of the way from 1 to 5
        ("median", (5, 5, 1), 1.0, True),
        ("median", (5, 2, 1), 0.25, False),
        ("majority", (4, 4, 1), 2 / 3, True),
        ("majority", (4, 3, 1), 1 / 3, False),
    ],
)
def test_the_judges_are_brought_together_as_the_file_says(combine, scores, value, passed):
    score, _ = scored(*scores, combine=combine)

    assert score.value == pytest.approx(value)
    assert score.passed is passed


def test_half_of_an_even_panel_is_no_majority():
    score, _ = scored(5, 1, models=NAMES[:2], combine="majority")

    assert (score.value, score.passed) == (0.5, False)


def test_each_judge_is_asked_the_same_by_itself():
    _, ask = scored(5, 4, 3)

    assert sorted(request.model for request in ask.questions) == sorted(NAMES)
    assert len({request.messages for request in ask.questions}) == 1


def test_the_record_keeps_what_each_judge_said_and_what_it_cost():
    score, _ = scored(5, 4, 2)

    assert (score.details["judge_score"], score.details["judge_model"]) == (pytest.approx(11 / 3), ", ".join(NAMES))
    assert [(one["model"], one["score"], one["passed"], one["cost"]) for one in score.details["judges"]] == [
        ("one/a", 5.0, True, 0.25),
        ("two/b", 4.0, True, 0.25),
        ("three/c", 2.0, False, 0.25),
    ]
    assert score.details["reasoning"].splitlines()[0] == "one/a (5): so 5"


def test_one_judge_is_no_panel():
    score, _ = scored(5, models=("one/a",))

    assert "judges" not in score.details
    assert score.details["reasoning"] == "so 5"


def test_the_lowest_score_that_passes_is_each_judges_own_matter():
    score, _ = scored(3, 3, 1, combine="majority", min_score=3)

    assert score.passed


@pytest.mark.parametrize("broken", ["no verdict here", ProviderError("down")])
def test_a_judge_without_a_verdict_leaves_no_panel_to_bring_together(broken):
    ask = FakeAsk(lambda request: reply(broken if request.model == "two/b" else 5))

    with pytest.raises((ScorerError, ProviderError)):
        settled(panel().score, CASE, make_output("Sorry!"), ask)
    assert len(ask.questions) == 3  # the others were waited for: they are booked on the case


def test_several_judges_take_the_place_of_one():
    _, ask = scored(5, 5, 5, model="other/judge")

    assert "other/judge" not in [request.model for request in ask.questions]


def test_a_judge_named_twice_would_count_twice_and_is_refused():
    with pytest.raises(UsageError, match="'models' names a judge twice"):
        panel(models=("one/a", "one/a"))


def test_every_judge_is_announced_and_looked_at():
    benchmark = make_benchmark(models=(ModelUse(id="m", model="two/candidate"),))

    asks = panel().asks(benchmark, CASE, ())
    (problem,) = panel().check(benchmark, CASE)

    assert [ask.model for ask in asks] == [*NAMES]
    assert problem.message == "judge 'two/b' shares a vendor with 'm'"


@pytest.mark.parametrize(
    ("output", "settings", "given"),
    [
        (" Billing\n", {}, "billing"),
        ("x" * 500, {}, "x" * 100),
        ("Billing", {"ignore_case": False}, "Billing"),
    ],
)
def test_exact_match_says_which_label_was_wanted_and_which_was_given(output, settings, given):
    scorer = ExactMatch(ExactMatchSettings(**settings))

    score = settled(scorer.score, make_case(expected="billing"), make_output(output), FakeAsk())

    assert score.details == {"label": {"expected": "billing", "output": given}}


def test_a_long_text_is_no_label():
    text = "word " * 50

    score = settled(ExactMatch(ExactMatchSettings()).score, make_case(expected=text), make_output(text), FakeAsk())

    assert score.passed
    assert score.details == {}
