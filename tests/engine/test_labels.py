"""How well labels were told apart."""

from __future__ import annotations

import random
from statistics import stdev
from typing import Any

import pytest

from steelyard._engine.labels import MOST_LABELS, LabelTally
from steelyard.api import CaseRun, ScoreResult, Status


def run(expected: Any, output: Any, status: Status = Status.SCORED) -> CaseRun:
    details = {"label": {"expected": expected, "output": output}}
    verdict = ScoreResult(scorer="s", name="s", passed=expected == output, score=1.0, details=details)
    return CaseRun(repeat=0, status=status, passed=expected == output, score=1.0, scores=(verdict,))


def tallied(*pairs: tuple[Any, Any]) -> Any:
    tally = LabelTally()
    for expected, output in pairs:
        tally.add([run(expected, output)])
    return tally.result()


def test_the_figures_are_those_of_the_textbook_report() -> None:
    # scikit-learn's own example of classification_report: y_true 0 1 2 2 2, y_pred 0 0 2 2 1.
    found = tallied(("0", "0"), ("1", "0"), ("2", "2"), ("2", "2"), ("2", "1"))

    assert [label.precision for label in found.labels] == [0.5, 0.0, 1.0]
    assert [label.recall for label in found.labels] == pytest.approx([1.0, 0.0, 2 / 3])
    assert [label.f1 for label in found.labels] == pytest.approx([2 / 3, 0.0, 0.8])
    # Printed there as 0.50, 0.56, 0.49 and 0.70, 0.60, 0.61.
    assert (found.macro_precision, found.macro_recall, found.macro_f1) == pytest.approx(
        (0.5, 5 / 9, 0.488889), abs=1e-6
    )
    weighted = (found.weighted_precision, found.weighted_recall, found.weighted_f1)
    assert weighted == pytest.approx((0.7, 0.6, 0.613333), abs=1e-6)
    assert (found.answers, found.correct) == (5, 3)


def test_the_confusion_says_which_was_taken_for_which() -> None:
    found = tallied(("a", "a"), ("a", "b"), ("b", "b"), ("b", "neither"), ("b", "b"))

    assert [label.label for label in found.labels] == ["a", "b"]
    assert found.confusion == ((1, 1), (0, 2))
    assert found.other == (0, 1)


