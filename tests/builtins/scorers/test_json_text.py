from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steelyard_builtins.scorers._json_answer import read_answer
from steelyard_builtins.scorers._json_text import find, parse, parse_forgiving

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=5), inside, max_size=4),
    max_leaves=20,
)
CONTAINERS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4) | st.lists(VALUES, max_size=4)
PROSE = st.text(st.characters(exclude_characters='{}[]"', exclude_categories=("Cs",)), max_size=30)


def found(text):
    return [item.value for item in find(text)]


@given(before=PROSE, value=CONTAINERS, after=PROSE)
@settings(derandomize=True)
def test_whatever_json_stands_between_words_is_found_as_it_is(before, value, after):
    assert found(f"{before}{json.dumps(value)}{after}") == [value]


@given(text=st.text(st.sampled_from('{}[]":, \\a1'), max_size=60))
@settings(derandomize=True, max_examples=500)
def test_no_text_of_brackets_and_quotes_breaks_the_search(text):
    for item in find(text):
        assert json.loads(text[item.start : item.end]) == item.value


def test_a_brace_inside_a_string_does_not_end_an_object():
    text = 'Result: {"status": "ok", "note": "close with } here", "n": {"a": [1, {"b": 2}]}} Done!'

    assert found(text) == [{"status": "ok", "note": "close with } here", "n": {"a": [1, {"b": 2}]}}]


def test_a_brace_in_prose_is_passed_over():
    assert found('For a set {about travel} I return: {"status": "ok"}') == [{"status": "ok"}]


def test_a_quote_in_a_brace_of_prose_does_not_hide_what_follows():
    assert found('Set {the "first} one: {"status": "ok"}') == [{"status": "ok"}]


def test_a_bracket_that_a_sentence_names_is_no_json_that_was_cut_off():
    items = list(find('Open with "{", close it, and you have {"status": "ok"}'))

    assert [(item.value, item.doubtful) for item in items] == [({"status": "ok"}, False)]


def test_an_object_in_quotes_that_is_cut_off_leaves_what_is_in_it_doubtful():
    assert [item.doubtful for item in find('It says "{"a": 1, "b": {"status": "ok"}, "c')] == [True]


def test_broken_json_is_not_taken_apart():
    assert found('{"a": NaN, "b": {"status": "ok"}}') == []
    assert found('{"a": 1, "a": 2, "b": {"status": "ok"}}') == []
    assert found('[{"status": "ok"}, oops]') == []


def test_what_stands_inside_json_that_never_closes_is_doubtful():
    (item,) = find('{"items": [{"status": "ok"}, {"stat')

    assert item.value == {"status": "ok"}
    assert item.doubtful


@pytest.mark.parametrize("unit", ["[", "{", '{"', '{"a":', '{"\\"', '["', "[{", '"{', "]{", '[1,"', "\\{"])
def test_the_work_grows_no_faster_than_the_text(unit):
    text = unit * (200_000 // len(unit))
    started = time.process_time()

    assert found(text) == []

    assert time.process_time() - started < 20


def test_nesting_has_a_limit_well_below_the_one_of_the_interpreter():
    assert parse("[" * 100 + "]" * 100)
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        parse("[" * 101 + "]" * 101)
    assert found("see " + "[" * 5000 + "]" * 5000) == []


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", '{"a": 1, "a": 1}', "", "{", "1 2"])
def test_what_strict_json_does_not_have_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def test_a_forgiving_reader_repairs_outside_strings_only():
    assert parse_forgiving('{"a": ", }", "b": [1, 2,],}') == {"a": ", }", "b": [1, 2]}
    assert parse_forgiving('{"a": "one\ntwo"}') == {"a": "one\ntwo"}
    with pytest.raises(ValueError, match=r"."):
        parse_forgiving("{'a': 1}")


@pytest.mark.parametrize(
    ("text", "kind", "wanted"),
    [
        ('{"a": 1}', None, {"a": 1}),
        ("42", None, 42),
        ("```json\n[1, 2]\n```", None, [1, 2]),
        ('A draft:\n```\n{"a": 1}\n```\nand the answer:\n```json\n{"a": 2}\n```', None, {"a": 2}),
        ('As in [1], the answer is {"a": 1}', None, {"a": 1}),
        ('The set {"a": 1} gives [3, 4]', "array", [3, 4]),
        ('A draft {"a": 1}, the answer {"a": 2}.', None, {"a": 2}),
        ('\ufeff{"a": 1}', None, {"a": 1}),
        ("```\nnot json\n```\n[5]", None, [5]),
    ],
)
def test_the_answer_is_the_whole_or_the_last_fence_or_the_last_value(text, kind, wanted):
    assert read_answer(text, kind=kind) == wanted


@pytest.mark.parametrize("text", ["", "no json", '{"a": 1', '{"items": [{"a": 1}, {"b', '{"a": NaN}'])
def test_half_an_answer_is_no_answer(text):
    with pytest.raises(ValueError, match="no readable JSON"):
        read_answer(text)


def test_without_extraction_the_whole_output_must_be_json():
    assert read_answer(' {"a": 1}\n', extract=False) == {"a": 1}
    with pytest.raises(ValueError, match="the whole output is not JSON"):
        read_answer('Result: {"a": 1}', extract=False)
