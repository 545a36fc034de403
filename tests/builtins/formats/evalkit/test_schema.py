"""The JSON Schema of evalkit suites agrees with what the reader takes and refuses."""

from __future__ import annotations

import jsonschema
import pytest
import yaml
from steelyard_builtins.formats.evalkit.keys import OPTIONS, SETTINGS, TASK, TOP_LEVEL
from steelyard_builtins.formats.evalkit.schema import schema


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft202012Validator(schema())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


def test_the_schema_knows_exactly_the_keys_of_the_reader():
    found = schema()

    assert set(found["properties"]) == TOP_LEVEL
    assert set(found["$defs"]["task"]["properties"]) == TASK
    assert set(found["$defs"]["settings"]["properties"]) == SETTINGS
    assert [shape["properties"]["type"]["const"] for shape in found["$defs"]["grader"]["oneOf"]] == list(OPTIONS)


@pytest.mark.parametrize(
    "blocks",
    [
        {},
        {"tasks": "t.jsonl", "graders": "[{type: exact, value: b}]"},
        {"judge": "{provider: mock}", "graders": "[{type: llm_judge, rubric: ok, weight: 2, negate: true}]"},
        {"settings": "{repeat: 3, fail_under: 0.5, cache: false}", "version": "1", "prompt": "'{{ input }}'"},
    ],
)
def test_what_the_reader_takes_the_schema_takes(validator, read, suite, blocks):
    text = suite(**blocks)

    assert read(text, {"t.jsonl": '{"input": "b"}\n'}).errors == []
    assert list(validator.iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize(
    "blocks",
    [
        {"name": None},
        {"promt": "x"},
        {"graders": "[{type: exct}]"},
        {"graders": "[{type: exact, vlaue: b}]"},
        {"graders": "[{type: llm_judge}]"},
        {"settings": "{repeat: 0}"},
        {"tasks": "[]"},
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(validator, read, suite, blocks):
    text = suite(**blocks)

    assert read(text).errors != []
    assert list(validator.iter_errors(yaml.safe_load(text))) != []
