from __future__ import annotations

import random

import pytest

from steelyard._engine.evidence import Differences


def differences(pairs: list[tuple[float, float]], *, clusters: str = "", repeated: bool = False) -> Differences:
    found = Differences()
    for number, (before, after) in enumerate(pairs):
        found.add(before, after, cluster=clusters[number] if clusters else None, repeated=repeated)
    return found


def table(both: int, lost: int, won: int, neither: int) -> list[tuple[float, float]]:
    return [(1, 1)] * both + [(1, 0)] * lost + [(0, 1)] * won + [(0, 0)] * neither


def test_one_run_of_each_case_is_tested_exactly() -> None:
    # 5 against 15 discordant pairs: exact p 0.04138947 (statsmodels' tests, after R).
    found = differences(table(10, 5, 15, 10)).evidence()

    assert (found.method, found.cases, found.units) == ("exact McNemar", 40, 40)
    assert found.p_value == pytest.approx(0.04138947, abs=1e-8)
    assert found.effect == 0.25
    # 20 of 40 gained or lost, 0.25 on average: (20 - 40 · 0.0625) / 39.
    assert found.variance == pytest.approx(17.5 / 39)
    assert found.shows(found.p_value)
    assert not found.shows(found.p_value, confidence=0.99)


def test_repeats_are_compared_by_the_share_that_passed() -> None:
    # The paired example: mean 0.3, standard error 0.1527525, p = 0.0811262 with 9 degrees of freedom.
    before, after = [1, 0, 0, 1, 0, 0, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]

    found = differences([*zip(before, after, strict=True)], repeated=True).evidence()

    assert (found.cases, found.units, found.effect) == (10, 10, pytest.approx(0.3))
    assert found.p_value == pytest.approx(0.0811262, abs=1e-7)
    assert (found.low, found.high) == pytest.approx((-0.0455502, 0.6455502), abs=1e-6)
    assert found.bootstrap is not None


def test_cases_that_copy_each_other_are_no_more_evidence_than_one() -> None:
    pairs = [(0.0, 1.0)] * 30 + [(1.0, 0.0)] * 10

    alone = differences(pairs).evidence()
    copied = differences(pairs, clusters="a" * 10 + "b" * 10 + "c" * 10 + "d" * 10).evidence()

    assert alone.effect == copied.effect == 0.5
    assert alone.shows(alone.p_value)
    # Four clusters that gained 1, 1, 1 and -1: error 0.5, t = 1 with 3 degrees of freedom, p = 0.391002.
    assert (copied.units, copied.p_value) == (4, pytest.approx(0.391002, abs=1e-6))
    assert not copied.shows(copied.p_value)


def test_one_cluster_shows_nothing() -> None:
    found = differences([(0.0, 1.0)] * 30, clusters="a" * 30).evidence()

    assert (found.low, found.high, found.p_value) == (None, None, None)
    assert not found.shows(found.p_value)


def test_two_cases_that_gained_alike_are_no_proof() -> None:
    found = differences([(0.5, 1.0)] * 2, repeated=True).evidence()

    # Without spread a t interval would be a point. The sign test of two says 1/2.
    assert found.p_value == 0.5
    assert found.low is not None
    assert found.low < 0


def test_many_cases_that_gained_alike_are() -> None:
    found = differences([(0.5, 1.0)] * 40, repeated=True).evidence()

    assert found.p_value == pytest.approx(2 / 2**40)
    assert found.low is not None
    # Wilson's bound of 0 in 40 is z² / (40 + z²) = 0.087622.
    assert found.low == pytest.approx(0.5 - 0.087622, abs=1e-6)


def test_where_nothing_changed_nothing_is_shown_but_not_for_certain() -> None:
    found = differences([(0.5, 0.5)] * 40, repeated=True).evidence()

    assert (found.effect, found.p_value) == (0.0, 1.0)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high


def test_a_bootstrap_that_disagrees_keeps_a_difference_from_being_called_one() -> None:
    # One of eight cases lost all its runs: t = 2.5 with 7 degrees of freedom just passes, the skewness does not.
    gains = [3, -3, 2, 2, 2, 2, 3, 3]
    found = differences([(max(0, -gain) / 3, max(0, gain) / 3) for gain in gains], repeated=True).evidence()

    assert found.p_value == pytest.approx(0.0411562, abs=1e-7)
    assert found.bootstrap is not None
    assert found.bootstrap[0] < 0
    assert not found.shows(found.p_value)


def test_nothing_in_common_is_no_evidence() -> None:
    found = Differences().evidence()

    assert (found.cases, found.p_value, found.method) == (0, None, "none")


@pytest.mark.parametrize("repeat", [1, 3])
def test_a_run_compared_with_its_own_rerun_is_called_different_in_at_most_one_of_twenty(repeat: int) -> None:
    chance = random.Random(20260101)
    trials, called = 600, 0
    for _ in range(trials):
        rates = [chance.betavariate(2, 1) for _ in range(40)]
        pairs = [(_share(chance, rate, repeat), _share(chance, rate, repeat)) for rate in rates]
        found = differences(pairs, repeated=repeat > 1).evidence()
        called += found.shows(found.p_value)

    # Two standard errors of 5 % in 600 trials are 1.8 points.
    assert called / trials <= 0.05 + 0.018


def _share(chance: random.Random, rate: float, repeat: int) -> float:
    return sum(chance.random() < rate for _ in range(repeat)) / repeat
