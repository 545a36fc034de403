"""Criteria of suites of the eval tool, as scorers."""

from __future__ import annotations

import re

import pytest
from steelyard_builtins.formats.eval_cli.javascript_regex import pythonic, unknown_flags


def _uses(read, suite, criteria, **blocks):
    (case,) = read(suite(cases=f"[{{id: c1, prompt: hi, criteria: [{criteria}]}}]", **blocks)).sound.cases
    return case.scorers


@pytest.mark.parametrize(
    ("criterion", "options"),
    [
        ("{type: exact_match, value: A}", {"value": "A", "ignore_case": True}),
        ("{type: exact_match, value: A, case_sensitive: true}", {"value": "A", "ignore_case": False}),
        ("{type: exact_match, value: 3}", {"value": "3", "ignore_case": True}),
        ("{type: contains, value: k, case_sensitive: false}", {"value": ["k"], "ignore_case": True}),
        ("{type: max_words, value: 50}", {"value": 50}),
        ("{type: regex, value: '^a$', flags: i}", {"pattern": r"^a\Z", "ignore_case": True}),
        ("{type: regex, value: a, flags: ''}", {"pattern": "a", "ignore_case": False}),
        (
            "{type: llm_judge, rubric: polite}",
            {"rubric": "polite", "scale": 5, "min_score": 3.0, "model": "anthropic:claude-opus-4-8"},
        ),
        (
            "{type: llm_judge, rubric: polite, pass_threshold: 4, model: gemini/gemini-2.0-flash}",
            {"rubric": "polite", "scale": 5, "min_score": 4.0, "model": "gemini:gemini-2.0-flash"},
        ),
        (
            "{type: code_execution, language: python, test_code: 'assert f()', expected_output: '', timeout_ms: 500}",
            {"language": "python", "test_code": "assert f()", "timeout_ms": 500.0},
        ),
        ("{type: code_execution, language: bash, expected_output: '5'}", {"language": "bash", "expected_output": "5"}),
        (
            "{type: code_execution, language: bash, isolation: required}",
            {"language": "bash", "isolation": "required"},
        ),
        ("{type: sentiment, expected: positive}", {"expected": "positive"}),
    ],
)
def test_a_criterion_becomes_a_scorer_of_the_same_name(read, suite, criterion, options):
    (use,) = _uses(read, suite, criterion)

    assert use.type == criterion.split("type: ")[1].split(",")[0]
    assert dict(use.options) == options


def test_all_criteria_of_a_case_judge_it(read, suite):
    uses = _uses(read, suite, "{type: max_words, value: 5}, {type: contains, value: x}")

    assert [use.type for use in uses] == ["max_words", "contains"]


@pytest.mark.parametrize(
    ("model", "judge"),
    [
        ("claude-opus-4-8", ("anthropic", "claude-opus-4-8")),
        ("gpt-4o", ("openai", "gpt-4o")),
        ("o3-mini", ("openai", "o3-mini")),
        ("gemini-2.0-flash", ("gemini", "gemini-2.0-flash")),
        ("ollama/llama3", ("ollama", "llama3")),
        ("some-model", ("ollama", "some-model")),
        ("vendor/some", ("ollama", "vendor/some")),
        ("gemma3", ("ollama", "gemma3")),
        ("'gpt-oss:20b'", ("ollama", "gpt-oss:20b")),
        ("gemini/gemma-3-27b-it", ("gemini", "gemma-3-27b-it")),
        ("mock/j", ("mock", "j")),
        ("'openrouter:openai/gpt-4o'", ("openrouter", "openai/gpt-4o")),
        ("'gpt-4o:local'", ("ollama", "gpt-4o:local")),
    ],
)
def test_a_judge_is_asked_where_its_model_is_made(read, suite, model, judge):
    text = suite(
        provider="ollama",
        model="llama3",
        cases=f"[{{prompt: a, criteria: [{{type: llm_judge, rubric: ok, model: {model}}}]}}]",
    )
    (use,) = read(text).sound.judges

    assert (use.provider, use.model) == judge
    assert use.id == f"{judge[0]}:{judge[1]}"


