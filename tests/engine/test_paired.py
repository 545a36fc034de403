from __future__ import annotations

import pytest

from steelyard._engine.paired import mcnemar_exact, paired_interval

# Exact two-sided values of R's and statsmodels' test tables; 150/86 is Agresti, Categorical Data Analysis, 10.1.
MCNEMAR = [
    (121, 59, 4.434449e-06),
    (70, 59, 0.3786877),
    (80, 59, 0.08945231),
    (30, 60, 0.002060266),
    (10, 30, 0.002221434),
    (10, 10, 1.0),
    (150, 86, 3.715936e-05),
    (5, 15, 0.04138947),
]


@pytest.mark.parametrize(("lost", "won", "wanted"), MCNEMAR)
def test_the_exact_mcnemar_test_gives_the_published_values(lost: int, won: int, wanted: float) -> None:
    assert mcnemar_exact(lost, won) == pytest.approx(wanted, rel=1e-6)


def test_no_discordant_pair_is_no_evidence() -> None:
    assert mcnemar_exact(0, 0) == 1.0


def test_thousands_of_discordant_pairs_do_not_overflow() -> None:
    assert mcnemar_exact(5000, 5000) == 1.0
    assert 0.0 <= mcnemar_exact(9000, 1000) < 1e-300


def test_the_interval_of_a_paired_difference_is_newcombes_method_10() -> None:
    # By hand, a=1 b=0 c=12 d=1 (n=14): rates 1/14 and 13/14, difference 12/14. Wilson of 1/14: 0.012715, 0.314691;
    # of 13/14: 0.685309, 0.987285. a*d - b*c = 1 is less than n/2, so phi is 0 and both half-widths are
    # sqrt(0.243262^2 + 0.243262^2) = 0.344025 below and sqrt(0.058714^2 + 0.058714^2) = 0.083034 above.
    low, high = paired_interval(1, 0, 12, 1)
    assert low == pytest.approx(12 / 14 - 0.344025, abs=2e-4)
    assert high == pytest.approx(12 / 14 + 0.083034, abs=2e-4)


def test_swapping_the_runs_mirrors_the_interval() -> None:
    low, high = paired_interval(40, 9, 3, 8)
    mirrored_low, mirrored_high = paired_interval(40, 3, 9, 8)
    assert (mirrored_low, mirrored_high) == pytest.approx((-high, -low))


def test_for_many_pairs_it_is_the_interval_of_the_published_example() -> None:
    # Agresti, Categorical Data Analysis (2nd ed.), 10.1: approval of 1600 people asked twice, 794 and 570 the same both
    # times, 150 and 86 not: -0.04 ± 1.96 · 0.0095.
    low, high = paired_interval(794, 150, 86, 570)

    assert (low, high) == pytest.approx((-0.0587, -0.0213), abs=4e-4)
