from __future__ import annotations

import random
from typing import Any

import pytest

from steelyard._engine.insights import best_quality, best_value, insights
from steelyard._engine.summary import ComboTally
from steelyard.api import CaseResult, CaseRun, ComboResult, Status, Verdict


def run(outcome: str = "P", **fields: Any) -> CaseRun:
    scored = outcome in "PF"
    return CaseRun(
        **{
            "repeat": 0,
            "status": Status.SCORED if scored else Status.API_ERROR,
            "passed": outcome == "P",
            "score": float(outcome == "P") if scored else None,
            "prompt_tokens": 10,
            "completion_tokens": 2,
            "cost_usd": 0.1,
            "judge_cost_usd": 0.0,
            "spent_usd": 0.1,
            "latency_ms": 5.0,
            **fields,
        }
    )


def case(outcome: str = "P", *runs: CaseRun, tags: tuple[str, ...] = (), **fields: Any) -> CaseResult:
    used = runs or (run(outcome),)
    scored = outcome in "PF"
    return CaseResult(
        **{
            "model": "m",
            "prompt_id": "p",
            "id": "a",
            "status": Status.SCORED if scored else Status.API_ERROR,
            "passed": outcome == "P",
            "score": used[0].score if scored else None,
            "runs": used,
            "tags": tags,
            **fields,
        }
    )


def tallied(*cases: CaseResult, total: int | None = None, left_out: int = 0) -> ComboResult:
    tally = ComboTally("m", "p")
    for one in cases:
        tally.add(one)
    for _ in range(left_out):
        tally.leave_out(("t",))
    return tally.result(total, ())


def test_every_planned_case_is_accounted_for() -> None:
    result = tallied(*map(case, "PPPFFE"), total=10, left_out=1)
    assert (result.passed, result.failed, result.errors, result.not_run, result.total) == (3, 2, 1, 4, 10)


def test_without_a_count_the_total_is_what_was_seen() -> None:
    result = tallied(*map(case, "PFE"), left_out=2)
    assert (result.not_run, result.total) == (2, 5)


def test_the_score_is_the_share_of_those_that_could_be_scored() -> None:
    result = tallied(*map(case, "P" * 43 + "F" * 6 + "E"), total=50)
    assert result.score == 100 * 43 / 49
    # Wilson for 43/49 worked out with the closed formula: 0.75759 to 0.94270
    assert result.score_low == pytest.approx(75.76, abs=0.01)
    assert result.score_high == pytest.approx(94.27, abs=0.01)


def test_cases_of_one_cluster_widen_the_interval_of_combo_and_tag_alike() -> None:
    outcomes = [("P", "a")] * 4 + [("F", "b")] * 4 + [("P", "c")] * 2
    result = tallied(*[case(outcome, tags=("t",), cluster=cluster) for outcome, cluster in outcomes])
    # Rate 0.6 of 3 clusters that are alike within: 0.24 over 3/2 · (1.6² + 2.4² + 0.8²) / 100 is 1.785714 cases.
    # With t = 4.302653, a = t²/n = 10.367130: (0.6 + a/2 ± sqrt(0.24 a + a²/4)) / (1 + a) is 0.032138 to 0.985457.
    assert (result.clusters, result.effective_cases) == (3, pytest.approx(1.785714))
    assert (result.score_low, result.score_high) == pytest.approx((3.21375, 98.54570), abs=1e-3)
    assert (result.tags[0].score_low, result.tags[0].score_high) == (result.score_low, result.score_high)


def test_cases_without_a_cluster_stand_for_themselves() -> None:
    result = tallied(case("P"), case("F"), case("P", cluster="a"))
    assert (result.clusters, result.effective_cases) == (None, None)
    assert result.score_low == tallied(*map(case, "PFP")).score_low


def test_repeats_are_no_further_cases_in_either_interval() -> None:
    thrice = [case("P", run("P"), run("P", repeat=1), run("P", repeat=2))] * 6
    thrice += [case("F", run("F"), run("F", repeat=1), run("F", repeat=2))] * 4
    once = tallied(*map(case, "P" * 6 + "F" * 4))
    result = tallied(*thrice)
    assert (result.score, result.score_low, result.score_high) == (60, once.score_low, once.score_high)
    # Ten cases that always go one way are 9 effective ones; a = 2.262157² / 9 = 0.568595: 0.266580 to 0.860923.
    assert result.run_score == 60
    assert (result.scored_runs, once.scored_runs) == (result.runs, None)
    assert (result.run_score_low, result.run_score_high) == pytest.approx((26.65800, 86.09227), abs=1e-3)
    assert once.run_score is None


