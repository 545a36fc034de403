from __future__ import annotations

import pytest
from steelyard_builtins.reporters.figures import duration, interval, milliseconds, money, percent


@pytest.mark.parametrize(
    ("score", "digits", "shown"),
    [
        (4300 / 49, 1, "87.8%"),
        (60.0, 0, "60%"),
        (66.666, 0, "67%"),
        (100.0, 1, "100.0%"),
        (0.0, 1, "0.0%"),
        (None, 1, "-"),
    ],
)
def test_scores_are_rounded(score: float | None, digits: int, shown: str) -> None:
    assert percent(score, digits) == shown


@pytest.mark.parametrize(
    ("score", "digits", "shown"),
    [
        (99.995, 1, "99.9%"),  # 19,999 of 20,000 is not all
        (0.005, 1, "0.1%"),  # 1 of 20,000 is not none
        (69.96, 1, "69.9%"),  # still below the limit it is warned about
        (69.6, 0, "69.6%"),
        (99.7, 0, "99.7%"),
        (0.2, 0, "0.2%"),
    ],
)
def test_rounding_never_crosses_a_limit_that_means_something(score: float, digits: int, shown: str) -> None:
    assert percent(score, digits) == shown


@pytest.mark.parametrize(
    ("usd", "digits", "shown"),
    [
        (0.000784, 6, "$0.000784"),
        (0.000784, 4, "$0.0008"),
        (0.0, 4, "$0.0000"),
        (0.00002, 4, "$0.000020"),
        (1e-9, 6, "<$0.000001"),
        (12.5, 6, "$12.500000"),
        (None, 6, "-"),
    ],
)
def test_money_is_never_rounded_to_nothing_and_unknown_is_no_zero(usd: float | None, digits: int, shown: str) -> None:
    assert money(usd, digits) == shown


def test_times_have_units() -> None:
    assert [milliseconds(value) for value in (512.4, 999.7, 1830.0, None)] == ["512 ms", "1.0 s", "1.8 s", "-"]
    assert [duration(value) for value in (0.2, 15, 125, 3840)] == ["0 s", "15 s", "2 min 5 s", "1 h 4 min"]


def test_an_interval_needs_both_ends() -> None:
    assert (interval(75.83, 94.28), interval(None, 94.0)) == ("75.8–94.3%", "-")
