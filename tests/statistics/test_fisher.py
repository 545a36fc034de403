from __future__ import annotations

import pytest

from steelyard._engine.formulas.fisher import fisher_exact, rate_difference


def test_the_lady_tasting_tea_is_as_fisher_has_it() -> None:
    # Three of four guessed right each way: 34/70.
    assert fisher_exact(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert fisher_exact(4, 4, 0, 4) == pytest.approx(2 / 70)


def test_other_tables_are_as_scipy_has_them() -> None:
    assert fisher_exact(8, 10, 1, 10) == pytest.approx(0.0054774946, abs=1e-9)
    assert fisher_exact(5, 10, 50, 100) == 1.0


def test_which_group_comes_first_makes_no_difference() -> None:
    assert fisher_exact(8, 10, 1, 30) == pytest.approx(fisher_exact(1, 30, 8, 10))


def test_large_groups_do_not_overflow() -> None:
    assert 0 < fisher_exact(5200, 10_000, 5000, 10_000) < 0.01


@pytest.mark.parametrize(
    ("table", "low", "high"),
    # Newcombe 1998, Table II, method 10.
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
    ],
)
def test_the_interval_of_a_difference_is_the_published_one(table, low: float, high: float) -> None:
    assert rate_difference(*table) == pytest.approx((low, high), abs=5e-5)
