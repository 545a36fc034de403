"""Variables that a template writes otherwise than the file does."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("0123", "is 0123, which a template writes as '83'; quote it if it is text: \"0123\""),
        ("1.10", "is 1.10, which a template writes as '1.1'; quote it if it is text: \"1.10\""),
        ("1_000", "is 1_000, which a template writes as '1000'"),
        ("null", "is null, which a template writes as 'None'; write \"\" for nothing"),
        ("~", "is ~, which a template writes as 'None'"),
        ("1.5", None),
        ("-17", None),
        ('"0123"', None),
        ('""', None),
    ],
)
@pytest.mark.parametrize("shared", [False, True])
def test_a_number_or_null_that_is_written_otherwise_is_a_warning(read, sound, written, said, shared):
    block = f"{{q: {written}}}"
    variables = {"variables": block, "test_cases": "[{id: a, expected_output: x, evaluation: exact_match}]"}
    case = {"test_cases": f"[{{id: a, variables: {block}, expected_output: x, evaluation: exact_match}}]"}

    warnings = read(sound(**(variables if shared else case))).warnings

    assert len(warnings) == (said is not None)
    assert all(f"variables.q: {said}" in warning for warning in warnings)


def test_the_same_holds_for_json(read):
    text = """{"name": "n", "models": ["m"], "prompts": [{"id": "p", "template": "{{ q }}"}], "test_cases":
    [{"id": "a", "variables": {"q": 1.10}, "expected_output": "x", "evaluation": "exact_match"}]}"""

    (warning,) = read(text, name="bench.json").warnings

    assert warning.startswith("bench.json:2:37: test_cases[0].variables.q: is 1.10, which a template writes as '1.1'")


def test_a_value_of_the_extended_file_is_read_in_that_file(read, sound):
    base = sound(variables="{q: 007}", test_cases="[{id: a, expected_output: x, evaluation: exact_match}]")

    (warning,) = read("extends: base.yaml\nname: mine\n", {"base.yaml": base}).warnings

    assert warning.startswith("base.yaml:")
    assert "is 007, which a template writes as '7'" in warning


@pytest.mark.parametrize(
    "template",
    ["{{ 'a' if q else 'b' }}", "{{ q or 'nobody' }}", "{{ q | default('nobody', true) }}", "{% if q %}a{% endif %}"],
)
def test_a_null_that_a_template_asks_about_is_no_warning(read, sound, template):
    prompts = f'[{{id: p, template: "{template}"}}]'
    cases = "[{id: a, variables: {q: null}, expected_output: x, evaluation: exact_match}]"

    assert read(sound(prompts=prompts, test_cases=cases)).warnings == []


def test_an_alias_is_no_spelling_of_its_own(read, sound):
    cases = "[{id: a, variables: {q: *n}, expected_output: x, evaluation: exact_match}]"

    assert read("_n: &n 17\n" + sound(test_cases=cases)).warnings == []
