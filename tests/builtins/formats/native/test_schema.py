"""The JSON Schema of native files agrees with what the reader takes and refuses."""

from __future__ import annotations

import jsonschema
import pytest
import yaml
from steelyard_builtins.formats.native import keys
from steelyard_builtins.formats.native.schema import schema


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft202012Validator(schema())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ((), keys.TOP_LEVEL),
        (("properties", "inference"), keys.INFERENCE),
        (("properties", "evaluation"), keys.EVALUATION),
        (("properties", "gate"), keys.GATE),
        (("$defs", "prompt"), keys.PROMPT),
        (("$defs", "test_case"), keys.CASE),
        (("$defs", "case_template"), keys.CASE),
        (("$defs", "turn"), keys.TURN),
        (("$defs", "data_file"), keys.DATA_FILE),
        (("$defs", "model", "anyOf", 1), keys.MODEL),
        (("$defs", "scorer", "anyOf", 1), keys.SCORER),
    ],
)
def test_the_schema_knows_exactly_the_keys_of_the_reader(path, known):
    part = schema()
    for step in path:
        part = part[step]

    assert set(part["properties"]) == known


SOUND = [
    {},
    {"models": '[{provider: command, command: [cat]}, "a:b"]'},
    {"inference": "", "evaluation": "", "gate": ""},
    {"test_cases": "rows.csv"},
    {"test_cases": "{path: rows.csv, sample: 2}", "case": '{id: "{{ n }}", tags: "{{ t }}"}', "scorers": "[contains]"},
    {"x-note": "[1]", "_anchors": "{a: 1}", "cache": "false", "quality_threshold": "85"},
    {"scorers": "[{type: contains, value: x, negate: true, weight: 0.5}]"},
    {"evaluation": "{judge_threshold: 1, judge_max_tokens: 4096, judge_model: m}"},
]
WRONG = [
    {"name": None},
    {"models": "[]"},
    {"qualty_threshold": "85"},
    {"quality_threshold": "101"},
    {"concurrency": "0"},
    {"concurrency": "2.5"},
    {"inference": "{max_tokens: 0}"},
    {"test_cases": "{limit: 3}"},
    {"test_cases": "[{expected_output: a}]"},
    {"scorers": "[{value: x}]"},
    {"scorers": "[{type: contains, weight: 0}]"},
    {"gate": "{modle: m}"},
    {"prompts": "[{template: x}]"},
]


@pytest.mark.parametrize("blocks", SOUND)
def test_what_the_reader_takes_the_schema_takes(validator, read, sound, blocks):
    text = sound(**blocks)

    assert read(text, {"rows.csv": "q,n,t\n1,2,3\n"}).errors == []
    assert list(validator.iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize("blocks", WRONG)
def test_what_the_schema_refuses_the_reader_refuses(validator, read, sound, blocks):
    text = sound(**blocks)

    assert read(text).errors != []
    assert list(validator.iter_errors(yaml.safe_load(text))) != []


def test_a_file_that_extends_another_needs_nothing_else(validator):
    assert validator.is_valid({"extends": "base.yaml"})
