from __future__ import annotations

import pytest

from steelyard._engine.formulas.figure import Figure
from steelyard._engine.formulas.kappa import kappa, kappa_error, linear, quadratic

FLEISS = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
"""Fleiss, Statistical Methods for Rates and Proportions (1981), section 13.1."""


@pytest.mark.parametrize(
    ("table", "value", "error"),
    [
        ([[20, 5], [10, 15]], 0.40, 0.126996),
        (FLEISS, 0.676471, 0.087703),
    ],
)
def test_kappa_and_its_error_are_the_published_ones(table, value: float, error: float) -> None:
    found = kappa(table)

    assert found.value == pytest.approx(value, abs=5e-7)
    assert kappa_error(table) == pytest.approx(error, abs=5e-7)
    assert (found.low, found.high) == pytest.approx((value - 1.959964 * error, value + 1.959964 * error), abs=2e-6)


def test_the_same_agreement_means_less_where_chance_gives_more() -> None:
    # Both 60 % raw agreement.
    assert kappa([[45, 15], [25, 15]]).value == pytest.approx(0.130435, abs=5e-7)
    assert kappa([[25, 35], [5, 35]]).value == pytest.approx(0.259259, abs=5e-7)


def test_near_misses_count_in_part() -> None:
    assert kappa(FLEISS, linear(3)).value == pytest.approx(0.722222, abs=5e-7)
    assert kappa(FLEISS, quadratic(3)).value == pytest.approx(0.755319, abs=5e-7)
    # statsmodels.stats.inter_rater.cohens_kappa, wt='linear' and 'quadratic'.
    assert kappa_error(FLEISS, linear(3)) == pytest.approx(0.0843010, abs=1e-7)
    assert kappa_error(FLEISS, quadratic(3)) == pytest.approx(0.0867071, abs=1e-7)


def test_of_two_categories_all_weights_are_the_same() -> None:
    table = [[20, 5], [10, 15]]

    assert kappa(table, quadratic(2)).value == pytest.approx(0.4)
    assert kappa(table, linear(2)).value == pytest.approx(0.4)


def test_where_both_always_say_the_same_kappa_is_unknown_rather_than_perfect() -> None:
    assert kappa([[10, 0], [0, 0]]) == Figure()
    assert kappa([[0, 0], [0, 0]]) == Figure()
    assert kappa_error([[10, 0], [0, 0]]) is None


def test_full_agreement_on_few_is_not_certain() -> None:
    found = kappa([[5, 0], [0, 5]])

    # Wilson's bound of 10 of 10 is 0.7225, against 0.5 by chance: 0.4449.
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.4449, abs=1e-4)


def test_who_rates_first_makes_no_difference() -> None:
    turned = [list(column) for column in zip(*FLEISS, strict=True)]

    one, other = kappa(turned, quadratic(3)), kappa(FLEISS, quadratic(3))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
