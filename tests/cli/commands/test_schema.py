"""The JSON Schema that ``schema`` prints: what it lets through runs, and what it refuses would not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[3]

SOUND: dict[str, Any] = {
    "name": "b",
    "models": ["vendor/small"],
    "prompts": [{"id": "v1", "template": "hi"}],
    "test_cases": [{"id": "a", "expected_output": "x", "evaluation": "exact_match"}],
}


@pytest.fixture
def validator(desk):
    def read(*arguments: str) -> jsonschema.Draft202012Validator:
        done = desk("schema", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        schema = json.loads(done.stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    return read


def with_scorer(**scorer: Any) -> dict[str, Any]:
    return {**SOUND, "scorers": [scorer]}


def with_model(**model: Any) -> dict[str, Any]:
    return {**SOUND, "models": [model]}


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.yaml")), ids=lambda path: path.name)
def test_every_example_of_the_project_is_valid(validator, path):
    document = yaml.safe_load(path.read_text("utf-8"))
    if "models" not in document:
        pytest.skip("a suite of another format")

    assert [error.message for error in validator().iter_errors(document)] == []


def test_the_seeds_quickstart_and_what_init_writes_are_valid(validator, desk):
    desk("init", "x.yaml", "--yes", "--offline")
    for path in (ROOT / "tests" / "fixtures" / "quickstart-seed.yaml", desk.folder / "x.yaml"):
        assert validator().is_valid(yaml.safe_load(path.read_text("utf-8")))


def test_the_options_of_installed_components_are_in_it(validator):
    valid = validator()

    sound = [
        with_scorer(type="contains", value=["a", "b"], mode="any"),
        with_scorer(type="llm_judge", criteria="Polite"),  # its model may stand in the evaluation block
        with_scorer(type="of-a-plugin-to-come", anything=1),
        with_model(provider="mock", default="x", latency_ms=20, pricing={"input_per_mtok": 1}),
        with_model(provider="mock", latency_ms="${LATENCY:-20}", timeout=5, temperature=0),
        {**SOUND, "providers": {"mock": {"default": "x"}, "to-come": {"anything": 1}}},
    ]
    wrong = [
        with_scorer(type="contains", value="a", mode="some"),
        with_scorer(type="contains", value="a", weight=0),
        with_model(provider="mock", latency_ms="fast"),
        with_model(provider="mock", latency_ms=-1),
        with_model(provider="mock", timeout=0),
        {**SOUND, "providers": {"mock": {"latency_ms": []}}},
    ]
    assert [document for document in sound if not valid.is_valid(document)] == []
    assert [document for document in wrong if valid.is_valid(document)] == []


def test_the_options_of_a_plugin_that_is_switched_off_are_not(validator):
    assert validator("--no-plugin", "contains").is_valid(with_scorer(type="contains", value="a", mode="some"))


def test_every_option_is_described_for_the_editor(validator):
    schema = validator().schema["$defs"]["scorer_options"]

    described = {
        rule["if"]["properties"]["type"]["const"]: rule["then"]["properties"].values() for rule in schema["allOf"]
    }
    assert {"contains", "exact_match", "llm_judge", "regex"} <= set(described)
    assert all(option.get("description") for options in described.values() for option in options)


def test_the_schema_of_another_format_is_had_by_its_name(validator):
    suite = {
        "name": "s",
        "target": {"provider": "mock"},
        "tasks": [{"id": "a", "input": "hi", "graders": [{"type": "contains", "value": "h"}]}],
    }

    assert validator("--format", "evalkit").is_valid(suite)
    assert not validator("--format", "evalkit").is_valid(SOUND)
    assert not validator().is_valid(suite)


def test_an_unknown_format_is_wrong_usage(desk):
    done = desk("schema", "--format", "natve")

    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'native'?" in done.stderr


@pytest.mark.parametrize("key", ["target", "judge"])
@pytest.mark.parametrize(
    ("model", "valid"),
    [
        ({"provider": "mock", "default": "x", "latency_ms": 20, "pricing": {"input_per_mtok": 1}}, True),
        ({"provider": "mock", "default": None, "timeout": "${LIMIT:-5}", "x-mine": 1, "_note": 2}, True),
        ({"provider": "http", "url": "http://127.0.0.1/", "response": "json", "temperature": 0}, True),
        ({"provider": "command", "command": ["python", "bot.py"], "cache": True}, True),
        ({"provider": "openai", "model": "m", "api_key_env": None}, True),
        ({"provider": "of-a-plugin-to-come", "anything": 1}, True),
        ({"provider": "mock", "bogus": 1}, False),
        ({"provider": "mock", "latency_ms": "fast"}, False),
        ({"provider": "http"}, False),
        ({"provider": "http", "url": None}, False),
        ({"provider": "command", "cwd": "."}, False),
        ({"provider": "openai"}, False),
        ({"model": "m"}, False),
    ],
)
def test_a_provider_of_an_evalkit_suite_has_the_options_that_it_has_and_no_others(validator, key, model, valid):
    task = {"id": "t", "input": "hi", "expected": "hi", "graders": [{"type": "exact"}]}
    suite = {"name": "s", "target": {"provider": "mock"}, "tasks": [task], key: model}

    assert validator("--format", "evalkit").is_valid(suite) == valid
