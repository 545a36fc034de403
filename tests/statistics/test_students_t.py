from __future__ import annotations

import pytest

from steelyard._engine.formulas.students_t import t_quantile, t_two_sided


@pytest.mark.parametrize(
    ("df", "wanted"),
    # The 97.5 % column of every printed table of t.
    [(1, 12.706205), (2, 4.302653), (4, 2.776445), (9, 2.262157), (29, 2.045230), (99, 1.984217), (1e9, 1.959964)],
)
def test_the_quantile_is_the_one_of_the_tables(df: float, wanted: float) -> None:
    assert t_quantile(0.95, df) == pytest.approx(wanted, abs=1e-6)


def test_other_confidences_have_their_own_quantile() -> None:
    assert t_quantile(0.99, 4) == pytest.approx(4.604095, abs=1e-6)
    assert t_quantile(0.90, 10) == pytest.approx(1.812461, abs=1e-6)
    assert t_quantile(0.999, 1) == pytest.approx(636.619249, abs=1e-6)


def test_with_one_degree_of_freedom_it_is_cauchys_distribution() -> None:
    # P(|T| > 1) of Cauchy's distribution is 1/2.
    assert t_two_sided(1.0, 1) == pytest.approx(0.5)


def test_the_probability_of_an_extreme_value_is_that_of_the_paired_example() -> None:
    # Ten pairs with mean 0.3 and standard error 0.1527525: t = 1.963961, p = 0.0811262.
    assert t_two_sided(1.963961, 9) == pytest.approx(0.0811262, abs=1e-7)
    assert t_two_sided(-1.963961, 9) == t_two_sided(1.963961, 9)


def test_the_centre_is_certain_and_infinity_impossible() -> None:
    assert t_two_sided(0.0, 5) == 1.0
    assert t_two_sided(float("inf"), 5) == 0.0
