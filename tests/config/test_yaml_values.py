"""What a YAML text stands for: YAML 1.1 as PyYAML reads it, but for dates and clock times."""

from __future__ import annotations

import math
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("yes", True),
        ("No", False),
        ("on", True),
        ("OFF", False),
        ("true", True),
        ("y", "y"),
        ("~", None),
        ("null", None),
        ("", None),
        ("12", 12),
        ("-7", -7),
        ("007", 7),
        ("010", 8),
        ("08", "08"),
        ("0o17", "0o17"),
        ("0x1F", 31),
        ("0b101", 5),
        ("0x_", "0x_"),
        ("1_000", 1000),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1.0e+3", 1000.0),
        ("1e3", "1e3"),
        ("2024-01-15", "2024-01-15"),
        ("2024-99-99", "2024-99-99"),
        ("2024-01-15T10:00:00Z", "2024-01-15T10:00:00Z"),
        ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.10 -5"),
        ("1:30", "1:30"),
        ("190:20:30.15", "190:20:30.15"),
        ("=", "="),
        ("'yes'", "yes"),
        ('"12"', "12"),
        ("! 12", "12"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float 3", 3.0),
        ("!!bool yes", True),
        ("!!null ''", None),
        ("!!timestamp 2024-01-15", "2024-01-15"),
        ("!!map {a: 1}", {"a": 1}),
        ("!!seq [1]", [1]),
        ('"a\\tb\\u00e9"', "a\tbé"),
    ],
)
def test_a_scalar_means_what_yaml_1_1_says_and_a_date_stays_text(value_of: Any, written: str, wanted: Any) -> None:
    value = value_of(f"k: {written}")["k"]

    assert value == wanted
    assert type(value) is type(wanted)


def test_infinities_and_nan_are_floats(value_of: Any) -> None:
    found = value_of("[.inf, -.INF, +.inf, .nan]")

    assert found[:3] == [math.inf, -math.inf, math.inf]
    assert math.isnan(found[3])


def test_an_integer_of_4300_digits_is_read_exactly(value_of: Any) -> None:
    assert value_of("k: " + "9" * 4300) == {"k": 10**4300 - 1}


def test_an_empty_text_has_no_value(value_of: Any) -> None:
    assert value_of("") is None
    assert value_of("# only a comment\n") is None
    assert value_of("---\n...\n") is None


def test_carriage_returns_before_line_feeds_are_no_part_of_values(value_of: Any) -> None:
    assert value_of("a: b\r\nc: |\r\n  d\r\n  e\r\n") == {"a": "b", "c": "d\ne\n"}


def test_a_merge_brings_in_what_the_mapping_does_not_have(value_of: Any) -> None:
    text = "x: &a {p: 1, q: 2}\ny:\n  <<: *a\n  q: 3\n"

    assert value_of(text)["y"] == {"p": 1, "q": 3}


def test_of_several_merged_mappings_the_first_wins(value_of: Any) -> None:
    text = "x: &a {p: 1}\ny: &b {p: 2, r: 5}\nz: {<<: [*a, *b]}\n"

    assert value_of(text)["z"] == {"p": 1, "r": 5}


def test_a_merged_mapping_may_itself_be_merged(value_of: Any) -> None:
    text = "x: &a {p: 1}\ny: &b {<<: *a, q: 2}\nz: {<<: *b, r: 3}\n"

    assert value_of(text)["z"] == {"p": 1, "q": 2, "r": 3}


def test_a_quoted_merge_sign_is_a_key_like_any_other(value_of: Any) -> None:
    assert value_of("'<<': 1") == {"<<": 1}


def test_aliases_stand_for_what_their_anchor_marks(value_of: Any) -> None:
    assert value_of("- &a {k: [1]}\n- *a\n- &t text\n- {*t : *t}") == [{"k": [1]}, {"k": [1]}, "text", {"text": "text"}]


def test_an_anchor_may_be_used_again_for_something_else(value_of: Any) -> None:
    assert value_of("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]


def test_escaped_surrogate_pairs_become_one_character_and_a_lone_half_stays(document: Any) -> None:
    assert document('k: "\\ud83d\\ude00 \\ud800"').value == {"k": "😀 \ud800"}


def test_a_byte_order_mark_is_no_part_of_the_text(document: Any) -> None:
    assert document(b"\xef\xbb\xbfname: demo\nmodels: [m]\n").value == {"name": "demo", "models": ["m"]}
    assert document("\ufeffk: ä".encode("utf-16-le")).value == {"k": "ä"}
    assert document("\ufeffk: ä".encode("utf-16-be")).value == {"k": "ä"}
    assert document("k: a\ufeffb").value == {"k": "a\ufeffb"}
