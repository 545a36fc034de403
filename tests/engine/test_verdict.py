from __future__ import annotations

from fractions import Fraction

import pytest

from steelyard._engine.statistics import exactly
from steelyard._engine.verdict import case_result
from steelyard.api import Case, CaseResult, CaseRun, Status

STATUSES = {"E": Status.API_ERROR, "J": Status.JUDGE_ERROR}


def of(outcomes: str, rate: float = 1.0) -> CaseResult:
    """Make a case of runs that passed (P), failed (F), or ended in an error (E, J)."""
    runs = [
        CaseRun(
            repeat=number,
            status=STATUSES.get(outcome, Status.SCORED),
            passed=outcome == "P",
            score=None if outcome in STATUSES else float(outcome == "P"),
            error="it broke" if outcome in STATUSES else None,
        )
        for number, outcome in enumerate(outcomes)
    ]
    return case_result("m", "v1", Case(id="a", tags=("t",), human_score=4.0), runs, exactly(rate))


@pytest.mark.parametrize(
    ("outcomes", "rate", "wanted"),
    [
        ("P", 1.0, "pass"),
        ("F", 1.0, "fail"),
        ("E", 1.0, "error"),
        ("PPP", 1.0, "pass"),
        ("PPF", 1.0, "fail"),
        ("PPPPPPPFFF", 0.7, "pass"),  # 7 of 10; as floats 0.7 * 10 is 7.000000000000001 in some orders
        ("PPPPPPFFFF", 0.7, "fail"),
        ("PPF", 0.67, "fail"),
        ("PPF", 0.66, "pass"),
        ("PPE", 0.66, "pass"),  # decided: two of three have passed, whatever the third would have done
        ("PPE", 1.0, "error"),  # open: the third might have passed
        ("PFE", 1.0, "fail"),  # decided: one has failed already
        ("EEE", 0.5, "error"),
        ("FEE", 0.5, "error"),
        ("FFE", 0.5, "fail"),
        ("E", 0.0, "error"),  # nothing turns an error into a pass
    ],
)
def test_a_case_with_repeats_is_decided_by_the_runs_that_could_be_judged(
    outcomes: str, rate: float, wanted: str
) -> None:
    result = of(outcomes, rate)
    got = "error" if result.status is not Status.SCORED else "pass" if result.passed else "fail"
    assert got == wanted


def test_an_error_has_the_status_of_the_first_one_and_no_score() -> None:
    result = of("PJE")
    assert (result.status, result.passed, result.score, result.error) == (Status.JUDGE_ERROR, False, None, "it broke")


def test_the_score_is_the_mean_over_the_runs_that_were_scored() -> None:
    assert of("PPFE", 0.5).score == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("outcomes", "flaky"), [("P", False), ("PP", False), ("FF", False), ("PF", True), ("PE", False), ("PFE", True)]
)
def test_a_case_is_flaky_when_scored_runs_disagree(outcomes: str, flaky: bool) -> None:
    assert of(outcomes, 0.5).flaky is flaky


def test_what_the_case_says_of_itself_is_kept() -> None:
    result = of("P")
    assert (result.id, result.tags, result.human_score, len(result.runs)) == ("a", ("t",), 4.0, 1)


def test_a_share_is_taken_as_it_was_written() -> None:
    assert exactly(0.7) == Fraction(7, 10)
