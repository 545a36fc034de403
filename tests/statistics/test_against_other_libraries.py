"""The formulas beside those of scipy, statsmodels, scikit-learn and krippendorff, on data drawn from known seeds.

Published examples show that a formula is the one of its source; this shows that it stays so away from them.
"""

from __future__ import annotations

import random
from statistics import fmean

import krippendorff
import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from sklearn.metrics import (
    brier_score_loss,
    classification_report,
    cohen_kappa_score,
    confusion_matrix,
    precision_recall_fscore_support,
)
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import normal_sample_size_one_tail
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from steelyard._engine.evidence import Differences
from steelyard._engine.formulas.bootstrap import bca_interval, percentile_interval
from steelyard._engine.formulas.bradley_terry import strengths
from steelyard._engine.formulas.clusters import clustered_variance, grouped, mean_estimate
from steelyard._engine.formulas.correlation import pearson, ranks, spearman
from steelyard._engine.formulas.fisher import fisher_exact, rate_difference
from steelyard._engine.formulas.kappa import exact, kappa, kappa_error, linear, quadratic
from steelyard._engine.formulas.krippendorff import alpha, interval, nominal, ordinal, ratio
from steelyard._engine.formulas.many_tests import holm
from steelyard._engine.formulas.power import cases_needed
from steelyard._engine.formulas.students_t import t_quantile, t_two_sided
from steelyard._engine.labels import LabelTally
from steelyard._engine.paired import mcnemar_exact
from steelyard._engine.panels import PanelTally
from steelyard._engine.stated import stated_confidence
from steelyard._engine.statistics import wilson
from steelyard.api import CaseRun, ScoreResult, Status
from steelyard.testing.run_builders import make_case_result

SEEDS = range(5)


def scored(**details: object) -> CaseRun:
    """Return a run whose scorer says this."""
    verdict = ScoreResult(scorer="s", name="s", passed=True, score=1.0, details=details)  # type: ignore[arg-type]
    return CaseRun(repeat=0, status=Status.SCORED, passed=True, score=1.0, scores=(verdict,))