@pytest.mark.parametrize(
    ("provider", "model", "said"),
    [
        ("ollama", "", "the judge 'claude-opus-4-8' is asked at anthropic, which makes it, not at ollama"),
        ("anthropic", "model: gpt-4o", "the judge 'gpt-4o' is asked at openai, which makes it, not at anthropic"),
        ("anthropic", "", None),
        ("ollama", "model: openai/gpt-4o", None),
        ("ollama", "model: qwen3", None),
    ],
)
def test_a_judge_that_goes_elsewhere_by_its_name_alone_is_told(read, suite, provider, model, said):
    criterion = "{type: llm_judge, rubric: ok, " + model + "}"
    reading = read(suite(provider=provider, model="m", cases=f"[{{prompt: a, criteria: [{criterion}, {criterion}]}}]"))

    assert reading.sound.judges
    assert [said] * bool(said) == [line.split(": ", 1)[1].partition(";")[0] for line in reading.warnings]


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ("{value: x}", "'type' is required"),
        ("x", "must be a mapping"),
        ("{type: contains}", "'value' is required"),
        ("{type: contains, value: ''}", "value: must not be empty; every answer contains an empty text"),
        ("{type: contains, value: yes}", "must be text, got true; quote it"),
        ("{type: exact_match, value: [a]}", "must be text, got ['a']"),
        ("{type: contains, value: a, case_sensitive: 1}", "must be true or false"),
        ("{type: max_words, value: many}", "must be a whole number of at least 0"),
        ("{type: regex, value: a, flags: iq}", "unknown flags 'q'"),
        ("{type: regex}", "'value' is required"),
        ("{type: llm_judge}", "'rubric' is required"),
        ("{type: llm_judge, rubric: ok, pass_threshold: 6}", "must be a number from 1 to 5"),
        ("{type: code_execution}", "'language' is required"),
        ("{type: code_execution, language: perl}", "must be one of python, javascript, bash, got 'perl'"),
        ("{type: code_execution, language: bash, timeout_ms: 0}", "must be a number above 0"),
        ("{type: code_execution, language: bash, isolation: yea}", "must be one of auto, required, none, got 'yea'"),
    ],
)
def test_a_criterion_that_cannot_judge_is_one_error(read, suite, criterion, message):
    (error,) = read(suite(cases=f"[{{prompt: a, criteria: [{criterion}]}}]")).errors

    assert "cases[0].criteria[0]" in error
    assert message in error


@pytest.mark.parametrize(
    ("pattern", "flags", "matching", "other"),
    [
        (r"^\d{4}-\d{2}-\d{2}$", "", ["2024-01-15"], ["2024-01-15\n", "٢٠٢٤-01-15", "x2024-01-15"]),
        (r"^b$", "m", ["a\nb\nc", "b"], ["ab"]),
        ("a.c", "", ["abc"], ["a\nc"]),
        ("a.c", "s", ["a\nc"], ["ac"]),
        (r"(?<year>\d+)-\k<year>", "", ["12-12"], ["12-13"]),
        (r"[\d.$]+x", "", ["1.$x"], ["x", "٣x"]),
        (r"^[^]$", "", ["\n", "a"], ["", "ab"]),
        ("a[]b", "", [], ["ab", "a[]b"]),
        (r"[[\]]{2}", "", ["[]"], ["["]),
        (r"\/x\$", "", ["/x$"], ["/x"]),
        (r"\u{1F600}|\u00e9", "u", ["😀", "é"], ["u"]),
        (r"\w+ \W", "", ["ab !"], ["é é"]),
        ("(?<=a)b(?!c)", "", ["ab"], ["b", "abc"]),
        (r"^\\d$", "", ["\\d"], ["1"]),
    ],
)
def test_a_javascript_pattern_matches_what_it_matches_there(pattern, flags, matching, other):
    compiled = re.compile(pythonic(pattern, flags))

    assert [text for text in matching if not compiled.search(text)] == []
    assert [text for text in other if compiled.search(text)] == []


def test_the_flags_of_javascript_are_known():
    assert unknown_flags("dgimsuvy") == ""
    assert unknown_flags("ixq") == "xq"
