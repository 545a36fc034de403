from __future__ import annotations

import pytest

from steelyard._engine.formulas.many_tests import holm
from steelyard._engine.formulas.power import UNKNOWN_SPREAD, Spread, cases_needed, detectable


def test_three_points_take_about_a_thousand_questions() -> None:
    # Miller 2024, section 5: ω² = 1/9, no chance in single answers: 968.997 questions.
    assert cases_needed(0.03, Spread(between=1 / 9, within=0).variance(1)) == 969


def test_the_chance_in_single_answers_takes_four_times_as_many() -> None:
    # The same with σ² = 1/6 for each of the two.
    assert cases_needed(0.03, UNKNOWN_SPREAD.variance(1)) == 3876


def test_repeats_lower_what_a_suite_can_detect() -> None:
    # 198 questions: 13.27 points asked once, 7.57 points asked ten times.
    assert detectable(198, UNKNOWN_SPREAD.variance(1)) == pytest.approx(0.1327, abs=5e-5)
    assert detectable(198, UNKNOWN_SPREAD.variance(10)) == pytest.approx(0.0757, abs=5e-5)


def test_what_so_many_cases_detect_takes_so_many_cases() -> None:
    assert cases_needed(detectable(500, 0.4), 0.4) == 500


def test_more_power_and_more_confidence_take_more_cases() -> None:
    least = cases_needed(0.05, 0.4)

    assert cases_needed(0.05, 0.4, power=0.9) > least
    assert cases_needed(0.05, 0.4, confidence=0.99) > least


def test_several_p_values_are_corrected_for_each_other() -> None:
    # Holm 1979, and p.adjust of R: (.01, .04, .03, .005) become (.03, .06, .06, .02).
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.2]) == [0.2]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
