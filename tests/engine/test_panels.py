"""What several judges of the same outputs come to."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard._engine.panels import PanelTally
from steelyard.api import CaseRun, ScoreResult, Status

# Krippendorff 2011, example C by unit; None is missing. Interval alpha 0.8491071.
UNITS = [
    (1, 1, None, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4), (4, 4, 4, 4), (1, 1, 2, 1),
    (2, 2, 2, 2), (None, 5, 5, 5), (None, None, 1, 1), (None, 3, None, None),
]  # fmt: skip


def run(*scores: float | None, cost: float | None = 0.01) -> CaseRun:
    judges: list[Any] = [
        {"model": f"judge-{number}", "score": score, "passed": score >= 3, "reasoning": "", "cost": cost}
        for number, score in enumerate(scores)
        if score is not None
    ]
    verdict = ScoreResult(scorer="j", name="j", passed=True, score=1.0, details={"judges": judges})
    return CaseRun(repeat=0, status=Status.SCORED, passed=True, score=1.0, scores=(verdict,))


def tallied(*runs: CaseRun) -> Any:
    tally = PanelTally()
    for one in runs:
        tally.add([one])
    return tally.result()


def test_agreement_is_krippendorffs_alpha_by_differences() -> None:
    found = tallied(*[run(*unit) for unit in UNITS])

    assert found.alpha == pytest.approx(0.8491071, abs=5e-8)
    assert found.outputs == 11  # one was rated once
    assert found.alpha_low < found.alpha < found.alpha_high <= 1


def test_each_judge_has_its_own_figures() -> None:
    first, second = tallied(run(4, 1), run(2, 5), run(3, 3)).judges

    assert (first.model, first.scored, first.passed, first.mean_score) == ("judge-0", 3, 2, 3.0)
    assert (second.passed, second.cost_usd) == (2, pytest.approx(0.03))


def test_what_a_judge_passes_and_gives_has_its_interval() -> None:
    # Scores 4, 2, 3: mean 3, standard error 0.57735, t of 2 degrees 4.302653; 2 of 3 pass: Wilson 0.2077 to 0.9385.
    judge = tallied(run(4, 1), run(2, 5), run(3, 3)).judges[0]

    assert (judge.mean_score_low, judge.mean_score_high) == pytest.approx((3 - 2.484138, 3 + 2.484138), abs=1e-5)
    assert (judge.passed_low, judge.passed_high) == pytest.approx((0.2077, 0.9385), abs=5e-5)


def test_runs_of_a_case_go_together_and_cases_of_a_cluster_too() -> None:
    apart, repeated, clustered = PanelTally(), PanelTally(), PanelTally()
    units = [run(*unit) for unit in UNITS]
    for number, unit in enumerate(units):
        apart.add([unit])
        repeated.add([unit, unit, unit])
        clustered.add([unit], "ab"[number % 2])

    one, other, two = apart.result(), repeated.result(), clustered.result()

    assert (one.outputs, other.outputs, two.outputs) == (11, 33, 11)  # type: ignore[union-attr]
    assert two.alpha == pytest.approx(one.alpha)  # type: ignore[union-attr]
    assert two.alpha_low is None  # type: ignore[union-attr] # two clusters say too little about others
    judges = [found.judges[1] for found in (one, other)]  # type: ignore[union-attr]
    widths = [judge.mean_score_high - judge.mean_score_low for judge in judges]  # type: ignore[operator]
    assert widths[1] == pytest.approx(widths[0])
    # Three runs of each case change the interval of alpha no more than the number of values in it does.
    assert other.alpha_high - other.alpha_low == pytest.approx(one.alpha_high - one.alpha_low, rel=0.15)  # type: ignore[union-attr,operator]


def test_an_unknown_cost_leaves_the_sum_unknown() -> None:
    assert tallied(run(4, 1), run(4, 1, cost=None)).judges[0].cost_usd is None


def test_one_judge_is_no_panel() -> None:
    assert tallied(run(4), run(2)) is None
    assert tallied() is None


def test_judges_that_always_say_the_same_have_nothing_to_agree_about() -> None:
    found = tallied(*[run(4, 4)] * 5)

    assert (found.alpha, found.alpha_low, found.alpha_high) == (None, None, None)


def test_thousands_of_outputs_are_no_longer_work_than_hundreds() -> None:
    found = tallied(*[run(number % 5 + 1, (number * 7) % 5 + 1) for number in range(4000)])

    assert found.outputs == 4000
    assert found.alpha_low < found.alpha < found.alpha_high


@pytest.mark.parametrize("judges", [None, "two", [1, "x"], [{"model": 1, "score": 2}], [{"model": "a", "score": "4"}]])
def test_details_that_are_something_else_are_passed_over(judges: Any) -> None:
    verdict = ScoreResult(scorer="j", name="j", passed=True, score=1.0, details={"judges": judges})

    assert tallied(CaseRun(repeat=0, status=Status.SCORED, passed=True, score=1.0, scores=(verdict,))) is None
