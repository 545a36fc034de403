from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steelyard_builtins.scorers._numbers import numbers, only_number


def read(text, mark="."):
    return [str(number.value) for number in numbers(text, mark)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The total is 72 boxes, altogether.", ["72"]),
        ("Her order costs $29.00.", ["29.00"]),
        ("That makes 1,250.50.", ["1250.50"]),
        ("pi is roughly (3.14).", ["3.14"]),
        ("Out of 100 people asked, the share is 20%.", ["100", "20"]),
        ("the result is -5 exactly", ["-5"]),
        ("it is 33.14", ["33.14"]),
        ("Hence $\\boxed{1{,}234}$.", ["1234"]),
        ("1\\,234\\,567 or 1{,}234{,}567", ["1234567", "1234567"]),
        ("So x = $\\boxed{-7}$", ["-7"]),
        ("3,14", ["3", "14"]),
        ("1,2,3", ["1", "2", "3"]),
        ("(1,234,5)", ["1", "234", "5"]),
        ("1,000,000 and 12,345.678", ["1000000", "12345.678"]),
        ("10-5", ["10", "5"]),
        ("x = -5", ["-5"]),
        ("a list:\n- 5 apples", ["5"]),
        ("9007199254740993", ["9007199254740993"]),
        ("\u22127 and \uff0d8", ["-7", "-8"]),
        ("-$5, $-6, -€7.50", ["-5", "-6", "-7.50"]),
        ("1\u202f250 and 1\u00a0250 and 1_250", ["1250", "1250", "1250"]),
        ("答案是42。", ["42"]),
        (".5 and No.5", ["0.5", "5"]),
        ("version 1.2.3 of v2 on gpt-4, 192.168.0.1", []),
        ("v1.2, v1.2.3, gpt-4.1 and item3.5 are names", []),
        ("an area of 25 m^2", ["25"]),
        ("5.", ["5"]),
        ("no number here", []),
        ("", []),
    ],
)
def test_numbers_are_read_as_they_are_meant(text, wanted):
    assert read(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("about 1e3", Decimal(1000)),
        ("2.5e-3", Decimal("0.0025")),
        ("-0.0", Decimal(0)),
        ("2.5 × 10^6", Decimal(2500000)),
        ("$3 \\times 10^{-2}$", Decimal("0.03")),
        ("6.02*10**3", Decimal(6020)),
        ("10^5", Decimal(100000)),
        ("10^{\u22123}", Decimal("0.001")),
    ],
)
def test_scientific_notation_is_one_number(text, wanted):
    (number,) = numbers(text)

    assert number.value == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("3,14", ["3.14"]), ("1.250,50", ["1250.50"]), ("1.234.567", ["1234567"]), ("1 und 2,5.", ["1", "2.5"])],
)
def test_the_decimal_mark_may_be_a_comma(text, wanted):
    assert read(text, ",") == wanted


@given(value=st.integers(-(10**30), 10**30))
@settings(derandomize=True)
def test_every_whole_number_is_read_to_the_last_digit_with_and_without_separators(value):
    assert read(f"It is {value}.") == [str(value)]
    assert read(f"It is {value:,}.") == [str(value)]


@given(value=st.decimals(-(10**12), 10**12, places=4))
@settings(derandomize=True)
def test_every_decimal_is_read_as_it_is(value):
    assert [number.value for number in numbers(f"({value:f})")] == [value]


@pytest.mark.parametrize(
    "unit",
    [
        *("1,", "1.1", "1,111", "-", "10^", "1 ", "1_", "9", "1e9", "\\,", ".", "1{,}"),
        *("1/", "12,34,", "1'", "\\frac{1", "= - ", "\u20131", "1 / 2 "),
    ],
)
def test_no_text_makes_the_reading_slow(unit):
    started = time.process_time()

    for _number in numbers(unit * (200_000 // len(unit))):
        pass

    assert time.process_time() - started < 20


def test_a_text_is_a_number_only_when_nothing_else_is_in_it():
    assert only_number(" 1,250.50 ") == Decimal("1250.50")
    assert only_number("72 boxes") is None
    assert only_number("1 2") is None
    assert only_number("") is None
