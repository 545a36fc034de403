"""What a run comes to beyond its scores: how sure the best combo is, labels told apart, panels, repeats, clusters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from steelyard_dashboard.pages.measures import MOST_ACROSS, MOST_LABELS, measures_of

from steelyard.api import Best, Insights, PanelResult, RunnerUp

RUN = "/runs/2026-06-10_143205_support"
MATRIX = "Confusion matrix: expected labels down, given labels across"
LABELS = "Precision, recall and F1 of each label"
JUDGES = "What each judge of the panel did"


@pytest.fixture
def page(dashboard, store, make_record, make_combo, make_case, read):
    """Read the page of a run whose one combo has these measures."""

    def shown(**measures):
        store(make_record(make_combo(make_case("a"), make_case("b", passed=False), **measures)))
        reply = dashboard(RUN)
        assert reply.status == 200
        return reply, read(reply)

    return shown


def test_labels_are_shown_with_precision_recall_and_f1(page, make_labels):
    _, document = page(labels=make_labels())

    assert document.tables[LABELS] == [
        ["Label", "Expected", "Given", "Right", "Precision", "Recall", "F1"],
        ["refund", "4", "3", "3", "100.0% 43.8–100.0", "75.0% 30.1–95.4", "85.7% 40.0–90.0"],
        ["other", "2", "2", "1", "50.0% 43.8–100.0", "50.0% 30.1–95.4", "50.0% 40.0–90.0"],
        ["Mean over labels macro", "6", "5", "4", "75.0%", "62.5%", "68.0% 50.0–81.0"],
        ["Mean over answers weighted", "6", "5", "4", "83.0%", "66.7%", "74.0%"],
    ]


def test_the_confusion_matrix_is_shown_with_what_was_no_label(page, make_labels):
    _, document = page(labels=make_labels())

    assert document.tables[MATRIX] == [
        ["Expected", "refund", "other", "none of them"],
        ["refund", "3", "0", "1"],
        ["other", "1", "1", "0"],
    ]


def test_of_many_labels_the_most_frequent_confusions_are_listed(make_record, make_combo, make_labels):
    size = MOST_ACROSS + 1
    confusion = [[0] * size for _ in range(size)]
    confusion[2][5], confusion[1][1] = 7, 9
    one = make_labels().labels[0]
    found = make_labels(
        labels=tuple(replace(one, label=f"l{number}") for number in range(size)),
        confusion=tuple(map(tuple, confusion)),
        other=(0, 0, 0, 4, *[0] * (size - 4)),
    )

    (measures,) = measures_of(make_record(make_combo(labels=found)))

    assert measures.matrix == ()
    assert [(wrong.expected, wrong.given, wrong.count) for wrong in measures.confusions] == [
        ("l2", "l5", 7),
        ("l3", "none of them", 4),
    ]


def test_of_very_many_labels_some_are_shown_and_the_others_counted(page, make_labels):
    size = MOST_LABELS + 3
    one = make_labels().labels[0]
    found = make_labels(
        labels=tuple(replace(one, label=f"l{number}") for number in range(size)),
        confusion=((0,) * size,) * size,
        other=(0,) * size,
    )

    reply, document = page(labels=found)

    assert len(document.tables[LABELS]) == 1 + MOST_LABELS + 2
    assert "3 more labels not shown." in reply.text


def test_right_answers_are_coloured_as_good_and_wrong_ones_as_bad(make_record, make_combo, make_labels):
    (measures,) = measures_of(make_record(make_combo(labels=make_labels())))
    (_, (right, _, other)), (_, (wrong, half, _)) = measures.matrix

    # 3 of 4 right: three quarters of the way from the middle to the top; 1 of 4 and 1 of 2 wrong: below the middle.
    assert (right.warmth, other.warmth, wrong.warmth, half.warmth) == (87.5, 37.5, 25.0, 75.0)


def test_a_panel_is_shown_with_its_agreement(page, panel):
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


def test_labels_of_any_text_and_counts_of_any_size_are_shown(page, make_labels, hostile):
    one, two = make_labels(hostile).labels
    unseen = replace(two, predicted=0, correct=0, precision=None, precision_low=None, precision_high=None)
    wild = make_labels(
        answers=10**300,
        correct=-1,
        labels=(one, unseen),
        confusion=((10**400, 0), (1, -1)),
        other=(10**300, 0),
        macro_precision=1e300,
        macro_recall=-5.0,
    )

    reply, document = page(labels=wild)

    assert "<script>document" not in reply.text
    assert document.tables[LABELS][2][4] == "–"


@pytest.mark.parametrize(("rated", "said"), [(0, None), (1, "1 case carries"), (2, "2 cases carry")])
def test_a_run_that_people_scored_says_how_its_judge_is_measured(dashboard, put, make_case, rated, said):
    put(*[make_case(f"c{number}", human_score=4.0 if number < rated else None) for number in range(3)])

    html = dashboard(RUN).text

    assert ("steelyard calibrate" in html) is (said is not None)
    assert said is None or f"{said} a person’s score" in html


def insights(**changes):
    best = Best(model="gpt", prompt_id="v1", score=50.0, cost_usd=0.004)
    return Insights(passed=True, best_quality=best, best_value=best, **changes)


def test_a_run_says_when_the_best_combos_cannot_be_told_apart(dashboard, put, make_case):
    message = "gpt / v1 cannot be told apart from <b> / v1 on these 2 cases"
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
