"""How well labels were told apart."""

from __future__ import annotations

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
        tally.add(run(expected, output))
    return tally.result()


def test_the_figures_are_those_of_the_textbook_report() -> None:
    # scikit-learn's own example of classification_report: y_true 0 1 2 2 2, y_pred 0 0 2 2 1. A sixth answer keeps it a
    # choice among labels: it is added to class 2 and right, so recall 3/4 and F1 6/7.
    found = tallied(("0", "0"), ("1", "0"), ("2", "2"), ("2", "2"), ("2", "1"), ("2", "2"))

    by_label = {label.label: label for label in found.labels}
    assert [by_label[name].precision for name in "012"] == [0.5, 0.0, 1.0]
    assert [by_label[name].recall for name in "012"] == [1.0, 0.0, 0.75]
    assert [by_label[name].f1 for name in "012"] == pytest.approx([2 / 3, 0.0, 6 / 7])
    assert found.macro_f1 == pytest.approx((2 / 3 + 0 + 6 / 7) / 3)
    assert found.weighted_f1 == pytest.approx((2 / 3 + 0 + 4 * 6 / 7) / 6)
    assert (found.macro_precision, found.weighted_precision) == pytest.approx((0.5, 4.5 / 6))
    assert (found.macro_recall, found.weighted_recall) == pytest.approx((1.75 / 3, 4 / 6))
    assert (found.answers, found.correct) == (6, 4)


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
        tally.add(one)
    tally.add(run("a", "b", Status.API_ERROR))
    tally.add(run(1, "b"))

    assert tally.result().answers == 4  # type: ignore[union-attr]


def test_endless_different_outputs_take_no_endless_room() -> None:
    tally = LabelTally()
    for number in range(3000):
        tally.add(run("ab"[number % 2], f"text {number}"))

    found = tally.result()
    assert found is not None
    assert found.other == (1500, 1500)
    assert len(tally._counts) < 1100
