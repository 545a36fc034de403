"""Whatever value is written as YAML is read as the same value, by every reader."""

from __future__ import annotations

import hypothesis.strategies as some
import pytest
import yaml
from hypothesis import given, settings
from steelyard_builtins.formats.native.yaml_text import yaml_of

TRAPS = [
    "", " ", "yes", "No", "ON", "null", "~", "true", "y", "1", "1.5", "1e5", "0x1f", "1_000", "12:30:45", "2024-01-01",
    ".inf", ".nan", "-", "- a", "? a", "a: b", "a:", ":a", "# a", "a # b", "a #b", "&a", "*a", "!a", "!!str a", "%a",
    "@a", "`a", "'a'", '"a"', "{a}", "[a]", "{{ a }}", "|", ">", "|\n a", "=", "<<", "---", "...", "a\n---\nb", "\t",
    "a\tb", " a", "a ", "a\n", "a\n\n", "\na", "a\n b", " a\nb", "a\n\nb", "a \nb", "a\r\nb", "a\rb", "a\u0085b",
    "a\u2028b\nc", "a\u00a0b\nc", "\ufeffa", "\x00", "\x1b[2J", "\x7f", "💡", "é\n💡", "a\\b", 'a"b\nc',
    "\ud800", "x" * 300,
]  # fmt: skip


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader], ids=["python", "c"])
@pytest.mark.parametrize("text", [text for text in TRAPS if text != "\ud800"], ids=ascii)
def test_a_text_that_looks_like_something_else_stays_that_text(text, loader):
    value = {"a": text, "b": [text, [text], {"c": text}], "d": {text: 1}}

    assert yaml.load(yaml_of(value), loader) == value


def test_a_lone_surrogate_is_written_so_that_the_file_can_be_encoded():
    assert yaml_of({"a": "\ud800"}) == 'a: "\\ud800"\n'


def test_numbers_keep_value_and_type():
    value = {
        "a": [1, 1.0, 1e-7, 1e22, -0.5, True, False, None],
        "b": 1e-5,
        "c": 10**30,
        "d": {},
        "e": [],
        "f": [[], {}],
    }

    read = yaml.safe_load(yaml_of(value))

    assert read == value
    assert [type(one) for one in read["a"]] == [type(one) for one in value["a"]]


TEXT = some.characters(exclude_categories=["Cs"])
SCALARS = (
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats(allow_nan=False, allow_infinity=False)
    | some.text(TEXT)
)
JSON = some.recursive(
    SCALARS,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(TEXT, max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150)
@given(some.dictionaries(some.sampled_from(["a", "b", "c"]), JSON, min_size=1))
def test_any_value_comes_back(value):
    assert yaml.load(yaml_of(value), yaml.CSafeLoader) == value


def test_it_reads_like_a_file_that_a_person_wrote():
    value = {"id": "v1", "text": "one\n  two\n", "tags": ["easy", "a b"], "list": [{"a": 1, "b": ["x" * 70]}, "c"]}

    assert yaml_of(value).splitlines() == [
        "id: v1",
        "text: |",
        "  one",
        "    two",
        'tags: [easy, "a b"]',
        "list:",
        "  - a: 1",
        "    b:",
        f"      - {'x' * 70}",
        "  - c",
    ]