# One rate, one mean


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_wilsons_interval_is_that_of_statsmodels(size: int, confidence: float) -> None:
    for passed in sorted({0, 1, size // 3, size}):
        wanted = proportion_confint(passed, size, alpha=1 - confidence, method="wilson")
        assert wilson(passed, size, confidence) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("df", [1, 2, 5, 30, 400, 12_345])
def test_students_t_is_that_of_scipy(df: int) -> None:
    for confidence in (0.5, 0.9, 0.95, 0.999):
        assert t_quantile(confidence, df) == pytest.approx(scipy.stats.t.ppf(0.5 + confidence / 2, df), rel=1e-9)
    for t in (0.01, 0.7, 2.0, 5.0, 40.0):
        assert t_two_sided(t, df) == pytest.approx(2 * scipy.stats.t.sf(t, df), rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mean_has_the_interval_and_the_p_value_of_scipy(seed: int) -> None:
    chance = random.Random(seed)
    values = [chance.gauss(0.2, 1) for _ in range(chance.randint(3, 60))]

    found, wanted = mean_estimate(grouped(enumerate(values))), scipy.stats.ttest_1samp(values, 0)

    assert found is not None
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(wanted.confidence_interval()), rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_variance_over_clusters_is_that_of_statsmodels(seed: int) -> None:
    chance = random.Random(seed)
    clusters = [chance.randrange(8) for _ in range(60)]
    values = [chance.gauss(cluster / 4, 1) for cluster in clusters]

    model = sm.OLS(values, np.ones(len(values)))
    # Its small-sample factor for a mean is C / (C - 1) too: (n - 1) / (n - k) is 1 for the one coefficient.
    wanted = model.fit(cov_type="cluster", cov_kwds={"groups": np.array(clusters)}).cov_params()[0, 0]

    assert clustered_variance(grouped(zip(clusters, values, strict=True))) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bootstrap_is_about_that_of_scipy(seed: int) -> None:
    chance = random.Random(seed)
    values = [chance.expovariate(1) for _ in range(25)]

    for method, ours in (("BCa", bca_interval), ("percentile", percentile_interval)):
        wanted = scipy.stats.bootstrap(
            (values,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(seed)
        ).confidence_interval
        low, high = ours(values, fmean, seed=seed, resamples=8000)
        # Both draw; the ends of a 95 % interval from 8000 draws scatter by about 1/30 of its width.
        assert (low, high) == pytest.approx(tuple(wanted), abs=0.12 * (wanted.high - wanted.low))


# Two runs


@pytest.mark.parametrize("seed", SEEDS)
def test_the_exact_test_of_pairs_is_that_of_statsmodels_and_of_a_coin(seed: int) -> None:
    chance = random.Random(seed)
    lost, won = chance.randrange(40), chance.randrange(1, 40)

    found = mcnemar_exact(lost, won)

    assert found == pytest.approx(mcnemar([[5, lost], [won, 5]], exact=True).pvalue, rel=1e-9)
    assert found == pytest.approx(scipy.stats.binomtest(lost, lost + won).pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_repeats_are_compared_as_scipy_compares_paired_values(seed: int) -> None:
    chance = random.Random(seed)
    pairs = [(chance.randrange(4) / 3, chance.randrange(4) / 3) for _ in range(70)]
    differences = Differences()
    for before, after in pairs:
        differences.add(before, after, repeated=True)

    found = differences.evidence()

    wanted = scipy.stats.ttest_rel([after for _, after in pairs], [before for before, _ in pairs])
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(wanted.confidence_interval()), rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_several_p_values_are_corrected_as_statsmodels_does(seed: int) -> None:
    chance = random.Random(seed)
    p_values = [chance.random() ** 3 for _ in range(chance.randint(1, 12))]

    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), rel=1e-12)


@pytest.mark.parametrize("table", [(56, 70, 48, 80), (9, 10, 3, 10), (1, 30, 12, 40), (200, 1000, 260, 1000)])
def test_two_groups_are_compared_as_scipy_and_statsmodels_do(table: tuple[int, int, int, int]) -> None:
    first, first_of, second, second_of = table

    assert rate_difference(*table) == pytest.approx(confint_proportions_2indep(*table, method="newcomb"), abs=1e-12)
    fourfold = [[first, first_of - first], [second, second_of - second]]
    assert fisher_exact(*table) == pytest.approx(scipy.stats.fisher_exact(fourfold).pvalue, rel=1e-7)


@pytest.mark.parametrize("difference", [0.01, 0.03, 0.1])
def test_the_size_of_a_suite_is_that_of_statsmodels(difference: float) -> None:
    wanted = normal_sample_size_one_tail(difference, 0.8, 0.025, std_null=0.4**0.5)

    assert cases_needed(difference, 0.4) == int(np.ceil(wanted))


# Judges


def two_raters(seed: int, categories: int) -> tuple[list[int], list[int]]:
    chance = random.Random(seed)
    first = [chance.randrange(categories) for _ in range(80)]
    return first, [one if chance.random() < 0.6 else chance.randrange(categories) for one in first]


@pytest.mark.parametrize("categories", [2, 5])
@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_is_that_of_scikit_learn_and_its_error_that_of_statsmodels(seed: int, categories: int) -> None:
    first, second = two_raters(seed, categories)
    table = confusion_matrix(first, second, labels=range(categories)).tolist()

    for name, weights in ((None, exact), ("linear", linear(categories)), ("quadratic", quadratic(categories))):
        assert kappa(table, weights).value == pytest.approx(cohen_kappa_score(first, second, weights=name), rel=1e-9)
        wanted = cohens_kappa(np.array(table), wt=name)
        assert kappa_error(table, weights) == pytest.approx(wanted.std_kappa, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_correlations_are_those_of_scipy(seed: int) -> None:
    first, second = two_raters(seed, 5)

    wanted = scipy.stats.pearsonr(first, second)
    found = pearson(first, second)
    assert found.value == pytest.approx(wanted.statistic, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(wanted.confidence_interval()), rel=1e-9)
    assert spearman(first, second).value == pytest.approx(scipy.stats.spearmanr(first, second).statistic, rel=1e-9)
    assert ranks(first) == scipy.stats.rankdata(first).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_is_that_of_the_package_krippendorff(seed: int) -> None:
    chance = random.Random(seed)
    # Four judges give one to five to forty outputs; one value in five is missing.
    units = []
    for _ in range(40):
        truth = chance.randint(1, 5)
        given = [max(1, min(5, truth + chance.choice((-1, 0, 0, 1)))) for _ in range(4)]
        units.append([one if chance.random() > 0.2 else None for one in given])
    data = np.array([[np.nan if one is None else one for one in rater] for rater in zip(*units, strict=True)])
    known = [[float(one) for one in unit if one is not None] for unit in units]

    for level, distance in (("nominal", nominal), ("ordinal", ordinal), ("interval", interval), ("ratio", ratio)):
        wanted = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
        assert alpha([unit for unit in known if len(unit) > 1], distance) == pytest.approx(wanted, rel=1e-9)

    tally = PanelTally()
    for unit in units:
        opinions = [{"model": str(judge), "score": one} for judge, one in enumerate(unit) if one is not None]
        tally.add([scored(judges=opinions)])
    panel = tally.result()
    assert panel is not None
    assert panel.alpha == pytest.approx(krippendorff.alpha(data, level_of_measurement="interval"), rel=1e-9)


def test_alpha_of_names_is_fleiss_kappa_but_for_what_is_drawn_twice() -> None:
    # Fleiss, Psychological Bulletin 76 (1971): ten subjects in five categories by fourteen raters, kappa 0.2099.
    table = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    units = [[float(name) for name, count in enumerate(row) for _ in range(count)] for row in table]

    wanted = fleiss_kappa(np.array(table))
    assert wanted == pytest.approx(0.2099307, abs=5e-8)
    # Alpha takes two different ratings of the 140 for chance, kappa any two: 1 - (1 - kappa) · 139 / 140.
    assert alpha(units, nominal) == pytest.approx(1 - (1 - wanted) * 139 / 140, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_strengths_are_those_of_a_logistic_regression(seed: int) -> None:
    chance = random.Random(seed)
    size = 4
    wins = [[0.0 if i == j else float(chance.randint(1, 9)) for j in range(size)] for i in range(size)]
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    counts = np.array([[wins[i][j], wins[j][i]] for i, j in pairs])
    # One column for each contestant but the first: +1 where it is the first of a pair, -1 where the second.
    design = np.array([[float(one == i) - float(one == j) for one in range(1, size)] for i, j in pairs])

    fitted = sm.GLM(counts, design, family=sm.families.Binomial()).fit(tol=1e-12).params

    found = strengths(wins)
    assert [one - found[0] for one in found[1:]] == pytest.approx(fitted.tolist(), abs=1e-6)


# Labels and stated confidence


@pytest.mark.parametrize("seed", SEEDS)
def test_the_figures_of_labels_are_those_of_scikit_learn(seed: int) -> None:
    first, second = two_raters(seed, 4)
    expected, given = [f"label {one}" for one in first], [f"label {one}" for one in second]
    tally = LabelTally()
    for wanted, output in zip(expected, given, strict=True):
        tally.add([scored(label={"expected": wanted, "output": output})])

    found = tally.result()

    assert found is not None
    assert [list(row) for row in found.confusion] == confusion_matrix(expected, given).tolist()
    precision, recall, f1, support = precision_recall_fscore_support(expected, given)
    assert [label.precision for label in found.labels] == pytest.approx(precision.tolist())
    assert [label.recall for label in found.labels] == pytest.approx(recall.tolist())
    assert [label.f1 for label in found.labels] == pytest.approx(f1.tolist())
    assert [label.expected for label in found.labels] == support.tolist()
    report = classification_report(expected, given, output_dict=True)
    macro, weighted = report["macro avg"], report["weighted avg"]
    assert (found.macro_precision, found.macro_recall, found.macro_f1) == pytest.approx(
        (macro["precision"], macro["recall"], macro["f1-score"])
    )
    assert (found.weighted_precision, found.weighted_recall, found.weighted_f1) == pytest.approx(
        (weighted["precision"], weighted["recall"], weighted["f1-score"])
    )


def test_the_brier_score_is_that_of_scikit_learn() -> None:
    chance = random.Random(7)
    stated = [round(chance.random(), 2) for _ in range(50)]
    right = [chance.random() < one for one in stated]
    cases = [
        make_case_result(f"c{number}", passed=passed, response=f"CONFIDENCE: {one}")
        for number, (one, passed) in enumerate(zip(stated, right, strict=True))
    ]

    assert stated_confidence(cases).brier.value == pytest.approx(brier_score_loss(right, stated), rel=1e-9)
