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
