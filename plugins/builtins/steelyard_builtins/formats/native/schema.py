"""The JSON Schema of native files, for editors and for ``steelyard schema``.

It describes shapes. The options of scorers and providers are open here: the host knows which are installed, and fills
them in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.api import JsonMapping

from .judging import MODES

_TEXT = {"type": "string"}
_NAME = {"type": "string", "pattern": r"\S"}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT = {"type": "integer", "minimum": 1}
_MAPPING = {"type": ["object", "null"]}
_MODEL = "A model: its name, PROVIDER:MODEL, or a mapping that also holds the options of its provider"
_CASE = "A case; with evaluation it also holds the options of that scorer"
_BESIDE = "; ".join(f"of {scorer} {', '.join(sorted(options))}" for scorer, options in MODES.items())
_SHORT_FORM = (
    "The scorer; its options stand beside it in the case. An unknown key is an error of that scorer, but a warning"
    f" beside three, which take these: {_BESIDE}"
)
_TEMPLATE = "A case in which each row of a data file is filled in: the columns are variables"
_SCORER = "A scorer: its name, or a mapping that also holds its options"
_FILLED_IN = ("human_score", "tags", "turns", "variables")
_TAGS = "What results can be counted and chosen by"


def schema() -> JsonMapping:
    """Return the schema (2020-12)."""
    top = _described(_subject() | _judging() | _running(), open_ended=False)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "steelyard benchmark",
        **top,
        # A file that extends another leaves to it what it likes.
        "anyOf": [{"required": ["name", "models", "prompts", "test_cases"]}, {"required": ["extends"]}],
        "$defs": {
            "model": _said(_MODEL, _model()),
            "prompt": _said("A prompt: a template, a system message or both", _described(_prompt(), required=["id"])),
            "test_case": _said(_CASE, _described(_test_case(), required=["id"])),
            "case_template": _said(_TEMPLATE, _described(_case_template())),
            "scorer": _said(
                _SCORER, {"anyOf": [_NAME, _also("scorer_options", _described(_scorer(), required=["type"]))]}
            ),
            "turn": _said("One turn of a conversation", _described(_turn(), required=["role", "content"])),
            "data_file": _said(
                "Where the rows of the cases are", _described(_data_file(), required=["path"], open_ended=False)
            ),
            # The host knows what is installed, and puts the options of it here.
            "scorer_options": True,
            "provider_options": True,
            "options_by_provider": True,
        },
    }


def _described(
    properties: Mapping[str, Any], *, required: list[str] | None = None, open_ended: bool = True
) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        described["required"] = required
    if not open_ended:
        described |= {"patternProperties": {"^(_|x-)": {}}, "additionalProperties": False}
    return described


def _also(name: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    return {**shape, "allOf": [{"$ref": f"#/$defs/{name}"}]}


def _list_of(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}, **more}


def _said(description: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, **shape}


def _subject() -> dict[str, Any]:
    cases = {"anyOf": [_list_of("test_case", minItems=1), _NAME, {"$ref": "#/$defs/data_file"}]}
    return {
        "$schema": _said("The schema of the file, for editors", _TEXT),
        "name": _said("What reports call the benchmark", _NAME),
        "description": _said("For people", _TEXT),
        "extends": _said("A benchmark file that this one adds to, relative to it", _NAME),
        "models": _said("The models to compare", _list_of("model", minItems=1)),
        "judges": _said("Models that only judge, for scorers to name by their ids", _list_of("model")),
        "providers": _said("Options by provider, shared by its models", _also("options_by_provider", _MAPPING)),
        "prompts": _said("The prompts to compare", _list_of("prompt", minItems=1)),
        "variables": _said("Variables of every case, under its own", _MAPPING),
        "test_cases": _said("The cases, or the data file that holds them", cases),
        "case": _said("What each row of the data file becomes", {"$ref": "#/$defs/case_template"}),
        "metadata": _said("Free for you", _MAPPING),
    }


def _judging() -> dict[str, Any]:
    dimension = {
        "name": _said("use_case, percent or order", _NAME),
        "weight": _said("Its share in the score; all together make 1", {"type": "number"}),
        "tolerance": _said("For percent: how far it may be from the expected one", {"type": "number"}),
    }
    variable = _described(dimension)
    evaluation = {
        "judge_model": _said("The model that judges the cases with llm_judge", _NAME),
        "judge_threshold": _said("The score from which on a case with llm_judge passes", _SHARE | {"default": 0.7}),
        "judge_max_tokens": _said("The judge's output budget, in tokens", _COUNT | {"default": 4096}),
        "quality_threshold": _said("The score from which on a case with weighted_match passes", _SHARE),
        "variables": _said("What weighted_match compares", {"type": "array", "items": variable}),
    }
    gate = {
        "model": _said("Only combos of this model", _NAME),
        "prompt": _said("Only combos of this prompt", _NAME),
        "every": _said("Every combo must reach the threshold, not only the best", {"type": "boolean"}),
        "confidence": _said("The lower bound at this confidence must reach the threshold", _SHARE),
    }
    percent = {"type": "number", "minimum": 0, "maximum": 100}
    return {
        "scorers": _said("Scorers of every case, before its own", _list_of("scorer")),
        "evaluation": _said(
            "Options of the cases that are judged by llm_judge or weighted_match",
            _described(evaluation) | {"type": ["object", "null"]},
        ),
        "quality_threshold": _said("Per cent of cases that must pass", percent),
        "gate": _said(
            "Which combos must reach the threshold, and how",
            _described(gate, open_ended=False) | {"type": ["object", "null"]},
        ),
    }


def _running() -> dict[str, Any]:
    inference = {
        "temperature": _said("Left out of the request when absent", {"type": ["number", "null"]}),
        "max_tokens": _said("The most output tokens, thinking included", {"type": ["integer", "null"], "minimum": 1}),
        "seed": _said("For providers that take one", {"type": ["integer", "null"]}),
        "params": _said("Further fields of the request", _MAPPING),
    }
    return {
        "inference": _said("How models are to answer", _described(inference) | {"type": ["object", "null"]}),
        "concurrency": _said("The most calls in flight", _COUNT | {"maximum": 100}),
        "cluster": _said("A variable or metadata key: cases with the same value there belong together", _NAME),
        "repeat": _said("Runs of each case", _COUNT | {"maximum": 1000}),
        "case_pass_rate": _said(
            "Share of a case's runs that must pass", {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
        ),
        "retries": _said("Attempts after the first", {"type": "integer", "minimum": 0, "maximum": 100}),
        "retry_backoff": _said("Seconds before the second attempt; doubles", {"type": "number", "minimum": 0}),
        "timeout": _said("Seconds for one call", {"type": "number", "exclusiveMinimum": 0}),
        "max_cost_usd": _said("The run stops before the call that would pass it", {"type": "number", "minimum": 0}),
        "cache": _said("A cache's name, or false", {"type": ["string", "boolean"]}),
        "require_plugins": _said("Plugins that must be installed", {"type": "array", "items": _NAME}),
    }


def _model() -> dict[str, Any]:
    mapping = {
        "id": _said("The label in reports", _NAME),
        "provider": _said("A provider's name", _NAME),
        "model": _said("The model's name, as the provider knows it", _NAME),
    }
    named = _described(mapping) | {"anyOf": [{"required": ["model"]}, {"required": ["provider"]}]}
    return {"anyOf": [_NAME, _also("provider_options", named)]}


def _prompt() -> dict[str, Any]:
    return {
        "id": _said("The label in reports", _NAME),
        "template": _said("What the user says: a Jinja template", _TEXT),
        "system": _said("What the model is told to be: a Jinja template", _TEXT),
    }


def _test_case() -> dict[str, Any]:
    return {
        "id": _said("Unique in the benchmark", _NAME),
        "variables": _said("What the prompts may use", _MAPPING),
        "input": _said("What the case is about, for scorers and programs that take more than the prompt", {}),
        "expected_output": _said("What a right answer is or holds", {}),
        "evaluation": _said(_SHORT_FORM, _NAME),
        "criteria": _said("What a judge is to look for", _TEXT),
        "reference": _said("A good answer, for a judge to compare with", _TEXT),
        "scorers": _said("What judges it, instead of evaluation or beside it", _list_of("scorer")),
        "turns": _said("A conversation; null is the model's to fill", _list_of("turn")),
        "tags": _said(_TAGS, {"type": "array", "items": _TEXT}),
        "metadata": _said("Free for you; kept in the record", _MAPPING),
        "human_score": _said("What a person gave, from 1 to 5", {"type": "number", "minimum": 1, "maximum": 5}),
    }


def _case_template() -> dict[str, Any]:
    """Describe a case whose values a row fills in, so that any of them may be text still."""
    filled = {name: {"description": _test_case()[name]["description"]} for name in _FILLED_IN}
    return _test_case() | filled


def _scorer() -> dict[str, Any]:
    return {
        "type": _said("The scorer's name", _NAME),
        "name": _said("The label in reports", _NAME),
        "weight": _said("Its share in the case's score", {"type": "number", "exclusiveMinimum": 0}),
        "negate": _said("Pass and fail turned round", {"type": "boolean"}),
        "threshold": _said("The score from which on it passes", _SHARE),
        "turn": _said("Which of the model's answers it judges, from 0", {"type": "integer", "minimum": 0}),
    }


def _turn() -> dict[str, Any]:
    content = _said("What is said: a Jinja template; null where the model is to answer", {"type": ["string", "null"]})
    return {"role": _said("Who says it", {"enum": ["user", "assistant"]}), "content": content}


def _data_file() -> dict[str, Any]:
    return {
        "path": _said("A .yaml, .json, .jsonl or .csv file, relative to this one; * and ? match several", _NAME),
        "limit": _said("Read at most so many rows", _COUNT),
        "sample": _said("Draw so many of those at random", _COUNT),
        "seed": _said("Which sample is drawn; unless given, by the run's --seed", {"type": "integer"}),
    }
