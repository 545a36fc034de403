"""What reports show of labels, panels, repeats and clusters."""

from __future__ import annotations

from steelyard_builtins.reporters.html_page import html_chunks
from steelyard_builtins.reporters.markdown_text import markdown_chunks
from steelyard_builtins.reporters.measures import MOST_ACROSS, measures

from steelyard.api import JudgeResult, LabelResult, LabelsResult, PanelResult, PassAtResult
from steelyard.testing.run_builders import make_case_result, make_combo, make_record


def label(name, **fields):
    found = {
        "expected": 3,
        "predicted": 2,
        "correct": 2,
        "precision": 1.0,
        "precision_low": 0.342,
        "precision_high": 1.0,
        "recall": 2 / 3,
        "recall_low": 0.208,
        "recall_high": 0.939,
        "f1": 0.8,
    }
    return LabelResult(label=name, **{**found, **fields})


def labels(*names, **fields):
    size = len(names)
    found = {
        "answers": 3 * size,
        "correct": 2 * size,
        "labels": tuple(label(name) for name in names),
        "confusion": tuple(tuple(2 if i == j else 0 for j in range(size)) for i in range(size)),
        "other": (1,) * size,
        "macro_precision": 1.0,
        "macro_recall": 2 / 3,
        "macro_f1": 0.8,
        "weighted_precision": 1.0,
        "weighted_recall": 2 / 3,
        "weighted_f1": 0.8,
    }
    return LabelsResult(**{**found, **fields})


def panel(**fields):
    judges = (
        JudgeResult(model="a", scored=4, passed=3, mean_score=3.75, cost_usd=0.5),
        JudgeResult(model="b", scored=4, passed=1, mean_score=2.0, cost_usd=None),
    )
    return PanelResult(**{"judges": judges, "outputs": 4, "alpha": 0.85, "alpha_low": 0.5, "alpha_high": 1.0, **fields})


def combo(**fields):
    return make_combo([make_case_result("c1")], **fields)


def table(found, title):
    return next(measure for measure in found if measure.title == title)


def test_most_combos_have_none():
    assert list(measures(combo())) == []


def test_each_label_has_its_shares_with_intervals_and_the_means_follow():
    found = table(measures(combo(labels=labels("billing", "order"))), "Labels")

    assert found.rows[0] == ("billing", "3", "2", "100.0% (34.2–100.0%)", "66.7% (20.8–93.9%)", "80.0%")
    assert [row[0] for row in found.rows] == ["billing", "order", "macro average", "weighted average"]
    assert found.rows[2][1:] == ("6", "4", "100.0%", "66.7%", "80.0%")


def test_f1_and_the_means_have_their_intervals_where_they_are_known():
    known = labels(
        "billing",
        "order",
        labels=(label("billing", f1_low=0.5, f1_high=0.9), label("order")),
        macro_f1_low=0.61,
        macro_f1_high=0.99,
        weighted_recall_low=0.4,
        weighted_recall_high=0.85,
    )

    found = table(measures(combo(labels=known)), "Labels").rows

    assert [row[5] for row in found] == ["80.0% (50.0–90.0%)", "80.0%", "80.0% (61.0–99.0%)", "80.0%"]
    assert found[3][4] == "66.7% (40.0–85.0%)"


def test_a_label_that_was_never_given_has_no_precision():
    never = label("order", precision=None, precision_low=None, precision_high=None)
    result = labels("billing", "order", labels=(label("billing"), never))

    assert table(measures(combo(labels=result)), "Labels").rows[1][3] == "-"


def test_a_few_labels_stand_against_each_other():
    result = labels("billing", "order", confusion=((2, 1), (0, 3)), other=(0, 4))

    found = table(measures(combo(labels=result)), "Which label was given where which was expected")

    assert found.headings == ("Expected", "billing", "order", "(none of them)")
    assert found.rows == (("billing", "2", "1", "0"), ("order", "0", "3", "4"))


def test_of_many_labels_the_most_frequent_confusions_are_listed():
    names = [f"l{number:02}" for number in range(MOST_ACROSS + 1)]
    size = len(names)
    confusion = [[0] * size for _ in names]
    confusion[3][5] = 9
    result = labels(*names, confusion=tuple(map(tuple, confusion)), other=(0,) * size)

    found = table(measures(combo(labels=result)), "Most frequent confusions")

    assert found.rows == (("l03", "l05", "9"),)


def test_several_runs_of_a_case_have_a_row_for_each_number():
    two = PassAtResult(
        k=2, cases=30, some=0.9, some_low=0.75, some_high=0.97, every=0.5, every_low=None, every_high=None
    )

    found = table(measures(combo(pass_at=(two,))), "Of several runs of a case")

    assert found.headings == ("Runs", "Cases", "At least one passes", "All pass")
    assert found.rows == (("2", "30", "90.0% (75.0–97.0%)", "50.0%"),)


def test_a_panel_shows_each_judge_and_how_far_they_agree():
    found = table(measures(combo(panel=panel())), "Judges")

    assert found.rows == (("a", "4", "3.75", "75.0%", "$0.500000"), ("b", "4", "2.00", "25.0%", "-"))
    known = JudgeResult(
        model="a",
        scored=4,
        passed=3,
        mean_score=3.75,
        cost_usd=0.5,
        passed_low=0.301,
        passed_high=0.954,
        mean_score_low=2.95,
        mean_score_high=4.55,
    )
    (row,) = table(measures(combo(panel=panel(judges=(known,)))), "Judges").rows
    assert row == ("a", "4", "3.75 (2.95–4.55)", "75.0% (30.1–95.4%)", "$0.500000")
    assert found.note == (
        "Agreement: Krippendorff's alpha 0.85 (95 % interval 0.50 to 1.00) over 4 answer(s): reliable."
    )


def test_agreement_is_put_in_words_by_the_published_limits():
    notes = [table(measures(combo(panel=panel(alpha=alpha))), "Judges").note for alpha in (0.7, 0.3, None)]

    assert [note.rpartition(" ")[2] for note in notes[:2]] == ["tentative.", "unreliable."]
    assert notes[2].startswith("Their scores never differ")


def test_one_cluster_says_why_there_is_no_interval():
    (found,) = measures(combo(clusters=1, effective_cases=None))

    assert found.note == "One cluster cannot show how another would do: the score has no interval."


def test_repeats_and_clusters_say_what_their_intervals_are_of():
    found = list(
        measures(
            combo(run_score=84.25, run_score_low=70.0, run_score_high=93.0, runs=150, clusters=12, effective_cases=20.5)
        )
    )

    assert found[0].rows == (("all cases", "84.2%", "70.0–93.0%", "150"),)
    assert found[1].rows == (("cases", "1", "12", "20.5"),)


def test_markdown_and_html_show_them_and_take_no_markup_from_a_label():
    record = make_record([combo(labels=labels("a|b", "<b>"), panel=panel())])

    markdown = b"".join(markdown_chunks(record)).decode()
    html = b"".join(html_chunks(record)).decode()

    assert "### Labels" in markdown
    assert "a\\|b" in markdown
    assert "Krippendorff" in markdown
    assert "<h3>Judges</h3>" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