def test_where_nothing_was_scored_there_is_no_score() -> None:
    result = tallied(*map(case, "EE"), total=2)
    assert (result.score, result.score_low, result.score_high, result.mean_score) == (None, None, None, None)


def test_all_passed_is_exactly_a_hundred() -> None:
    result = tallied(*map(case, "PPP"))
    assert (result.score, result.score_high) == (100.0, 100.0)
    assert tallied(*map(case, "FFF")).score_low == 0.0


def test_the_mean_score_is_of_the_cases_and_not_of_the_runs() -> None:
    halves = case("F", run("F", score=0.5), run("F", score=0.5), run("F", score=0.5), score=0.5)
    assert tallied(halves, case("P"), case("E")).mean_score == 0.75


def test_tokens_and_costs_are_added_up_with_those_of_the_judges() -> None:
    result = tallied(case("P", run(judge_cost_usd=0.25, spent_usd=0.35)), case("F"))
    assert (result.prompt_tokens, result.completion_tokens) == (20, 4)
    assert result.cost_usd == pytest.approx(0.45)
    assert result.judge_cost_usd == 0.25
    assert result.spent_usd == pytest.approx(0.45)
    assert result.unknown_costs == 0


def test_an_unknown_part_makes_its_sum_unknown_and_no_other() -> None:
    unknown = run(cost_usd=None, spent_usd=None, completion_tokens=None)
    result = tallied(case("P", unknown), case("P", run(judge_cost_usd=None)), case("P"))
    assert (result.cost_usd, result.spent_usd, result.judge_cost_usd) == (None, None, None)
    assert (result.prompt_tokens, result.completion_tokens) == (30, None)
    assert result.unknown_costs == 2


def test_a_call_that_failed_leaves_the_costs_of_the_others_known() -> None:
    failed = run("E", cost_usd=0.0, spent_usd=0.0, prompt_tokens=0, completion_tokens=0, latency_ms=None)
    result = tallied(case("P"), case("E", failed))
    assert (result.cost_usd, result.prompt_tokens) == (0.1, 10)


def test_the_order_in_which_cases_finish_leaves_no_trace() -> None:
    rng = random.Random(20260101)
    cases = [
        case("P", run(cost_usd=rng.random() / 1000, latency_ms=rng.random(), score=rng.random())) for _ in range(500)
    ]
    cases = [case("P", *one.runs, score=one.runs[0].score) for one in cases]
    shuffled = cases[:]
    rng.shuffle(shuffled)
    assert tallied(*cases) == tallied(*shuffled)


def test_many_small_costs_add_up_exactly() -> None:
    tally = ComboTally("m", "p")
    cheap = case("P", run(cost_usd=0.01, judge_cost_usd=0.0))
    for _ in range(10_000):
        tally.add(cheap)
    assert tally.result(None, ()).cost_usd == 100.0


def test_repeats_are_runs_and_never_cases() -> None:
    repeated = case("P", run(), run(repeat=1, cached=True), run("F", repeat=2), flaky=True)
    result = tallied(repeated, case("P"))
    assert (result.total, result.runs, result.cached, result.flaky, result.passed) == (2, 4, 1, 1, 2)


def test_cut_off_answers_that_were_graded_are_counted() -> None:
    graded = case("F", run("F", finish_reason="length"))
    not_graded = case("E", run("E", finish_reason="length"))
    assert tallied(graded, not_graded, case("P", run(finish_reason="stop"))).truncated == 1


def test_latencies_are_nearest_rank_percentiles_of_all_runs() -> None:
    cases = [case("P", run(latency_ms=float(ms))) for ms in range(1, 21)]
    result = tallied(*cases, case("E", run("E", latency_ms=None)))
    assert (result.latency_p50_ms, result.latency_p95_ms) == (10.0, 19.0)
    assert tallied().latency_p50_ms is None


def test_tags_that_warn_come_first_and_then_by_name() -> None:
    cases = [
        *[case("P", tags=("easy",)) for _ in range(3)],
        *[case("P" if n < 3 else "F", tags=("edge_case",)) for n in range(5)],
        *[case("P" if n < 2 else "F", tags=("non_english",)) for n in range(4)],
        *[case("P" if n < 7 else "F", tags=("exactly_70",)) for n in range(10)],
        case("E", tags=("billing",)),
    ]
    tags = tallied(*cases).tags
    assert [(tag.tag, tag.score, tag.warn) for tag in tags] == [
        ("edge_case", 60.0, True),
        ("non_english", 50.0, True),
        ("billing", None, False),
        ("easy", 100.0, False),
        ("exactly_70", 70.0, False),
    ]
    assert [(tag.total, tag.errors) for tag in tags if tag.tag == "billing"] == [(1, 1)]


