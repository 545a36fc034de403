"""Answers that say how sure they are."""

from __future__ import annotations

import pytest

from steelyard._engine.stated import read_confidence, stated_confidence
from steelyard.api import CaseResult, Status
from steelyard.testing.run_builders import make_case_result


@pytest.mark.parametrize(
    ("answer", "confidence"),
    [
        ("ANSWER: Paris\nCONFIDENCE: 0.8", 0.8),
        ("ANSWER: Paris\nCONFIDENCE: 80%", 0.8),
        ("Confidence = 80 per cent", 0.8),
        ("**Confidence:** 95", 0.95),
        ("confidence: .5", 0.5),
        ("CONFIDENCE: 1", 1.0),
        ("CONFIDENCE: 1%", 0.01),
        ("CONFIDENCE: 0", 0.0),
        ("Confidence: 20%\nno, wait.\nConfidence: 70%", 0.7),
        ("CONFIDENCE: 80,5 %", 0.805),
        ("Confidence: 0,8", 0.8),
        ("Confidence: 80, since I looked it up", 0.8),
        ("Confidence: 8/10", 0.8),
        ("Confidence: 8 out of 10", 0.8),
        ("Confidence: 85/100", 0.85),
        ("- **Confidence**: - 80%", 0.8),
        ("CONFIDENCE: -5 %", None),
        ("CONFIDENCE: \u22120.5", None),
        ("CONFIDENCE: 90 %\nCONFIDENCE: -5 %", None),
        ("Confidence: 12/10", None),
        ("CONFIDENCE: high", None),
        ("CONFIDENCE: 300%", None),
        ("I am 80% sure", None),
        ("", None),
    ],
)
def test_the_confidence_is_read_in_the_forms_that_models_write(answer: str, confidence: float | None) -> None:
    assert read_confidence(answer) == confidence


def cases(*stated: tuple[str, bool]) -> list[CaseResult]:
    return [
        make_case_result(f"c{number}", passed=passed, response=f"ANSWER: x\nCONFIDENCE: {confidence}")
        for number, (confidence, passed) in enumerate(stated)
    ]


def test_the_brier_score_is_the_mean_squared_difference() -> None:
    # Forecasts 0.9, 0.8 and 0.3 of what came true, true and not: (0.01 + 0.04 + 0.09) / 3.
    found = stated_confidence(cases(("0.9", True), ("0.8", True), ("0.3", False)))

    assert found.brier.value == pytest.approx(0.14 / 3)
    # The overall rate, 2/3 every time, would have scored 2/9.
    assert found.skill == pytest.approx(1 - (0.14 / 3) / (2 / 9))
    assert found.stated == pytest.approx(2 / 3)


def test_answers_are_counted_by_tenths_with_the_share_that_was_right() -> None:
    found = stated_confidence(cases(*[("0.7", True)] * 10, *[("0.99", False)] * 2, *[("1", True)] * 2))

    low, high = found.bins
    assert (low.low, low.count, low.right.value) == (0.7, 10, 1.0)
    # Wilson of 10 / 10.
    assert low.right.low == pytest.approx(0.7225, abs=5e-5)
    assert (high.low, high.high, high.count, high.right.value) == (0.9, 1.0, 4, 0.5)
    # (10 · 0.3 + 4 · (0.995 - 0.5)) / 14
    assert found.gap == pytest.approx((10 * 0.3 + 4 * 0.495) / 14)


def test_ten_runs_of_a_case_are_not_ten_cases() -> None:
    stated = [("0.9", number < 12) for number in range(16)]
    once = stated_confidence(cases(*stated))
    often = stated_confidence(
        [
            make_case_result(f"c{number}", passed=passed, runs=[case.runs[0]] * 10)
            for number, (case, (_, passed)) in enumerate(zip(cases(*stated), stated, strict=True))
        ]
    )

    assert (once.count, often.count) == (16, 160)
    assert often.right.value == once.right.value == 0.75
    assert often.right.low < once.right.low < once.right.high < often.right.high  # type: ignore[operator]
    assert (often.brier.low, often.brier.high) == pytest.approx((once.brier.low, once.brier.high))
    (tenth,) = often.bins
    assert (tenth.right.low, tenth.right.high) == (often.right.low, often.right.high)


def test_answers_to_one_case_have_a_share_without_an_interval() -> None:
    case = make_case_result("c", runs=[cases(("0.9", True))[0].runs[0], cases(("0.9", False))[0].runs[0]])

    found = stated_confidence([case])

    assert (found.right.value, found.right.low) == (0.5, None)
    # (0.1² + 0.9²) / 2
    assert (found.brier.value, found.brier.low) == (pytest.approx(0.41), None)


def test_answers_without_a_confidence_are_counted_and_errors_are_not() -> None:
    found = stated_confidence(
        [
            *cases(("0.5", True)),
            make_case_result("none", response="Paris"),
            make_case_result("error", status=Status.API_ERROR),
        ]
    )

    assert (found.count, found.unstated) == (1, 1)


def test_where_none_is_stated_nothing_is_known() -> None:
    found = stated_confidence([make_case_result("none", response="Paris")])

    assert (found.count, found.brier.value, found.skill, found.bins) == (0, None, None, ())


def test_always_right_has_no_skill_to_measure() -> None:
    assert stated_confidence(cases(("0.9", True), ("0.9", True))).skill is None
