from __future__ import annotations

import pytest

from steelyard._engine.statistics import percentile, wilson


# Newcombe, Statistics in Medicine 17 (1998) 857-872, Table I, method 3.
@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0000, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_the_published_one(passed: int, total: int, low: float, high: float) -> None:
    assert wilson(passed, total) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize("total", [1, 7, 10, 49, 1000, 123_457])
def test_the_ends_are_exact_when_all_or_none_passed(total: int) -> None:
    assert wilson(0, total)[0] == 0.0
    assert wilson(total, total)[1] == 1.0
    assert wilson(0, total)[1] == pytest.approx(1 - wilson(total, total)[0])


def test_more_confidence_takes_a_wider_interval() -> None:
    assert wilson(40, 50, 0.99)[0] < wilson(40, 50, 0.95)[0] < wilson(40, 50, 0.80)[0]


# Nearest rank, by hand: the smallest value that at least the share does not exceed.
@pytest.mark.parametrize(
    ("values", "share", "wanted"),
    [
        ([15.0, 20.0, 35.0, 40.0, 50.0], 0.30, 20.0),
        ([15.0, 20.0, 35.0, 40.0, 50.0], 0.40, 20.0),
        ([15.0, 20.0, 35.0, 40.0, 50.0], 0.50, 35.0),
        ([15.0, 20.0, 35.0, 40.0, 50.0], 1.00, 50.0),
        ([1.0, 2.0], 0.50, 1.0),
        ([1.0, 2.0], 0.95, 2.0),
        ([7.0], 0.95, 7.0),
        # 0.07 * 100 is 7.000000000000001 in floating point
        ([float(value) for value in range(1, 101)], 0.07, 7.0),
        ([], 0.95, None),
    ],
)
def test_a_percentile_is_a_value_that_was_measured(values: list[float], share: float, wanted: float | None) -> None:
    assert percentile(values, share) == wanted