def test_a_tag_is_accounted_for_like_a_combo() -> None:
    (tag,) = tallied(case("P", tags=("t",)), case("E", tags=("t",)), left_out=2).tags
    assert (tag.total, tag.passed, tag.failed, tag.errors, tag.not_run) == (4, 1, 0, 1, 2)


def combo(
    model: str, prompt: str, passed: int, scored: int, cost: float | None, *, total: int = 50, **fields: Any
) -> ComboResult:
    return ComboResult(
        model=model,
        prompt_id=prompt,
        total=total,
        passed=passed,
        failed=scored - passed,
        errors=total - scored,
        score=100 * passed / scored if scored else None,
        cost_usd=cost,
        **fields,
    )


# The sample run in evalblink's README: its own figures and its own recommendation.
SAMPLE = [
    combo("openai/gpt-4o-mini", "v1", 43, 49, 0.000784),
    combo("openai/gpt-4o-mini", "v2", 45, 50, 0.000960),
    combo("anthropic/claude-sonnet-4.6", "v1", 47, 50, 0.0175),
    combo("anthropic/claude-sonnet-4.6", "v2", 48, 50, 0.0210),
    combo("mistralai/mistral-small-2603", "v1", 41, 48, 0.000768),
    combo("mistralai/mistral-small-2603", "v2", 44, 50, 0.000960),
]


def label(found: ComboResult | None) -> str | None:
    return None if found is None else f"{found.model} {found.prompt_id}"


def test_the_published_sample_is_recommended_as_published() -> None:
    assert label(best_quality(SAMPLE)) == "anthropic/claude-sonnet-4.6 v2"
    assert label(best_value(SAMPLE)) == "openai/gpt-4o-mini v1"
    found = insights(SAMPLE, Verdict(passed=True, message="PASS"), 85)
    assert (found.errors, found.total, found.quality_threshold) == (3, 300, 85)


def test_of_equal_scores_the_cheaper_one_is_best_and_then_the_first() -> None:
    same = [
        combo("a", "v", 5, 10, None),
        combo("b", "v", 5, 10, 0.2),
        combo("c", "v", 5, 10, 0.1),
        combo("d", "v", 5, 10, 0.1),
    ]
    assert label(best_quality(same)) == "c v"
    assert label(best_quality([combo("a", "v", 5, 10, None), combo("b", "v", 50, 100, None)])) == "a v"


def test_scores_are_compared_exactly() -> None:
    assert label(best_quality([combo("a", "v", 1, 3, 0.1), combo("b", "v", 333_333, 1_000_000, 0.01)])) == "a v"


def test_a_free_combo_is_the_best_value_and_of_several_the_best_one() -> None:
    free = [combo("a", "v", 50, 50, 0.1), combo("b", "v", 10, 50, 0.0), combo("c", "v", 20, 50, 0.0)]
    assert label(best_value(free)) == "c v"


def test_an_unknown_cost_is_no_value_and_neither_is_a_combo_that_passes_nothing() -> None:
    assert label(best_value([combo("a", "v", 50, 50, None), combo("b", "v", 1, 50, 5.0)])) == "b v"
    assert best_value([combo("a", "v", 0, 50, 0.0)]) is None


def test_a_combo_is_not_the_better_value_for_having_failed_most_of_its_calls() -> None:
    whole = combo("whole", "v", 45, 50, 0.50)
    broken = combo("broken", "v", 4, 5, 0.05)
    assert label(best_value([broken, whole])) == "whole v"


def test_where_nothing_was_scored_nothing_is_best() -> None:
    found = insights([combo("a", "v", 0, 0, 0.0)], Verdict(passed=False, message="FAIL"))
    assert (found.best_quality, found.best_value, found.tags) == (None, None, ())
    assert found.errors == 50


def test_weak_tags_of_the_best_combo_are_warned_about() -> None:
    tags = tallied(case("F", tags=("edge_case",)), case("P", tags=("easy",))).tags
    found = insights([combo("a", "v", 50, 50, 0.1, tags=tags)], Verdict(passed=True, message=""))
    assert found.warnings == ("edge_case quality is below 70%.",)
    assert found.tags == tags


def test_a_best_score_that_rests_on_few_cases_is_warned_about() -> None:
    found = insights([combo("a", "v", 1, 1, 0.1)], Verdict(passed=True, message=""))
    (warning,) = found.warnings
    assert "1 of 50 case(s)" in warning
