from __future__ import annotations

from statistics import fmean, median

import pytest

from steelyard._engine.formulas.bootstrap import bca_interval, percentile_interval

SKEWED = [0.3, 0.1, 0.9, 0.4, 0.05, 0.7, 0.2, 0.15, 0.6, 0.35, 0.02, 1.2]


def test_the_corrected_interval_is_that_of_scipy() -> None:
    # scipy.stats.bootstrap, 200,000 resamples: BCa 0.24917 to 0.65833, percentile 0.22833 to 0.62500.
    assert bca_interval(SKEWED, fmean, seed=1, resamples=20_000) == pytest.approx((0.24917, 0.65833), abs=0.008)
    assert percentile_interval(SKEWED, fmean, seed=1, resamples=20_000) == pytest.approx((0.22833, 0.625), abs=0.008)


def test_the_error_of_a_rate_is_that_of_its_formula() -> None:
    # 87 of 100: the standard error is sqrt(p (1 - p) / n) = 0.0336303, so the interval is about 4 · 0.98 of that wide.
    low, high = percentile_interval([1.0] * 87 + [0.0] * 13, fmean, seed=3)

    assert (high - low) / (2 * 1.959964) == pytest.approx(0.0336303, rel=0.08)


def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    assert bca_interval(SKEWED, median, seed=5) == bca_interval(SKEWED, median, seed=5)
    assert bca_interval(SKEWED, fmean, seed=5) != bca_interval(SKEWED, fmean, seed=6)


def test_values_that_are_all_alike_have_a_point() -> None:
    assert bca_interval([0.5] * 8, fmean, seed=1) == (0.5, 0.5)
