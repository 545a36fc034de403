from __future__ import annotations

import pytest

from steelyard._engine.formulas.correlation import pearson, ranks, spearman
from steelyard._engine.formulas.figure import Figure

# Anscombe, The American Statistician 27 (1973) 17-21, the first of four.
X = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
Y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]


def test_pearsons_coefficient_and_fishers_interval_are_those_of_anscombes_data() -> None:
    found = pearson(X, Y)

    assert found.value == pytest.approx(0.81642051634484)
    # R: cor.test(anscombe$x1, anscombe$y1).
    assert (found.low, found.high) == pytest.approx((0.4243912, 0.9506933), abs=1e-7)


def test_spearmans_coefficient_is_that_of_the_textbook_example() -> None:
    # IQ and hours of television of ten people: 1 - 6 · 194 / (10 · 99) = -29/165.
    iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]

    found = spearman(iq, hours)

    assert found.value == pytest.approx(-29 / 165)
    # tanh(atanh(-0.175758) ± 1.959964 · sqrt((1 + 0.030891 / 2) / 7))
    assert (found.low, found.high) == pytest.approx((-0.727830, 0.514547), abs=1e-6)


def test_equal_values_share_their_mean_rank() -> None:
    assert ranks([3, 1, 3, 2]) == [3.5, 1.0, 3.5, 2.0]


def test_any_rising_curve_has_the_ranks_of_a_line() -> None:
    assert spearman([1, 2, 3, 4], [1, 10, 100, 1000]).value == 1.0
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]).value == -1.0


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_a_series_that_never_varies_goes_together_with_nothing(measure) -> None:
    assert measure([5, 5, 5, 5, 5], [1, 2, 3, 4, 5]) == Figure()
    assert measure([1.0], [2.0]) == Figure()


def test_too_few_pairs_and_full_agreement_have_no_interval() -> None:
    assert pearson([1, 2, 3], [1, 3, 2]).low is None
    assert pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]) == Figure(1.0)
