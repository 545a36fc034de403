"""What the scorers refuse before any call: options that cannot work, cases that do not suit them."""

from __future__ import annotations

import json

import pytest
from steelyard_builtins.scorers import (
    contains,
    exact_match,
    json_path,
    json_schema,
    numeric,
    similarity,
    weighted_match,
)
from steelyard_builtins.scorers.contains import ContainsSettings
from steelyard_builtins.scorers.exact_match import ExactMatchSettings
from steelyard_builtins.scorers.json_path import JsonPathSettings
from steelyard_builtins.scorers.json_schema import JsonSchemaSettings
from steelyard_builtins.scorers.numeric import NumericSettings
from steelyard_builtins.scorers.weighted_match import Dimension, WeightedMatchSettings

from steelyard.api import ScorerUse
from steelyard.errors import ScorerError, UsageError
from steelyard.testing import make_benchmark, make_case, make_context, make_output


def created(plugin, settings=None, folder=None):
    (spec,) = plugin.steelyard_register_scorers()
    return spec.create(settings or spec.settings(), make_context(folder))


def problems(plugin, case, settings=None):
    return [str(problem) for problem in created(plugin, settings).check(make_benchmark([case]), case)]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "expected_output: exact_match: needs expected_output"),
        (
            True,
            "expected_output: exact_match: needs expected_output as text, got true; "
            "quote it: YAML reads unquoted yes, true and 3 as something else than text",
        ),
        (
            3,
            "expected_output: exact_match: needs expected_output as text, got 3; "
            "quote it: YAML reads unquoted yes, true and 3 as something else than text",
        ),
        (["a"], "expected_output: exact_match: needs expected_output as text, got ['a']"),
    ],
)
def test_exact_match_needs_a_label(value, problem):
    assert problems(exact_match, make_case(expected=value)) == [problem]
    assert problems(exact_match, make_case(expected=value), ExactMatchSettings(value="own")) == []


def test_a_long_label_is_worth_a_warning():
    (short, long) = ("x" * 100, "x" * 101)
    scorer = created(exact_match)

    assert list(scorer.check(make_benchmark(), make_case(expected=short))) == []
    (problem,) = scorer.check(make_benchmark(), make_case(expected=long))
    assert problem.severity == "warning"


@pytest.mark.parametrize("value", [None, "", [], ["a", ""], ["a", 1], 3, {"a": "b"}])
def test_contains_needs_something_to_look_for(value):
    (problem,) = problems(contains, make_case(expected=value))

    assert problem.startswith("expected_output: contains: needs texts to look for, got")


@pytest.mark.parametrize(("value", "shown"), [("", "''"), ((), "[]"), (("",), "['']"), (("a", ""), "['a', '']")])
def test_an_option_of_contains_that_looks_for_nothing_is_told_as_the_file_has_it(value, shown):
    (problem,) = problems(contains, make_case(expected="x"), ContainsSettings(value=value))

    assert problem.startswith(f"value: contains: needs texts to look for, got {shown};")


@pytest.mark.parametrize("value", [None, True, "one", "1 or 2", [1], float("inf")])
def test_numeric_needs_a_number(value):
    (problem,) = problems(numeric, make_case(expected=value))

    assert problem.startswith("expected_output: numeric: needs a number to compare with")


def test_a_value_that_is_no_number_is_refused():
    with pytest.raises(UsageError, match="numeric: 'value' needs a number to compare with, got 'ten'"):
        created(numeric, NumericSettings(value="ten"))


def test_similarity_needs_a_text():
    assert problems(similarity, make_case(expected=3))[0].startswith("expected_output: similarity: needs")


@pytest.mark.parametrize("path", ["$.a[*]", "$..a", "a[", "a b", "$.a[?(@.x)]", "[x]"])
def test_what_is_no_plain_path_is_refused(path):
    with pytest.raises(UsageError, match=r"json_path: 'path' .* is no path at"):
        created(json_path, JsonPathSettings(path=path))


def dimensions(**weights):
    return WeightedMatchSettings(
        variables=tuple(Dimension(name=name, weight=weight) for name, weight in weights.items()), threshold=0.8
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dimensions(use_case=1.0), "'variables' must hold 'percent', 'order' too"),
        (dimensions(use_case=1.0, percent=1.0, order=1.0), "make 3 together; they must make 1"),
        (dimensions(use_case=0.5, percent=0.2, order=0.2), "make 0.9 together; they must make 1"),
        (
            WeightedMatchSettings(
                variables=tuple(Dimension(name=name, weight=0.25) for name in ("use_case", "percent", "order", "order"))
            ),
            "each of use_case, percent, order once",
        ),
    ],
)
def test_weighted_match_needs_three_weights_that_make_one(settings, message):
    with pytest.raises(UsageError, match=message):
        created(weighted_match, settings)


