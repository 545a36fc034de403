"""What no file may hold: each ends as a problem with a place, none as a crash, a hang or a silent loss."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

from steelyard._config.yaml_parsers import Parser, c_parser, pure_parser
from steelyard._config.yaml_source import YamlReader
from steelyard.errors import BenchmarkError


def test_every_key_that_is_given_twice_is_named_with_both_lines(faults_of: Any) -> None:
    suite = """name: demo
prompts:
  - id: v1
    template: "{{ q }}"
models: [m]
test_cases:
  - id: c1
    variables: {q: hi, q: ho}
    evaluation: exact_match
    expected_output: refund
    expected_output: policy
name: other
"""

    assert faults_of(suite) == [
        "f.yaml:8:24: key 'q' is given twice; first in line 8; keep one of them",
        "f.yaml:11:5: key 'expected_output' is given twice; first in line 10; keep one of them",
        "f.yaml:12:1: key 'name' is given twice; first in line 1; keep one of them",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1: a", "f.yaml:1:1: key '1' must be text, got 1; quote it: \"1\""),
        ("a:\n  yes: b", "f.yaml:2:3: key 'yes' must be text, got true; quote it: \"yes\""),
        ("~: a", "f.yaml:1:1: key '~' must be text, got null; quote it: \"~\""),
        ("? [a]\n: b", "f.yaml:1:3: a key must be text, got ['a']; quote it"),
        ("t: {{ q }}", "f.yaml:1:5: a key must be text, got {'q': None}; quote a text that begins with \"{{\""),
    ],
)
def test_a_key_that_is_not_text_is_to_be_quoted(faults_of: Any, text: str, wanted: str) -> None:
    assert faults_of(text) == [wanted]


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!set", "!!binary", "!!omap", "!foo"])
def test_a_tag_that_plain_data_does_not_need_is_refused(faults_of: Any, tag: str) -> None:
    hint = "remove it, or quote the text that begins with '!'"

    assert faults_of(f"a: {tag} x") == [f"f.yaml:1:4: tag {tag!r} is not supported; {hint}"]
    assert faults_of(f"a: {tag} [x]") == [f"f.yaml:1:4: tag {tag!r} is not supported; {hint}"]
    assert faults_of(f"{tag} {{a: x}}") == [f"f.yaml:1:1: tag {tag!r} is not supported; {hint}"]


def test_a_value_that_is_not_of_its_tags_type_is_a_problem(faults_of: Any) -> None:
    assert faults_of("a: !!int x") == ["f.yaml:1:4: 'x' is no value of the type '!!int'"]
    assert faults_of("a: !!null x") == ["f.yaml:1:4: 'x' is no value of the type '!!null'"]


def test_problems_of_different_kinds_are_found_in_one_go(faults_of: Any) -> None:
    found = faults_of("a: !foo 1\na: 2\n3: c\n")

    assert [fault.split(": ")[0] for fault in found] == ["f.yaml:1:4", "f.yaml:2:1", "f.yaml:3:1"]


def test_a_file_that_is_nothing_but_problems_names_a_hundred_of_them(faults_of: Any) -> None:
    assert len(faults_of("a: 1\n" * 500)) == 100


def test_an_alias_inside_what_it_refers_to_is_refused(faults_of: Any) -> None:
    wanted = "alias '*x' stands inside the value that it refers to"

    assert faults_of("tags: &x [*x]") == [f"f.yaml:1:11: {wanted}"]
    assert faults_of("a: &x\n  <<: *x\n") == [f"f.yaml:2:7: {wanted}"]


def test_an_alias_without_an_anchor_is_refused(faults_of: Any) -> None:
    assert faults_of("a: *x") == ["f.yaml:1:4: alias '*x' has no anchor '&x' before it"]


def test_an_alias_bomb_is_refused_before_it_takes_memory(faults_of: Any) -> None:
    levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for old, new in itertools.pairwise("abcdefghi"):
        levels.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    started = time.process_time()

    assert faults_of("\n".join(levels)) == [
        # a holds 11 values, b 111, and so on to f with 1,111,111. The aliases of lines 2 to 6 stand for
        # 10 × (11 + 111 + 1,111 + 11,111 + 111,111) = 1,234,550 values; the first one of line 7 is too many.
        "f.yaml:7:8: aliases stand for more than 2000000 values; use fewer aliases of aliases"
    ]
    assert time.process_time() - started < 20


def test_a_bomb_of_merges_is_refused_too(faults_of: Any) -> None:
    wide = "{" + ", ".join(f"k{number}: 0" for number in range(1000)) + "}"
    text = f"a: &a {wide}\nb: {{<<: [{', '.join(['*a'] * 2100)}]}}"

    assert faults_of(text)[0].endswith("aliases stand for more than 2000000 values; use fewer aliases of aliases")


def test_many_cases_may_share_one_anchor(value_of: Any) -> None:
    shared = "d: &d {" + ", ".join(f"k{number}: 0" for number in range(50)) + "}\n"
    found = value_of(shared + "cases:\n" + "- {<<: *d, id: x}\n" * 2000)

    assert len(found["cases"]) == 2000
    assert len(found["cases"][-1]) == 51


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("depth", [201, 3000])
def test_deep_nesting_is_a_problem(faults_of: Any, opening: str, depth: int) -> None:
    assert faults_of(opening * depth)[0].endswith(": nested more than 200 levels deep")


def test_two_hundred_levels_are_read(value_of: Any) -> None:
    value = value_of("[" * 200 + "x" + "]" * 200)
    for _ in range(200):
        (value,) = value

    assert value == "x"


@pytest.mark.parametrize("number", ["1" * 4301, "-" + "9" * 5000, "0x" + "f" * 3572, "0b" + "1" * 14285])
def test_an_integer_of_more_than_4300_digits_is_a_problem(faults_of: Any, number: str) -> None:
    wanted = "an integer has more than 4300 digits; quote it if it is text"

    assert faults_of(f"a: {number}") == [f"f.yaml:1:4: {wanted}"]


def test_a_second_document_is_refused_where_it_starts(faults_of: Any) -> None:
    assert faults_of("a: b\n---\nc: d\n") == ["f.yaml:2:1: a second document starts here; keep one in each file"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: b: c", "1:5"),
        ("a: [1, 2}", "1:9"),
        ("a: |\n  x\n y\n", "3:2"),
        ("a: 'x\n", "1:4"),
        ("%YAML 3.0\n---\na", "1:1"),
    ],
)
def test_bad_syntax_is_told_with_line_and_column(faults_of: Any, text: str, place: str) -> None:
    (fault,) = faults_of(text)

    assert fault.startswith(f"f.yaml:{place}: not valid YAML: ")


def test_a_tab_for_indentation_is_told_as_such(faults_of: Any) -> None:
    (fault,) = faults_of("a:\n\tb: 1")

    assert fault.startswith("f.yaml:2:1: not valid YAML: ")
    assert fault.endswith("; indent with spaces, not tabs")


@pytest.mark.parametrize(
    ("character", "name"), [("\0", "U+0000"), ("\x07", "U+0007"), ("\x1b", "U+001B"), ("\x85\x80", "U+0080")]
)
def test_a_control_character_is_refused_with_its_place(faults_of: Any, character: str, name: str) -> None:
    (fault,) = faults_of(f"a: b\nc: x{character}y\n")

    assert fault.startswith("f.yaml:2:")
    assert f"control character {name} is not allowed in YAML; remove it, or write it as" in fault


def test_an_impossible_escape_is_a_problem(faults_of: Any) -> None:
    (fault,) = faults_of('a: "\\UFFFFFFFF"')

    assert "not valid YAML: " in fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("word: Note: this\n", "1:11: {}: a value that is not quoted holds ': '; quote the value"),
        ("a:\n  - t: Note: this\n", "2:12: {}: a value that is not quoted holds ': '; quote the value"),
        ("a: 1\n  b: 2\n", "2:4: {}: is indented further than what it belongs to; align it with its neighbours"),
        (
            "a:\n    b: 1\n  c: 2\n",
            "3:3: {}: is indented unlike its neighbours; align it with the mapping that begins in line 1",
        ),
        (
            "t:\n  - id: a\n    x: 1\n   y: 2\n",
            "4:4: {}: is indented unlike its neighbours; align it with the list that begins in line 2",
        ),
        ('a: 1\nb: "abc\nc: 2\n', "2:4: {}: this quote is never closed; close it, or quote the other way round"),
        ('b: "abc\nc: "def"\n', "2:5: {}: the value ended before this; a quote above may not be closed"),
        ('a: "x" y\n', "1:8: {}: the value ended before this; quote the whole value"),
        ("a: @x\n", "1:4: {}: a value cannot begin with '@'; quote the value"),
        (
            "a: [1, 2\nb: 3\n",
            "2:2: {}: expected ',' or ']' in the list that begins in line 1; close it, or quote the value",
        ),
        (
            "a: 1\nbcd\ne: 2\n",
            "2:1: {}: a line without ': '; write KEY: VALUE, or indent it where it goes on with a text",
        ),
    ],
)
@pytest.mark.parametrize("parser", [c_parser, pure_parser], ids=["libyaml", "pure"])
def test_bad_syntax_is_told_alike_by_both_parsers_and_says_what_to_do(text: str, fault: str, parser: Parser) -> None:
    with pytest.raises(BenchmarkError) as caught:
        YamlReader(text, "f.yaml", parser).read()

    assert str(caught.value) == "f.yaml:" + fault.format("not valid YAML")
