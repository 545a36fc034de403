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
        tally.add(one)
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
