"""The JSON Schema of suites of the eval tool agrees with what the reader takes and refuses."""

from __future__ import annotations

import jsonschema
import pytest
import yaml
from steelyard_builtins.formats.eval_cli.keys import CASE, CRITERIA, TOP_LEVEL
from steelyard_builtins.formats.eval_cli.schema import schema


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft202012Validator(schema())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


def test_the_schema_knows_exactly_the_keys_of_the_reader():
    found = schema()
    criteria = found["$defs"]["criterion"]["oneOf"][:-1]

    assert set(found["properties"]) == TOP_LEVEL
    assert set(found["$defs"]["case"]["properties"]) == CASE
    assert {shape["properties"]["type"]["const"]: set(shape["properties"]) for shape in criteria} == CRITERIA


@pytest.mark.parametrize(
    "blocks",
    [
        {},
        {"cases": "[{prompt: a, criteria: [{type: sentiment, expected: positive}]}]"},
        {"cases": "[{turns: [{role: user, content: a}], criteria: [{type: max_words, value: 3}]}]"},
        {"temperature": "0", "model": "m", "max_tokens": "5", "system_prompt": "x", "description": "y"},
    ],
)
def test_what_the_reader_takes_the_schema_takes(validator, read, suite, blocks):
    text = suite(**blocks)

    assert read(text).errors == []
    assert list(validator.iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize(
    "blocks",
    [
        {"name": None},
        {"cases": "[]"},
        {"cases": "[{prompt: a, criteria: []}]"},
        {"cases": "[{prompt: a, criteria: [{type: contains}]}]"},
        {"cases": "[{prompt: a, criteria: [{type: code_execution, language: perl}]}]"},
        {"temperature": "3"},
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(validator, read, suite, blocks):
    text = suite(**blocks)

    assert read(text).errors != []
    assert list(validator.iter_errors(yaml.safe_load(text))) != []
