"""What a native file must have, and what it must not: every mistake is named with its place."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("key", ["name", "models", "prompts", "test_cases"])
def test_a_missing_part_is_an_error(read, sound, key):
    reading = read(sound(**{key: None}))

    assert any(f"'{key}' is required" in error for error in reading.errors)


@pytest.mark.parametrize("key", ["name", "models", "prompts", "test_cases"])
def test_a_part_without_a_value_counts_as_missing(read, sound, key):
    reading = read(sound(**{key: "null"}))

    assert any(f"'{key}' is required" in error for error in reading.errors)


@pytest.mark.parametrize("text", ["[1, 2]", "just text", "3"])
def test_a_file_that_is_no_mapping_is_an_error(read, text):
    reading = read(text)

    assert reading.benchmark is None
    assert len(reading.errors) == 1
    assert "must be a mapping" in reading.errors[0]


def test_an_unknown_key_at_the_top_is_an_error_with_a_suggestion(read, sound):
    reading = read(sound(qualty_threshold="100"))

    assert reading.errors == [
        "bench.yaml:5:1: qualty_threshold: unknown key 'qualty_threshold'; did you mean 'quality_threshold'?"
    ]


@pytest.mark.parametrize("key", ["_anchors", "x-note"])
def test_private_keys_are_never_flagged_anywhere(read, sound, key):
    reading = read(
        sound(
            **{key: "{anything: [1]}"},
            inference=f"{{temperature: 0, {key}: 1}}",
            evaluation=f"{{judge_threshold: 0.5, {key}: 1}}",
            prompts=f'[{{id: v1, template: "x", {key}: 1}}]',
            test_cases=f"[{{id: c1, expected_output: a, evaluation: exact_match, {key}: 1}}]",
        )
    )

    assert reading.problems == ()


@pytest.mark.parametrize(
    ("blocks", "place"),
    [
        ({"inference": "{temprature: 0}"}, "bench.yaml:6:13: inference.temprature: unknown key 'temprature'"),
        ({"evaluation": "{judge: m}"}, "bench.yaml:6:14: evaluation.judge: unknown key 'judge'"),
        ({"prompts": "[{id: v1, template: x, sytem: y}]"}, "bench.yaml:3:33: prompts[0].sytem: unknown key 'sytem'"),
        (
            {"test_cases": "[{id: c1, expected_output: a, evaluation: exact_match, tag: b}]"},
            "bench.yaml:4:68: test_cases[0].tag: unknown key 'tag'",
        ),
    ],
)
def test_an_unknown_key_inside_a_part_is_a_warning_that_names_where(read, sound, blocks, place):
    reading = read(sound(variables="{q: a}", **blocks))

    assert reading.errors == []
    assert [warning for warning in reading.warnings if warning.startswith(place)] != []


@pytest.mark.parametrize("key", ["inference", "evaluation", "gate", "variables", "providers", "scorers", "metadata"])
def test_a_bare_key_counts_as_absent(read, sound, key):
    reading = read(sound(**{key: ""}))

    assert reading.problems == ()


@pytest.mark.parametrize("key", ["inference", "evaluation", "gate", "variables", "providers", "metadata"])
def test_a_list_where_a_mapping_belongs_is_one_error(read, sound, key):
    reading = read(sound(**{key: "[x]"}))

    assert reading.errors == [f"bench.yaml:5:{len(key) + 3}: {key}: must be a mapping, got ['x']"]


@pytest.mark.parametrize(
    ("blocks", "path"),
    [
        ({"name": "3"}, "name"),
        ({"prompts": "[{id: 7, template: x}]"}, "prompts[0].id"),
        ({"test_cases": "[{id: 007, expected_output: a, evaluation: exact_match}]"}, "test_cases[0].id"),
    ],
)
def test_a_name_that_is_no_text_is_to_be_quoted(read, sound, blocks, path):
    reading = read(sound(**blocks))

    assert len(reading.errors) == 1
    assert f": {path}: must be text, got " in reading.errors[0]
    assert reading.errors[0].endswith("; quote it")


def test_all_problems_of_a_file_are_found_in_one_go(read, sound):
    reading = read(
        sound(
            name="3",
            models="[m, m]",
            quality_threshold="120",
            concurrency="0",
            inference="{max_tokens: 50.5}",
            test_cases="[{id: c1, expected_output: a}, {id: c1, expected_output: a, evaluation: exact_match}]",
        )
    )

    paths = [problem.path for problem in reading.problems]
    assert paths == [
        "name",
        "models[1]",
        "inference.max_tokens",
        "test_cases[0]",
        "test_cases[1].id",
        "quality_threshold",
        "concurrency",
        "prompts[0].template",
    ]


def test_a_second_case_with_an_id_names_both_places(read, sound):
    case = "id: c1, variables: {q: a}, expected_output: a, evaluation: exact_match"
    reading = read(sound(test_cases=f"- {{{case}}}\n- {{{case}}}"))

    assert reading.errors == ["bench.yaml:6:10: test_cases[1].id: id 'c1' is used twice; first at bench.yaml:5:5"]


@pytest.mark.parametrize("key", ["models", "prompts", "test_cases"])
def test_an_empty_list_is_an_error(read, sound, key):
    assert any(f": {key}: must hold at least one" in error for error in read(sound(**{key: "[]"})).errors)


@pytest.mark.parametrize(("key", "value"), [("prompts", "[x]"), ("test_cases", "[x, 3]"), ("models", "[[a]]")])
def test_an_element_of_the_wrong_kind_is_an_error_and_no_crash(read, sound, key, value):
    assert any(f": {key}[0]: must be a" in error for error in read(sound(**{key: value})).errors)


@pytest.mark.parametrize(
    ("keys", "ours"),
    [
        ({"name", "models", "prompts", "test_cases"}, True),
        ({"models", "prompts", "providers"}, True),
        ({"name", "models"}, True),
        ({"test_cases"}, True),
        ({"extends"}, True),
        ({"name", "target", "tasks"}, False),
        ({"name", "cases", "model"}, False),
        ({"providers", "prompts", "tests"}, False),
        ({"name"}, False),
        (set(), False),
    ],
)
def test_the_keys_tell_whose_file_it_is(keys, ours):
    from steelyard_builtins.formats.native.reader import NativeFormat

    assert NativeFormat(None).recognises(dict.fromkeys(keys)) is ours
