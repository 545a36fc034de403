"""How often some or all of several runs of a case pass."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from steelyard._engine.attempts import AttemptTally
from steelyard._engine.formulas.pass_at import all_of, some_of
from steelyard.api import CaseRun, PassAtResult, Status


def runs(letters: str) -> list[CaseRun]:
    return [
        CaseRun(
            repeat=number,
            status=Status.API_ERROR if letter == "E" else Status.SCORED,
            passed=letter == "P",
            score=None if letter == "E" else float(letter == "P"),
        )
        for number, letter in enumerate(letters)
    ]


def tallied(cases: Iterable[str], clusters: str = "") -> dict[int, PassAtResult]:
    tally = AttemptTally()
    for number, case in enumerate(cases):
        tally.add(runs(case), clusters[number] if clusters else None)
    return {one.k: one for one in tally.result()}


def test_the_estimates_are_those_of_the_formula() -> None:
    # Chen et al. 2021, equation 1, of 10 runs with 3 passes: pass@1 0.3, pass@5 1 - 21/252.
    assert some_of(10, 3, 1) == all_of(10, 3, 1) == 0.3
    assert some_of(10, 3, 5) == pytest.approx(0.9166667, abs=5e-8)
    # Of the 45 ways to choose two, 3 are passes alone.
    assert all_of(10, 3, 2) == pytest.approx(3 / 45)
    assert (all_of(10, 3, 5), some_of(10, 8, 5), some_of(10, 0, 10)) == (0.0, 1.0, 0.0)


def test_they_are_averaged_over_cases() -> None:
    # Of two runs: PPP always, PPF in 3 of 3 pairs some and in 1 all, FFF never.
    found = tallied(["PPP", "PPF", "FFF"])

    assert (found[2].some, found[2].every, found[2].cases) == (pytest.approx(2 / 3), pytest.approx(4 / 9), 3)
    assert (found[3].some, found[3].every) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert sorted(found) == [2, 3]


def test_a_case_with_fewer_scored_runs_says_nothing_about_more() -> None:
    found = tallied(["PPPPP", "PPEEE", "FFFFF", "EEEEE"])

    assert [(k, one.cases) for k, one in found.items()] == [(2, 3), (3, 2), (5, 2)]
    assert found[2].some == pytest.approx(2 / 3)


def test_one_run_of_each_case_has_none() -> None:
    assert tallied(["P", "F", "PE"]) == {}


def test_the_interval_of_all_runs_is_that_of_so_many_cases() -> None:
    # 6 of 10 cases pass throughout: 9 effective ones, Student's t of 9 degrees, as for the share of runs.
    found = tallied(["PPP"] * 6 + ["FFF"] * 4)[3]

    assert (found.every_low, found.every_high) == pytest.approx((0.2665800, 0.8609227), abs=1e-5)
    assert (found.some_low, found.some_high) == (found.every_low, found.every_high)


def test_cases_of_a_cluster_count_as_one() -> None:
    alone, clustered = tallied(["PP", "FF"] * 10)[2], tallied(["PP", "FF"] * 10, "ab" * 10)[2]

    assert clustered.some == alone.some == 0.5
    assert alone.some_low > clustered.some_low  # type: ignore[operator]
    assert tallied(["PP", "FF"], "aa")[2].some_low is None