def test_weights_may_be_off_by_what_floating_point_loses():
    created(weighted_match, dimensions(use_case=0.1, percent=0.2, order=0.7))
    created(weighted_match, dimensions(use_case=1 / 3, percent=1 / 3, order=1 / 3))


GOOD_ITEM = {"use_case": "a", "percent": 1, "order": 1}


@pytest.mark.parametrize(
    ("expected", "wanted"),
    [
        ([GOOD_ITEM], []),
        ([{**GOOD_ITEM, "use_case": 3}], []),
        ([], ["expected_output: weighted_match: must be a list"]),
        ("a", ["expected_output: weighted_match: must be a list"]),
        (None, ["expected_output: weighted_match: must be a list"]),
        (["a"], ["expected_output[0]: weighted_match: must be a mapping"]),
        ([GOOD_ITEM, {}], ["[1].use_case: weighted_match: must be a label", "[1].percent", "[1].order"]),
        ([{**GOOD_ITEM, "use_case": ["a"]}], ["[0].use_case"]),
        ([{**GOOD_ITEM, "use_case": ""}], ["[0].use_case"]),
        ([{**GOOD_ITEM, "percent": "70%"}], ["[0].percent: weighted_match: must be a number, got '70%'"]),
        ([{**GOOD_ITEM, "percent": True}], ["[0].percent"]),
        ([{**GOOD_ITEM, "order": None}], ["[0].order: weighted_match: is required"]),
    ],
)
def test_weighted_match_says_all_that_is_wrong_with_an_expected_list(expected, wanted):
    found = problems(weighted_match, make_case(expected=expected), dimensions(use_case=0.5, percent=0.25, order=0.25))

    assert len(found) == len(wanted)
    for problem, part in zip(found, wanted, strict=True):
        assert part in problem


def test_weighted_match_needs_a_threshold_from_somewhere():
    settings = WeightedMatchSettings(
        variables=tuple(Dimension(name=name, weight=1 / 3) for name in ("use_case", "percent", "order"))
    )
    own = make_case(expected=[GOOD_ITEM], scorers=[ScorerUse(type="weighted_match", threshold=0.5)])

    (problem,) = problems(weighted_match, make_case(expected=[GOOD_ITEM], scorers=["weighted_match"]), settings)
    assert "'quality_threshold' is required" in problem
    assert problems(weighted_match, own, settings) == []


@pytest.mark.parametrize("settings", [JsonSchemaSettings(), JsonSchemaSettings(schema={}, schema_file="a.json")])
def test_a_schema_comes_from_one_place(settings):
    with pytest.raises(UsageError, match="either 'schema' or 'schema_file'"):
        created(json_schema, settings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "schema.yaml: no such file"),
        ("{", "schema.yaml:2:1: not valid YAML"),
        ("type: objekt", "the schema is wrong at"),
        ("- 1", "a schema must be a mapping"),
        ("properties: {a: {minimum: x}}", "the schema is wrong at"),
        ("[" * 3000, "nested more than"),
    ],
)
def test_a_schema_file_that_is_none_is_refused(tmp_path, text, message):
    if text is not None:
        (tmp_path / "schema.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=message):
        created(json_schema, JsonSchemaSettings(schema_file="schema.yaml"), tmp_path)


@pytest.mark.parametrize("write", [json.dumps, lambda schema: "type: object\nrequired: [a]\n"], ids=["JSON", "YAML"])
def test_a_schema_file_lies_beside_the_benchmark(tmp_path, write):
    (tmp_path / "schema.yaml").write_text(write({"type": "object", "required": ["a"]}), encoding="utf-8-sig")
    scorer = created(json_schema, JsonSchemaSettings(schema_file="schema.yaml"), tmp_path)

    assert scorer.score(make_case(), make_output('{"a": 1}'), None).passed
    assert not scorer.score(make_case(), make_output("{}"), None).passed


def test_a_schema_that_is_itself_without_an_end_is_an_error_of_the_case():
    scorer = created(json_schema, JsonSchemaSettings(schema={"$ref": "#"}))

    with pytest.raises(ScorerError, match="schema: refers to itself without an end"):
        scorer.score(make_case(), make_output("{}"), None)


def test_a_pattern_in_a_schema_has_a_time_limit(monkeypatch):
    monkeypatch.setattr("steelyard_builtins.scorers._schema_validation.PATTERN_LIMIT_S", 0.2)
    scorer = created(json_schema, JsonSchemaSettings(schema={"properties": {"a": {"pattern": "^(a|aa)+$"}}}))

    assert scorer.score(make_case(), make_output('{"a": "aaa"}'), None).passed
    with pytest.raises(ScorerError, match=r"pattern '\^\(a\|aa\)\+\$' took longer"):
        scorer.score(make_case(), make_output(json.dumps({"a": "a" * 61 + "b"})), None)
