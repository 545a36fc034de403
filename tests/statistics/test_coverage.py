"""How often the intervals hold the truth, where it is known because it was made up.

Rates are gone through exactly: every outcome with its probability. What has too many outcomes is drawn, from seeds
that stand here. An interval at 95 % has to hold the truth in 93 to 97 of 100, as far as so few draws can tell.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from statistics import fmean

import pytest

from steelyard._engine.attempts import AttemptTally
from steelyard._engine.evidence import Differences, Evidence
from steelyard._engine.formulas.clusters import grouped, mean_estimate
from steelyard._engine.formulas.correlation import pearson
from steelyard._engine.formulas.kappa import kappa
from steelyard._engine.formulas.label_means import LabelMeans
from steelyard._engine.formulas.rogan_gladen import Judged
from steelyard._engine.paired import paired_interval
from steelyard._engine.rates import RateTally
from steelyard._engine.statistics import wilson
from steelyard.api import CaseRun, Status

RATES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def chance_of(count: int, of: int, rate: float) -> float:
    """Return the probability of so many passes."""
    ways = math.lgamma(of + 1) - math.lgamma(count + 1) - math.lgamma(of - count + 1)
    return math.exp(ways + count * math.log(rate) + (of - count) * math.log1p(-rate))


def coverage_of_wilson(size: int, rate: float) -> float:
    bounds = [wilson(count, size) for count in range(size + 1)]
    held = (count for count, (low, high) in enumerate(bounds) if low <= rate <= high)
    return math.fsum(chance_of(count, size, rate) for count in held)


def left_open(trials: int) -> float:
    """Return two standard errors of a coverage that is seen in so many trials."""
    return 2 * math.sqrt(0.95 * 0.05 / trials)


def drawn(seed: int, trials: int, holds: Callable[[random.Random], bool]) -> float:
    chance = random.Random(seed)
    return sum(holds(chance) for _ in range(trials)) / trials


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", [20, 50, 100])
def test_the_interval_of_a_rate_holds_it_as_often_as_it_says(size: int, rate: float) -> None:
    # On average over the rates nearby: counts are whole, so at single rates the coverage jumps about its mean.
    nearby = [rate + step * 0.005 for step in range(-5, 6)]

    assert 0.93 <= fmean(coverage_of_wilson(size, one) for one in nearby) <= 0.97


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", [50, 200, 500, 1000])
def test_from_fifty_cases_on_it_does_so_at_every_single_rate(size: int, rate: float) -> None:
    assert 0.93 <= coverage_of_wilson(size, rate) <= 0.971


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("clusters", "size", "trials"), [(20, 5, 500), (60, 4, 300)])
def test_cases_that_belong_together_are_allowed_for(clusters: int, size: int, trials: int, rate: float) -> None:
    likeness = 0.3  # the correlation of two cases of a cluster
    a, b = (share * (1 - likeness) / likeness for share in (rate, 1 - rate))

    def holds(chance: random.Random) -> bool:
        tally = RateTally()
        for name in range(clusters):
            of_cluster = chance.betavariate(a, b)
            for _ in range(size):
                tally.add(int(chance.random() < of_cluster), cluster=str(name))
        found = tally.rate()
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        return found.low <= rate <= found.high

    covered = drawn(20260101 + clusters, trials, holds)
    assert 0.93 - left_open(trials) <= covered <= 0.97 + left_open(trials)


def test_taken_for_unrelated_the_same_cases_would_promise_too_much() -> None:
    """Show that the test above can fail: Wilson over all cases, as if they were strangers."""

    def holds(chance: random.Random) -> bool:
        clusters = [chance.betavariate(0.7, 0.7) for _ in range(20)]
        low, high = wilson(sum(chance.random() < one for one in clusters for _ in range(5)), 100)
        return low <= 0.5 <= high

    assert drawn(20260102, 400, holds) < 0.85


def gained(chance: random.Random, size: int, repeat: int, before: tuple[int, int], after: tuple[int, int]) -> Evidence:
    """Return what two runs show whose cases have rates of these beta distributions."""
    found = Differences()
    for _ in range(size):
        rates = chance.betavariate(*before), chance.betavariate(*after)
        shares = [sum(chance.random() < rate for _ in range(repeat)) / repeat for rate in rates]
        found.add(*shares, repeated=True)
    return found.evidence()


@pytest.mark.parametrize(("size", "trials"), [(20, 120), (60, 300), (300, 150)])
@pytest.mark.parametrize(("before", "after"), [((2, 1), (2, 1)), ((2, 2), (3, 1)), ((9, 1), (8, 1))])
def test_the_interval_of_a_gain_with_repeats_holds_it(
    size: int, trials: int, before: tuple[int, int], after: tuple[int, int]
) -> None:
    truth = after[0] / sum(after) - before[0] / sum(before)

    def holds(chance: random.Random) -> bool:
        found = gained(chance, size, 3, before, after)
        assert found.low is not None
        assert found.high is not None
        return found.low <= truth <= found.high

    covered = drawn(20260103 + size, trials, holds)
    assert 0.93 - left_open(trials) <= covered <= 0.97 + left_open(trials)


@pytest.mark.parametrize("size", [20, 100, 1000])
@pytest.mark.parametrize(("before", "after", "both"), [(0.5, 0.5, 0.35), (0.8, 0.9, 0.75), (0.95, 0.95, 0.92)])
def test_the_interval_of_a_paired_difference_of_rates_never_promises_too_much(
    size: int, before: float, after: float, both: float
) -> None:
    # Newcombe's method claims no more than that: near 0 and 1 it is on the safe side.
    shares = [both, before - both, after - both, 1 - before - after + both]

    def holds(chance: random.Random) -> bool:
        cells = chance.choices(range(4), shares, k=size)
        low, high = paired_interval(*(cells.count(cell) for cell in range(4)))
        return low - 1e-12 <= after - before <= high + 1e-12

    trials = 20_000 // size + 200
    assert drawn(20260104, trials, holds) >= 0.93 - left_open(trials)


@pytest.mark.parametrize("size", [20, 200])
def test_the_interval_of_a_judges_bias_holds_it(size: int) -> None:
    # Differences of whole scores: -1, 0, 1 and 2 with these chances; 0.45 on average.
    scores, chances = (-1, 0, 1, 2), (0.1, 0.5, 0.25, 0.15)

    def holds(chance: random.Random) -> bool:
        found = mean_estimate(grouped(enumerate(map(float, chance.choices(scores, chances, k=size)))))
        assert found is not None
        return found.low <= 0.45 <= found.high

    assert 0.93 - left_open(400) <= drawn(20260105, 400, holds) <= 0.97 + left_open(400)


def test_the_interval_of_a_correlation_holds_it() -> None:
    def holds(chance: random.Random) -> bool:
        first = [chance.gauss(0, 1) for _ in range(40)]
        second = [0.7 * one + math.sqrt(1 - 0.49) * chance.gauss(0, 1) for one in first]
        found = pearson(first, second)
        assert found.low is not None
        assert found.high is not None
        return found.low <= 0.7 <= found.high

    assert 0.93 - left_open(800) <= drawn(20260106, 800, holds) <= 0.97 + left_open(800)


def test_the_interval_of_kappa_holds_it() -> None:
    # Shares of [[0.4, 0.1], [0.2, 0.3]]: agreement 0.7, by chance 0.5, so kappa 0.4.
    def holds(chance: random.Random) -> bool:
        cells = chance.choices(range(4), (0.4, 0.1, 0.2, 0.3), k=100)
        counts = [cells.count(cell) for cell in range(4)]
        found = kappa([counts[:2], counts[2:]])
        assert found.low is not None
        assert found.high is not None
        return found.low <= 0.4 <= found.high

    assert 0.93 - left_open(800) <= drawn(20260107, 800, holds) <= 0.97 + left_open(800)


@pytest.mark.parametrize("size", [50, 300])
def test_the_interval_of_a_mean_f1_holds_it(size: int) -> None:
    # Shares of [[0.3, 0.1], [0.2, 0.4]]: F1 of 0.6 / 0.9 and 0.8 / 1.1.
    truth = (0.6 / 0.9 + 0.8 / 1.1) / 2

    def holds(chance: random.Random) -> bool:
        cells = chance.choices(range(4), (0.3, 0.1, 0.2, 0.4), k=size)
        counts = [cells.count(cell) for cell in range(4)]
        found = LabelMeans([counts[:2], counts[2:]], (0, 0), size=size).macro_f1
        assert found.low is not None
        assert found.high is not None
        return found.low <= truth <= found.high

    assert 0.93 - left_open(800) <= drawn(20260108, 800, holds) <= 0.97 + left_open(800)


@pytest.mark.parametrize("size", [20, 100, 1000])
@pytest.mark.parametrize("rate", [0.05, 0.3, 0.95])
def test_a_run_and_its_rerun_are_called_different_in_at_most_one_of_twenty(size: int, rate: float) -> None:
    def differ(chance: random.Random) -> bool:
        found = Differences()
        for _ in range(size):
            found.add(float(chance.random() < rate), float(chance.random() < rate))
        evidence = found.evidence()
        return evidence.shows(evidence.p_value)

    trials = 40_000 // size + 200
    assert drawn(20260109 + size, trials, differ) <= 0.05 + left_open(trials)


@pytest.mark.parametrize("clusters", [6, 12, 40])
def test_nor_are_they_where_cases_belong_together(clusters: int) -> None:
    def differ(chance: random.Random) -> bool:
        found = Differences()
        for name in range(clusters):
            # The whole cluster does better or worse together, run by run.
            before, after = chance.betavariate(2, 1), chance.betavariate(2, 1)
            for _ in range(5):
                found.add(float(chance.random() < before), float(chance.random() < after), cluster=str(name))
        evidence = found.evidence()
        return evidence.shows(evidence.p_value)

    assert drawn(20260110 + clusters, 300, differ) <= 0.05 + left_open(300)


def test_the_interval_of_a_gain_in_scores_holds_it() -> None:
    # A judge gives 1 to 5, from 0 to 1 in quarters; the second run gains a quarter in 30 of 100 and loses one in 10.
    def holds(chance: random.Random) -> bool:
        found = Differences(graded=True)
        for _ in range(60):  # more than a bootstrap looks at, which takes its time and no part in the interval
            before = chance.choice((0.25, 0.5, 0.75))
            found.add(before, before + chance.choices((0.25, 0.0, -0.25), (0.3, 0.6, 0.1))[0])
        evidence = found.evidence()
        assert evidence.low is not None
        assert evidence.high is not None
        return evidence.low <= 0.05 <= evidence.high

    assert 0.93 - left_open(400) <= drawn(20260111, 400, holds) <= 0.97 + left_open(400)


@pytest.mark.parametrize("labelled", [60, 300])
def test_the_interval_of_a_corrected_pass_rate_never_promises_too_much(labelled: int) -> None:
    # 300 outputs, 70 % of them good; the judge passes 90 % of those and 20 % of the others. With few labels the
    # interval is on the safe side.
    def holds(chance: random.Random) -> bool:
        good = [chance.random() < 0.7 for _ in range(300)]
        passed = [chance.random() < (0.9 if one else 0.2) for one in good]
        cells = [*zip(passed, good, strict=True)][:labelled]
        rest = passed[labelled:]
        found = Judged(
            both_pass=cells.count((True, True)),
            false_pass=cells.count((True, False)),
            false_fail=cells.count((False, True)),
            both_fail=cells.count((False, False)),
            other_pass=sum(rest),
            other_fail=len(rest) - sum(rest),
        ).true_share()
        assert found.low is not None
        assert found.high is not None
        return found.low <= 0.7 <= found.high

    assert drawn(20260112, 500, holds) >= 0.93 - left_open(500)


def test_the_intervals_of_several_runs_hold_what_endless_runs_would_give() -> None:
    # Rates of Beta(2, 1): of two runs some pass in 1 - E(1 - p)² = 5/6, all in E p² = 1/2; estimated from four.
    runs = {passed: CaseRun(repeat=0, status=Status.SCORED, passed=passed, score=float(passed)) for passed in (0, 1)}
    held = [0, 0]
    chance, trials = random.Random(20260113), 400
    for _ in range(trials):
        tally = AttemptTally()
        for _ in range(60):
            rate = chance.betavariate(2, 1)
            tally.add([runs[chance.random() < rate] for _ in range(4)])
        two = tally.result()[0]
        assert None not in (two.some_low, two.some_high, two.every_low, two.every_high)
        held[0] += two.some_low <= 5 / 6 <= two.some_high  # type: ignore[operator]
        held[1] += two.every_low <= 1 / 2 <= two.every_high  # type: ignore[operator]

    # On the safe side where values between 0 and 1 scatter less than passes and failures.
    assert all(0.93 - left_open(trials) <= one / trials for one in held), held
