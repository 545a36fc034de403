from __future__ import annotations

import math

import pytest

from steelyard._engine.formulas.clusters import (
    clustered_rate_interval,
    clustered_variance,
    effective_size,
    grouped,
    mean_estimate,
)

SCORES = [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]
CLUSTERS = "aaaabbbbcc"


def test_the_clustered_error_is_that_of_the_worked_example() -> None:
    groups = grouped(zip(CLUSTERS, SCORES, strict=True))

    plain, corrected = clustered_variance(groups, corrected=False), clustered_variance(groups)

    assert plain is not None
    assert corrected is not None
    assert math.sqrt(plain) == pytest.approx(0.1720465053)
    assert math.sqrt(corrected) == pytest.approx(0.2107130751)


def test_with_one_value_in_each_cluster_it_is_the_usual_error() -> None:
    variance = clustered_variance(grouped(enumerate(SCORES)))

    assert variance is not None
    assert math.sqrt(variance) == pytest.approx(0.1632993162)


def test_one_cluster_says_nothing_about_others() -> None:
    groups = grouped(("all", score) for score in SCORES)

    assert clustered_variance(groups) is None
    assert effective_size(groups) is None
    assert mean_estimate(groups) is None
    assert clustered_rate_interval(0.6, 10, 1) is None


def test_a_paired_difference_has_the_paired_error_and_t() -> None:
    # Miller 2024, section 4: mean 0.3, standard error 0.1527525, t = 1.963961 with 9 degrees of freedom, p = 0.0811262.
    before = [1, 0, 0, 1, 0, 0, 1, 0, 1, 0]
    after = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]

    found = mean_estimate(grouped(enumerate(b - a for a, b in zip(before, after, strict=True))))

    assert found is not None
    assert (found.mean, found.count) == (pytest.approx(0.3), 10)
    assert found.error == pytest.approx(0.1527525, abs=1e-7)
    assert found.p_value == pytest.approx(0.0811262, abs=1e-7)
    assert (found.low, found.high) == pytest.approx((0.3 - 2.262157 * 0.1527525, 0.3 + 2.262157 * 0.1527525), abs=1e-6)


def test_cases_that_are_copies_of_each_other_count_as_one() -> None:
    # Ten texts with five questions each, all of which pass or fail together: ten cases, less one for the mean.
    groups = grouped((text, float(text < 6)) for text in range(10) for _ in range(5))

    assert effective_size(groups) == pytest.approx(9)


def test_clusters_that_resemble_nothing_take_nothing_away() -> None:
    # Every cluster passes half: the clusters do not differ at all, and no more than all cases can count.
    groups = grouped((text, float(case % 2)) for text in range(10) for case in range(4))

    assert effective_size(groups) == 40


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_where_all_are_alike_every_case_counts(outcome: float) -> None:
    assert effective_size(grouped((text, outcome) for text in range(10) for _ in range(4))) == 40
