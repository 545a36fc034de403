from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from steelyard._engine.compare import compare
from steelyard.api import CaseResult, CaseRun, ComboResult, RunRecord, Status


def case(name: str, outcome: str) -> CaseResult:
    status = Status.API_ERROR if outcome == "E" else Status.SCORED
    passed = outcome == "P"
    score = None if outcome == "E" else float(passed)
    run = CaseRun(repeat=0, status=status, passed=passed, score=score)
    return CaseResult(model="m", prompt_id="p", id=name, status=status, passed=passed, score=score, runs=(run,))


def record(outcomes: str, *, model: str = "m", cost: float | None = 0.5, first: int = 0) -> RunRecord:
    cases = tuple(case(f"c{first + index}", outcome) for index, outcome in enumerate(outcomes))
    passed, failed, errors = (outcomes.count(letter) for letter in "PFE")
    score = 100 * passed / (passed + failed) if passed + failed else None
    combo = ComboResult(
        model=model,
        prompt_id="p",
        total=len(outcomes),
        passed=passed,
        failed=failed,
        errors=errors,
        score=score,
        cost_usd=cost,
        cases=cases,
    )
    return RunRecord(run_id="r", benchmark="b", timestamp="2026-01-01T00:00:00+00:00", results=(combo,))


def test_each_case_is_told_apart_by_what_became_of_it() -> None:
    change = compare(record("PPFFEEP"), record("PFPFPEE")).combos[0]
    assert change.pairs.regressed == ["c1"]
    assert change.pairs.improved == ["c2"]
    assert change.pairs.recovered == ["c4"]
    assert change.pairs.new_errors == ["c6"]
    assert change.pairs.errors_in_both == 1
    assert change.pairs.total == 7


def test_a_run_that_breaks_with_errors_regresses_although_its_score_is_perfect() -> None:
    comparison = compare(record("PPPP"), record("PPEE"))
    assert comparison.combos[0].delta == 0.0
    assert comparison.combos[0].drop == 50
    assert len(comparison.regressions(Fraction(2))) == 1


def test_a_drop_of_exactly_the_allowed_points_is_no_regression() -> None:
    # 29 of 50 is 58 per cent and 28 of 50 is 56, a drop of exactly 2.
    comparison = compare(record("P" * 29 + "F" * 21), record("P" * 28 + "F" * 22))
    assert comparison.regressions(Fraction(2)) == ()
    assert len(comparison.regressions(Fraction("1.99"))) == 1


def test_zero_points_allow_only_what_rounding_hides() -> None:
    assert len(compare(record("P" * 1000), record("P" * 999 + "F")).regressions(Fraction(0))) == 1
    assert compare(record("P" * 2000), record("P" * 1999 + "F")).regressions(Fraction(0)) == ()


def test_other_cases_are_not_compared_for_a_regression() -> None:
    comparison = compare(record("PPPP"), record("FFF"))
    assert not comparison.comparable
    assert comparison.regressions(Fraction(0)) == ()


def test_the_same_number_of_other_cases_is_not_the_same_cases() -> None:
    assert not compare(record("PPPP"), record("FFFF", first=10)).comparable


def test_a_renamed_model_is_nobodys_counterpart() -> None:
    comparison = compare(record("PP"), record("PP", model="renamed"))
    assert comparison.combos == ()
    assert comparison.only_before == (("m", "p"),)
    assert comparison.only_after == (("renamed", "p"),)
    assert not comparison.comparable


def test_a_difference_that_chance_explains_is_inconclusive() -> None:
    # 1 loss against 3 wins: exact p = 2 * (1 + 4) / 16 = 0.625.
    change = compare(record("PFFFPP"), record("FPPPPP")).combos[0]
    assert change.p_value == 0.625
    assert change.verdict == "inconclusive"


def test_ten_losses_and_no_win_are_worse() -> None:
    # 0 wins of 10: exact p = 2 / 1024.
    change = compare(record("P" * 10), record("F" * 10)).combos[0]
    assert change.p_value == 2 / 1024
    assert change.verdict == "worse"
    assert compare(record("F" * 10), record("P" * 10)).combos[0].verdict == "better"


def test_an_unknown_cost_has_no_difference() -> None:
    change = compare(record("P", cost=None), record("P", cost=0.1)).combos[0]
    assert change.cost_delta is None


def test_two_empty_runs_are_not_comparable() -> None:
    assert not compare(record(""), record("")).comparable


def scored(*scores: float | None) -> RunRecord:
    """Make a run of cases that all fail, with these scores; ``None`` could not be scored."""
    kept = record("".join("E" if score is None else "F" for score in scores))
    (combo,) = kept.results
    cases = tuple(replace(case, score=score) for case, score in zip(combo.cases, scores, strict=True))
    return replace(kept, results=(replace(combo, cases=cases),))


def test_a_mean_score_may_fall_where_the_pass_rate_does_not() -> None:
    # The mean falls from 0.7 to 0.5.
    comparison = compare(scored(0.5, 0.9), scored(0.5, 0.5))

    assert comparison.regressions(Fraction(0)) == ()
    assert comparison.score_regressions(Fraction(20)) == ()
    assert len(comparison.score_regressions(Fraction("19.9"))) == 1


def test_what_could_not_be_scored_is_a_score_of_nothing_for_the_mean() -> None:
    assert len(compare(scored(0.5, 0.5), scored(0.5, None)).score_regressions(Fraction(24))) == 1
    assert compare(scored(0.5, None), scored(0.5, 0.5)).score_regressions(Fraction(0)) == ()


def test_mean_scores_of_other_cases_are_not_compared() -> None:
    assert compare(scored(0.9, 0.9), scored(0.1)).score_regressions(Fraction(0)) == ()


def test_a_fall_of_scores_that_may_be_chance_is_none_where_confidence_is_asked_for() -> None:
    comparison = compare(scored(0.5, 0.9), scored(0.5, 0.5))
    sure = compare(scored(*[0.9, 0.8] * 10), scored(*[0.1, 0.2] * 10))

    assert comparison.score_regressions(Fraction(0), 0.95) == ()
    assert len(sure.score_regressions(Fraction(0), 0.95)) == 1
