"""What a run comes to beyond its scores: how sure the best combo is, labels told apart, panels, repeats, clusters."""

from __future__ import annotations

import pytest
from steelyard_dashboard.pages.measures import MOST_ACROSS, measures_of

from steelyard.api import Best, Insights, JudgeResult, LabelResult, LabelsResult, PanelResult, RunnerUp

RUN = "/runs/2026-06-10_143205_support"
MATRIX = "Confusion matrix: expected labels down, given labels across"
LABELS = "Precision, recall and F1 of each label"
JUDGES = "What each judge of the panel did"


def label(name, expected=4, predicted=3, correct=3):
    return LabelResult(
        label=name,
        expected=expected,
        predicted=predicted,
        correct=correct,
        precision=correct / predicted if predicted else None,
        precision_low=0.438 if predicted else None,
        precision_high=1.0 if predicted else None,
        recall=correct / expected,
        recall_low=0.301,
        recall_high=0.954,
        f1=2 * correct / (expected + predicted),
        f1_low=0.4,
        f1_high=0.9,
    )


@pytest.fixture
def labels():
    """Four refunds, of which three were seen and one was called nothing; two others, of which one was seen."""
    return LabelsResult(
        answers=6,
        correct=4,
        labels=(label("refund"), label("other", expected=2, predicted=2, correct=1)),
        confusion=((3, 0), (1, 1)),
        other=(1, 0),
        macro_precision=0.75,
        macro_recall=0.625,
        macro_f1=0.68,
        weighted_precision=0.83,
        weighted_recall=0.667,
        weighted_f1=0.74,
        macro_f1_low=0.5,
        macro_f1_high=0.81,
    )


@pytest.fixture
def page(dashboard, store, make_record, make_combo, make_case, read):
    """Read the page of a run whose one combo has these measures."""

    def shown(**measures):
        store(make_record(make_combo(make_case("a"), make_case("b", passed=False), **measures)))
        reply = dashboard(RUN)
        assert reply.status == 200
        return reply, read(reply)

    return shown


def test_labels_are_shown_with_precision_recall_and_f1(page, labels):
    _, document = page(labels=labels)

    assert document.tables[LABELS] == [
        ["Label", "Expected", "Given", "Right", "Precision", "Recall", "F1"],
        ["refund", "4", "3", "3", "100.0% 43.8–100.0", "75.0% 30.1–95.4", "85.7% 40.0–90.0"],
        ["other", "2", "2", "1", "50.0% 43.8–100.0", "50.0% 30.1–95.4", "50.0% 40.0–90.0"],
        ["Mean over labels macro", "6", "5", "4", "75.0%", "62.5%", "68.0% 50.0–81.0"],
        ["Mean over answers weighted", "6", "5", "4", "83.0%", "66.7%", "74.0%"],
    ]


def test_the_confusion_matrix_is_shown_with_what_was_no_label(page, labels):
    _, document = page(labels=labels)

    assert document.tables[MATRIX] == [
        ["Expected", "refund", "other", "none of them"],
        ["refund", "3", "0", "1"],
        ["other", "1", "1", "0"],
    ]


def test_of_many_labels_the_most_frequent_confusions_are_listed(make_record, make_combo):
    size = MOST_ACROSS + 1
    confusion = [[0] * size for _ in range(size)]
    confusion[2][5], confusion[1][1] = 7, 9
    found = LabelsResult(
        answers=20,
        correct=9,
        labels=tuple(label(f"l{number}") for number in range(size)),
        confusion=tuple(map(tuple, confusion)),
        other=(0, 0, 0, 4, *[0] * (size - 4)),
        macro_precision=0.0,
        macro_recall=0.0,
        macro_f1=0.0,
        weighted_precision=0.0,
        weighted_recall=0.0,
        weighted_f1=0.0,
    )

    (one,) = measures_of(make_record(make_combo(labels=found)))

    assert one.matrix == ()
    assert [(wrong.expected, wrong.given, wrong.count) for wrong in one.confusions] == [
        ("l2", "l5", 7),
        ("l3", "none of them", 4),
    ]


