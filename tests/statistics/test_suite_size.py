from __future__ import annotations

import math
import random

import pytest

from steelyard._engine.evidence import Differences
from steelyard._engine.formulas.power import Spread
from steelyard._engine.suite_size import UNKNOWN, Scatter, detectable_by, scatter_of, suite_sizes
from steelyard.api import CaseResult, CaseRun, ComboResult, Status

USUAL = {"confidence": 0.95, "power": 0.8}


def case(name: str, letters: str) -> CaseResult:
    runs = tuple(
        CaseRun(
            repeat=number,
            status=Status.API_ERROR if letter == "E" else Status.SCORED,
            passed=letter == "P",
            score=None if letter == "E" else float(letter == "P"),
        )
        for number, letter in enumerate(letters)
    )
    passed = set(letters) == {"P"}
    return CaseResult(
        model="m", prompt_id="p", id=name, status=Status.SCORED, passed=passed, score=float(passed), runs=runs
    )


def combo(model: str, *cases: str) -> ComboResult:
    results = tuple(case(f"c{number}", letters) for number, letters in enumerate(cases))
    passed = sum(one.passed for one in results)
    return ComboResult(
        model=model,
        prompt_id="v1",
        total=len(cases),
        passed=passed,
        failed=len(cases) - passed,
        errors=0,
        cases=results,
    )


def test_without_a_record_the_published_assumption_is_made() -> None:
    sizes = suite_sizes(0.03, UNKNOWN, own_repeat=1, **USUAL)

    assert (sizes[0].repeat, sizes[0].cases) == (1, 3876)
    # 7.848880 / 0.0009 · (1/9 + 1/30) = 1259.7
    assert [(size.cases, size.runs) for size in sizes if size.repeat == 10] == [(1260, 12_600)]


def test_the_suites_own_number_of_runs_has_a_row() -> None:
    assert 4 in [size.repeat for size in suite_sizes(0.05, UNKNOWN, own_repeat=4, **USUAL)]


def test_two_combos_with_one_run_of_each_case_tell_their_scatter_as_a_whole() -> None:
    # Gains 1, 1, 0, -1, 0: mean 0.2, variance (3 - 5 · 0.04) / 4 = 0.7.
    found = scatter_of(combo("b", *"PPPFF"), combo("a", *"FFPPF"), "run-1")

    assert found is not None
    assert found.spread.variance(1) == pytest.approx(0.7)
    assert not found.repeats_known
    assert found.basis == "measured between b / v1 and a / v1 in 5 cases of run-1"
    assert [size.repeat for size in suite_sizes(0.05, found, own_repeat=3, **USUAL)] == [1]


def test_repeats_tell_the_chance_in_single_answers_from_the_cases() -> None:
    # Each combo passes half of two runs in one case and all in the other: σ² is (0.5 + 0) / 2 for each.
    found = scatter_of(combo("b", "PF", "PP", "PP"), combo("a", "FF", "PP", "PF"), "run-1")

    assert found is not None
    assert found.repeats_known
    # One answer: b (0.5 + 0 + 0) / 3, a (0 + 0 + 0.5) / 3.
    assert found.spread.within == pytest.approx(1 / 3)
    # Gains 0.5, 0, 0.5: variance 1/12, of which 1/6 by chance alone, so none is left between cases.
    assert found.spread.between == 0.0


def test_errors_are_no_answers() -> None:
    found = scatter_of(combo("b", "PE", "P", "F", "EE"), combo("a", "F", "P", "F", "P"), "run-1")

    assert found is not None
    assert found.basis.endswith("in 3 cases of run-1")


def test_one_combo_alone_tells_half() -> None:
    # Two of four pass: variance 1/3 of one combo; of a difference twice that, of which half is taken to be shared.
    found = scatter_of(combo("b", *"PPFF"), None, "run-1")

    assert found is not None
    assert found.spread.variance(1) == pytest.approx(1 / 3)
    assert found.basis.endswith("half of it taken to be shared")


def test_one_case_tells_nothing() -> None:
    assert scatter_of(combo("b", "P"), None, "run-1") is None


def test_cases_that_never_differ_still_take_as_many_as_the_difference_itself() -> None:
    # Without any scatter a mean gain of 5 points is one case of twenty: variance 0.05 · 0.95, 149.1 cases.
    found = scatter_of(combo("b", *"PPPP"), combo("a", *"PPPP"), "run-1")

    assert found is not None
    assert suite_sizes(0.05, found, own_repeat=1, **USUAL)[0].cases == 150


def test_more_cases_show_smaller_differences() -> None:
    few, many = (detectable_by(cases, 1, UNKNOWN, **USUAL) for cases in (198, 4 * 198))

    assert few == pytest.approx(0.1327, abs=5e-5)
    assert many == pytest.approx(few / 2)


def test_fewer_cases_than_the_exact_test_can_be_convinced_by_never_show_anything() -> None:
    # 2 / 2^5 is 0.0625, 2 / 2^6 below 0.05: six cases, all changed to one side.
    assert [size.cases for size in suite_sizes(1.0, UNKNOWN, own_repeat=1, **USUAL)] == [6] * 5
    assert suite_sizes(0.5, UNKNOWN, own_repeat=1, **USUAL)[0].cases == 14  # 7.848880 · (4/9) / 0.25 = 13.95
    assert detectable_by(5, 1, UNKNOWN, **USUAL) == math.inf
    assert detectable_by(6, 10, UNKNOWN, **USUAL) < 1


def test_cases_that_never_differ_show_no_endlessly_small_difference() -> None:
    found = scatter_of(combo("b", *"PPPP"), combo("a", *"PPPP"), "run-1")
    assert found is not None

    # 7.848880 · (1 - d) / d = 30: d = 0.20737; and six of 30 have to change: 0.2.
    assert detectable_by(30, 1, found, **USUAL) == pytest.approx(7.848880 / 37.848880, abs=1e-6)
    # What so many cases show takes so many.
    assert suite_sizes(detectable_by(30, 1, found, **USUAL), found, own_repeat=1, **USUAL)[0].cases == 30


@pytest.mark.parametrize("repeat", [1, 3])
def test_the_cases_that_are_planned_show_the_difference_as_often_as_they_should(repeat: int) -> None:
    # Rates of 0.3 to 0.8, and 0.1 more: no variance between cases, p (1 - p) within them.
    chance, rates = random.Random(20260201), (0.3, 0.5, 0.7, 0.8)
    within = sum(rate * (1 - rate) + (rate + 0.1) * (0.9 - rate) for rate in rates) / len(rates)
    known = Scatter(spread=Spread(between=0.0, within=within), basis="made up")
    cases = next(size.cases for size in suite_sizes(0.1, known, own_repeat=3, **USUAL) if size.repeat == repeat)

    def found() -> bool:
        gains = Differences()
        for number in range(cases):
            rate = rates[number % len(rates)]
            shares = [sum(chance.random() < one for _ in range(repeat)) / repeat for one in (rate, rate + 0.1)]
            gains.add(*shares, repeated=repeat > 1)
        evidence = gains.evidence()
        return evidence.shows(evidence.p_value)

    # Of 300 comparisons: two standard errors are 0.046, and the exact test is a little careful.
    assert 0.8 - 0.046 - 0.03 <= sum(found() for _ in range(300)) / 300 <= 0.8 + 0.046 + 0.03
