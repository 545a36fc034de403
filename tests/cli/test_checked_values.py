from __future__ import annotations

import click
import pytest

from steelyard.cli.checked_values import age, number, whole_number


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60), ("90m", 5400), ("12H", 43_200), ("30d", 2_592_000), ("1.5w", 907_200)]
)
def test_an_age_is_a_number_with_a_unit(text, seconds):
    assert age(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "30 d", "30days", "1e3d", "\N{ARABIC-INDIC DIGIT THREE}d"])
def test_anything_else_is_no_age(text):
    with pytest.raises(click.BadParameter, match="must be a number with a unit"):
        age(text)


@pytest.mark.parametrize("text", ["0", "-1", "101", "5.0", "1_0", " 5", "", "nan", "five", "9" * 19, "\u0665"])
def test_a_whole_number_keeps_its_bounds_and_its_form(text):
    with pytest.raises(click.BadParameter, match="must be a whole number from 1 to 100, got"):
        whole_number(1, 100)(text)


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("+7", 7), ("100", 100)])
def test_the_bounds_of_a_whole_number_are_included(text, value):
    assert whole_number(1, 100)(text) == value


@pytest.mark.parametrize("text", ["nan", "inf", "-0.1", "100.1", "85%", "", "1e999"])
def test_a_number_is_finite_and_keeps_its_bounds(text):
    with pytest.raises(click.BadParameter, match="must be a number from 0 to 100, got"):
        number(0, 100)(text)


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("99.5", 99.5), ("100", 100.0)])
def test_the_bounds_of_a_number_are_included(text, value):
    assert number(0, 100)(text) == value