def test_a_panel_is_shown_with_its_agreement(page):
    judges = (
        JudgeResult(
            model="judge-a",
            scored=10,
            passed=7,
            mean_score=0.8,
            cost_usd=0.01,
            passed_low=0.397,
            passed_high=0.892,
            mean_score_low=0.7,
            mean_score_high=0.9,
        ),
        JudgeResult(model="judge-b", scored=0, passed=0, mean_score=0.0, cost_usd=None),
    )
    panel = PanelResult(judges=judges, outputs=10, alpha=0.71, alpha_low=0.4, alpha_high=0.9)

    reply, document = page(panel=panel)

    assert document.tables[JUDGES][1:] == [
        ["judge-a", "10", "7 70.0%, 39.7–89.2", "0.80 0.70–0.90", "$0.0100"],
        ["judge-b", "0", "0", "0.00", "–"],
    ]
    assert "Krippendorff’s α 0.71 (95 % interval 0.40 to 0.90), tentative." in reply.text


def test_judges_who_never_differ_agree_about_nothing(page):
    reply, _ = page(panel=PanelResult(judges=(), outputs=1, alpha=None))

    assert "The scores never differ over 1 answer" in reply.text


def test_repeats_and_clusters_are_told(page):
    reply, _ = page(run_score=66.7, run_score_low=40.0, run_score_high=85.0, runs=6, clusters=1, effective_cases=1.4)

    assert "Of 6 runs of 2 cases, <strong>66.7%</strong> passed (95 % interval 40.0–85.0" in reply.text
    assert "The 2 scored cases belong to 1 cluster and tell as much as about 1 unrelated ones" in reply.text


def test_a_run_without_measures_has_no_place_for_them(page):
    _, document = page()

    assert "Labels, judges and repeats" not in document.headings


def test_labels_of_any_text_and_counts_of_any_size_are_shown(page, labels, hostile):
    huge = 10**300
    wild = LabelsResult(
        answers=huge,
        correct=-1,
        labels=(label(hostile), label("x", predicted=0, correct=0)),
        confusion=((10**400, 0), (1, -1)),
        other=(huge, 0),
        macro_precision=1e300,
        macro_recall=-5.0,
        macro_f1=0.0,
        weighted_precision=0.0,
        weighted_recall=0.0,
        weighted_f1=0.0,
    )

    reply, document = page(labels=wild)

    assert "<script>document" not in reply.text
    assert document.tables[LABELS][2][4] == "–"


def insights(**changes):
    best = Best(model="gpt", prompt_id="v1", score=50.0, cost_usd=0.004)
    return Insights(passed=True, best_quality=best, best_value=best, **changes)


def test_a_run_says_when_the_best_combos_cannot_be_told_apart(dashboard, put, make_case):
    message = "gpt / v1 cannot be told apart from <b> / v1 on these 2 case(s)"
    other = RunnerUp(model="<b>", prompt_id="v1", score=50.0, cases=2, lead=0.0, message=message)
    put(make_case("a"), make_case("b", passed=False), insights=insights(runner_up=other))

    html = dashboard(RUN).text

    assert '<div class="doubtful"><dt>How sure</dt><dd>gpt / v1 cannot be told apart from &lt;b&gt; / v1 on' in html
    assert "<dd>gpt / v1: 50.0% (95 % interval 20.0–90.0, 1 of 2)</dd>" in html
    assert "<dd>gpt / v1: 50.0% (95 % interval 20.0–90.0, 1 of 2), $0.00400 a run</dd>" in html


def test_a_lead_that_is_real_is_given_with_interval_p_and_n(dashboard, put, make_case):
    other = RunnerUp(
        model="claude",
        prompt_id="v2",
        score=40.0,
        cases=60,
        lead=10.0,
        lead_low=2.04,
        lead_high=18.0,
        p_value=0.0123,
        told_apart=True,
    )
    put(make_case("a"), make_case("b", passed=False), insights=insights(runner_up=other))

    wanted = (
        "gpt / v1 is really better than claude / v2, the next best:"
        " +10.0 points, 95 % interval +2.0 to +18.0, p = 0.012, n = 60"
    )
    assert wanted in dashboard(RUN).text