def test_every_share_has_its_interval() -> None:
    found = tallied(*[("a", "a")] * 81, *[("a", "b")] * 182, *[("b", "b")] * 20)

    # Newcombe 1998, Table I: 81 of 263; and Wilson of 20 of 202.
    a, b = found.labels
    assert (a.recall_low, a.recall_high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert (b.precision_low, b.precision_high) == pytest.approx((0.0650, 0.1480), abs=5e-4)


def test_f1_has_the_interval_of_the_share_that_it_is_a_function_of() -> None:
    found = tallied(*[("a", "a")] * 81, *[("a", "b")] * 182, *[("b", "b")] * 20)

    # Of the 263 answers that should have been or were a, 81 should have and were: 0.2553 to 0.3662 (Newcombe, Table I).
    assert found.labels[0].f1 == pytest.approx(2 * 81 / (263 + 81))
    assert found.labels[0].f1_low == pytest.approx(2 * 0.2553 / 1.2553, abs=1e-4)
    assert found.labels[0].f1_high == pytest.approx(2 * 0.3662 / 1.3662, abs=1e-4)


def test_weighted_recall_has_the_textbook_interval_of_the_share_of_right_answers() -> None:
    # 35 of 50: 0.7 ± 1.96 · sqrt(0.7 · 0.3 / 50) = 0.0648.
    found = tallied(*[("a", "a")] * 20, *[("a", "b")] * 5, *[("b", "a")] * 10, *[("b", "b")] * 15)

    assert found.weighted_recall == pytest.approx(0.7)
    assert (found.weighted_recall_low, found.weighted_recall_high) == pytest.approx((0.57298, 0.82702), abs=1e-5)


def test_the_means_have_about_the_intervals_that_resampled_answers_give() -> None:
    pairs = [*[("a", "a")] * 60, *[("a", "b")] * 14, *[("b", "b")] * 40, *[("b", "c")] * 9, *[("c", "c")] * 20]
    pairs += [*[("c", "none")] * 8, *[("c", "a")] * 6]
    found, chance = tallied(*pairs), random.Random(3)
    names = ("macro_precision", "macro_recall", "macro_f1", "weighted_precision", "weighted_recall", "weighted_f1")

    drawn = [tallied(*chance.choices(pairs, k=len(pairs))) for _ in range(300)]

    for name in names:
        error = stdev(getattr(one, name) for one in drawn)
        ours = (getattr(found, f"{name}_high") - getattr(found, f"{name}_low")) / (2 * 1.959964)
        # A standard error from 300 draws is itself uncertain by 4 %; four times that.
        assert ours == pytest.approx(error, rel=0.16), name


def test_all_right_is_not_certain() -> None:
    found = tallied(*[("a", "a")] * 10, *[("b", "b")] * 10)

    # Wilson of 0 in 20 is 0.1611.
    assert (found.macro_f1, found.macro_f1_high) == (1.0, 1.0)
    assert found.macro_f1_low == pytest.approx(1 - 0.1611, abs=5e-5)
    # And of 10 of 10, as F1.
    assert found.labels[0].f1_low == pytest.approx(2 * 0.7225 / 1.7225, abs=5e-5)


def test_ten_runs_of_a_case_are_not_ten_cases() -> None:
    cases = [("a", "a")] * 14 + [("a", "b")] * 6 + [("b", "b")] * 15 + [("b", "a")] * 5
    once, often = LabelTally(), LabelTally()
    for case in cases:
        once.add([run(*case)])
        often.add([run(*case)] * 10)

    of_once, of_often = once.result(), often.result()

    assert of_once is not None
    assert of_often is not None
    assert of_often.answers == 400
    for name in ("macro_f1", "weighted_recall"):
        narrow, wide = (getattr(one, f"{name}_high") - getattr(one, f"{name}_low") for one in (of_once, of_often))
        # As much as from one run of each, less one for the mean, by Student's t.
        assert narrow < wide < 1.1 * narrow
    recall, wider = of_once.labels[0], of_often.labels[0]
    assert wider.recall == recall.recall
    assert wider.recall_low < recall.recall_low < recall.recall_high < wider.recall_high  # type: ignore[operator]


def test_one_cluster_has_figures_without_intervals() -> None:
    tally = LabelTally()
    for case in [("a", "a"), ("a", "b"), ("b", "b")] * 5:
        tally.add([run(*case)], "document")

    found = tally.result()

    assert found is not None
    assert (found.macro_f1_low, found.labels[0].recall_low, found.labels[0].f1_low) == (None, None, None)
    assert found.labels[0].recall == 0.5


def test_a_label_that_was_never_given_has_no_precision() -> None:
    a, b = tallied(("a", "b"), ("a", "b"), ("b", "b"), ("b", "b")).labels

    assert (a.precision, a.precision_low, a.recall, a.f1) == (None, None, 0.0, 0.0)
    assert b.precision == 0.5


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [("a", "a")] * 9,  # one label is no choice
        [(str(number), "x") for number in range(20)],  # all different: no labels
        [(str(number), "x") for number in range(MOST_LABELS + 1) for _ in range(3)],
    ],
)
def test_what_is_no_choice_among_labels_has_no_figures(pairs: list[tuple[str, str]]) -> None:
    assert tallied(*pairs) is None


def test_errors_and_other_details_are_passed_over() -> None:
    tally = LabelTally()
    for one in [run("a", "a"), run("b", "b")] * 2:
        tally.add([one])
    tally.add([run("a", "b", Status.API_ERROR)])
    tally.add([run(1, "b")])

    assert tally.result().answers == 4  # type: ignore[union-attr]


def test_endless_different_outputs_take_no_endless_room() -> None:
    tally = LabelTally()
    for number in range(3000):
        tally.add([run("ab"[number % 2], f"text {number}")])

    found = tally.result()
    assert found is not None
    assert found.other == (1500, 1500)
    assert len(tally._counts) < 1100
