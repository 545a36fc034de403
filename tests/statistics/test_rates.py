from __future__ import annotations

import pytest

from steelyard._engine.rates import RateTally


def tally(*cases: tuple[int, int, str | None]) -> RateTally:
    found = RateTally()
    for case in cases:
        found.add(*case)
    return found


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    # The first four rows of Newcombe 1998, Table I, method 3, and the corners.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (10, 10, 0.7225, 1.0),
        (87, 100, 0.7902, 0.9224),
    ],
)
def test_cases_that_stand_for_themselves_have_wilsons_interval(
    passed: int, total: int, low: float, high: float
) -> None:
    rate = tally(*[(int(number < passed), 1, None) for number in range(total)]).rate()

    assert rate is not None
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=5e-5)
    assert (rate.per_cent, rate.units, rate.size) == (100 * passed / total, total, total)


def test_nothing_has_no_rate() -> None:
    assert RateTally().rate() is None


def test_clusters_have_the_effective_size_of_their_variance() -> None:
    # The worked example: rate 0.6, standard error 0.2107130751: 0.24 / 0.0444 = 5.405405 cases, t with 2 degrees.
    scores, clusters = [1, 1, 1, 0, 0, 0, 0, 1, 1, 1], "aaaabbbbcc"

    found = tally(*[(score, 1, cluster) for score, cluster in zip(scores, clusters, strict=True)])

    rate = found.rate()
    assert rate is not None
    assert (rate.units, rate.size) == (3, pytest.approx(5.405405))
    # (p + a/2 ± sqrt(a p (1 - p) + a²/4)) / (1 + a) with a = 4.302653² / 5.405405 = 3.424854
    assert (rate.low, rate.high) == pytest.approx((0.084705, 0.960494), abs=1e-5)


def test_clusters_of_one_case_each_are_no_clusters() -> None:
    alone, named = tally((1, 1, None), (0, 1, None)), tally((1, 1, "a"), (0, 1, "b"))

    assert not named.clustered
    assert named.rate() == alone.rate()


def test_runs_of_a_case_are_no_further_cases() -> None:
    # Every case goes one way in all its ten runs: as much is known as from one run of each, less one for the mean.
    repeated = tally(*[(10 * (number < 60), 10, None) for number in range(100)]).rate()
    once = tally(*[(int(number < 60), 1, None) for number in range(100)]).rate()

    assert repeated is not None
    assert once is not None
    assert repeated.per_cent == once.per_cent == 60
    assert repeated.size == pytest.approx(99)
    assert None not in (repeated.low, repeated.high, once.low, once.high)
    assert repeated.low < once.low < once.high < repeated.high  # type: ignore[operator]


def test_one_cluster_has_a_rate_without_an_interval() -> None:
    rate = tally((1, 1, "a"), (0, 1, "a"), (1, 1, "a")).rate()

    assert rate is not None
    assert (rate.low, rate.high, rate.size, rate.units) == (None, None, None, 1)


def test_the_order_leaves_no_trace() -> None:
    cases = [(number % 4, 3, None if number % 3 else f"t{number % 7}") for number in range(60)]

    assert tally(*cases).rate() == tally(*reversed(cases)).rate()
