from __future__ import annotations

import pytest

from steelyard._engine.calibration import Rated, calibrate, on_human_scale
from steelyard._engine.formulas.figure import Figure


def rated(*scores: tuple[float, float], threshold: float = 4.0) -> list[Rated]:
    """Return outputs with these scores of judge and person; the judge passes from the threshold on."""
    return [
        Rated(id=f"c{number}", model="m", prompt_id="p", judge=judge, human=human, passed=judge >= threshold)
        for number, (judge, human) in enumerate(scores)
    ]


def of_table(both: int, false_pass: int, false_fail: int, neither: int) -> list[Rated]:
    return rated(*[(5, 5)] * both, *[(5, 1)] * false_pass, *[(1, 5)] * false_fail, *[(1, 1)] * neither)


def test_pass_and_fail_are_compared_as_a_table_of_four() -> None:
    # Cohen's kappa of [[20, 5], [10, 15]] is 0.40, and 35 of 50 agree.
    found = calibrate(of_table(20, 5, 10, 15))

    assert found.kappa.value == pytest.approx(0.4)
    assert found.agreement.value == 0.7
    # Wilson of 35 / 50.
    assert (found.agreement.low, found.agreement.high) == pytest.approx((0.5625, 0.8090), abs=5e-5)
    assert (found.false_pass.value, found.false_fail.value) == (5 / 20, 10 / 30)
    assert found.confusion.false_pass == 5


def test_the_score_from_which_people_pass_can_be_moved() -> None:
    outputs = rated((5, 5), (4, 3), (2, 3), (1, 1))

    assert calibrate(outputs).confusion.false_pass == 1
    moved = calibrate(outputs, human_pass=3).confusion
    assert (moved.false_pass, moved.false_fail, moved.both_pass) == (0, 1, 2)


def test_the_bias_is_what_the_judge_gives_more() -> None:
    # Differences 1, 1, 0, 2: mean 1, standard error 0.408248, t of 3 degrees 3.182446.
    found = calibrate(rated((5, 4), (4, 3), (3, 3), (4, 2))).bias

    assert found.value == 1.0
    assert (found.low, found.high) == pytest.approx((1 - 1.299228, 1 + 1.299228), abs=1e-6)


def test_scores_are_compared_in_whole_points_of_five() -> None:
    # Halves go up: 2.5 is a 3, as the person has it.
    assert calibrate(rated((2.5, 3), (1.4, 1), (4.6, 5))).kappa_quadratic.value == 1.0
    assert (on_human_scale(0.0), on_human_scale(0.75), on_human_scale(1.0)) == (1, 4, 5)


@pytest.mark.parametrize(
    ("outputs", "verdict"),
    [
        (of_table(20, 1, 1, 20), "good"),
        (of_table(20, 5, 5, 20), "fair"),  # kappa 0.6, and so is Pearson, which has to be 0.7
        (of_table(20, 8, 7, 15), "ambiguous"),  # 35 of 50 agree, kappa 0.394
        (of_table(20, 0, 0, 0), "unknown"),
        (rated((5, 1), (5, 2), (5, 3), (5, 4), (5, 5)), "ambiguous"),  # the judge tells nothing apart: kappa 0
        (rated((2, 1), (2, 2), (2, 3), (2, 4), (2, 5)), "ambiguous"),
        (rated((5, 4), (5, 5)), "unknown"),  # people passed all of them too
        (rated((1, 4), (3, 4), (5, 4)), "unknown"),  # people told nothing apart
        (rated((5, 5)), "unknown"),
    ],
)
def test_the_verdict_keeps_to_its_limits(outputs: list[Rated], verdict: str) -> None:
    assert calibrate(outputs).verdict == verdict


def test_the_worst_come_first_and_those_that_agree_not_at_all() -> None:
    found = calibrate(rated((5, 4), (3, 3), (1, 5), (4, 2)))

    assert [one.id for one in found.worst] == ["c2", "c3", "c0"]


def test_outputs_to_one_case_are_no_further_cases() -> None:
    alone = rated(*[(5, 5)] * 12, *[(5, 2)] * 4, *[(1, 1)] * 8)
    tenfold = [one for one in alone for _ in range(10)]

    found, again = calibrate(alone), calibrate(tenfold)

    for name in ("agreement", "false_pass", "bias", "pass_rate", "pass_rate_corrected"):
        once, often = getattr(found, name), getattr(again, name)
        assert often.value == pytest.approx(once.value), name
        # As wide as from one output of each, or a little wider: the mean takes one case.
        assert 0.99 < (often.high - often.low) / (once.high - once.low) < 1.15, name


def test_where_people_saw_everything_their_pass_rate_needs_no_estimate() -> None:
    found = calibrate(of_table(20, 5, 10, 15))

    assert found.pass_rate.value == 0.5
    assert found.pass_rate_corrected.value == pytest.approx(0.6)
    # As if of 52: half an output more in each cell. 1.96 · sqrt(0.6 · 0.4 / 52) = 0.133.
    assert found.pass_rate_corrected.high - 0.6 == pytest.approx(0.133, abs=0.002)


def test_a_judge_no_better_than_chance_corrects_nothing() -> None:
    assert calibrate(of_table(5, 5, 5, 5)).pass_rate_corrected == Figure()
    assert calibrate(of_table(20, 0, 0, 0)).pass_rate_corrected == Figure()


def test_nothing_to_divide_by_is_unknown() -> None:
    found = calibrate(rated((5, 5), (4, 4)))

    assert (found.false_pass, found.kappa) == (Figure(), Figure())
