from __future__ import annotations

import pytest

from steelyard._engine.formulas.bradley_terry import expected_share, strengths

# Agresti, Categorical Data Analysis (2nd ed.), table 10.10: the American League of 1987, wins of each team over each.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]


def test_the_strengths_are_those_of_the_published_example() -> None:
    found = strengths(WINS)

    # Against Baltimore, as fitted by the R package BradleyTerry2.
    wanted = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)
    assert [one - found[-1] for one in found] == pytest.approx(wanted, abs=5e-5)
    assert sum(found) == pytest.approx(0.0, abs=1e-9)


def test_two_contestants_win_as_often_as_they_did() -> None:
    assert expected_share(strengths([[0, 3], [1, 0]]), 0) == pytest.approx(0.75)


def test_the_order_of_contestants_makes_no_difference() -> None:
    turned = [[WINS[i][j] for j in reversed(range(7))] for i in reversed(range(7))]

    assert strengths(turned) == pytest.approx([*reversed(strengths(WINS))])


def test_one_that_never_lost_is_strong_but_not_infinitely_so() -> None:
    # Half a win both ways: 3.5 to 0.5, so 7 to 1.
    assert expected_share(strengths([[0, 3], [0, 0]], prior=0.5), 0) == pytest.approx(7 / 8)


def test_ties_throughout_leave_all_equal() -> None:
    assert strengths([[0, 2, 2], [2, 0, 2], [2, 2, 0]]) == pytest.approx([0.0, 0.0, 0.0])


def test_those_that_never_met_are_left_as_they_are() -> None:
    found = strengths([[0, 3, 0], [1, 0, 0], [0, 0, 0]])

    assert found[0] > found[2] > found[1]
