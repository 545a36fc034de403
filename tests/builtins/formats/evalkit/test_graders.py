"""Graders of evalkit suites, as scorers."""

from __future__ import annotations

import pytest

from steelyard.api import ScorerUse


def _uses(read, suite, graders, *, expected="hi", judge=None, **task):
    extra = "".join(f", {key}: {value}" for key, value in task.items())
    text = suite(tasks=f"[{{id: t1, input: hi, expected: {expected}{extra}, graders: [{graders}]}}]", judge=judge)
    (case,) = read(text).sound.cases
    return case.scorers


@pytest.mark.parametrize(
    ("grader", "scorer", "options"),
    [
        ("{type: exact}", "exact_match", {"value": "hi", "ignore_case": False}),
        (
            "{type: exact, value: A, ignore_case: true, strip: false}",
            "exact_match",
            {"value": "A", "ignore_case": True, "strip": False},
        ),
        ("{type: exact, value: 7}", "exact_match", {"value": "7", "ignore_case": False}),
        ("{type: exact, value: [a, 1]}", "exact_match", {"value": '["a", 1]', "ignore_case": False}),
        ("{type: contains}", "contains", {"value": ["hi"]}),
        ("{type: contains, value: [a, 1], mode: any}", "contains", {"value": ["a", "1"], "mode": "any"}),
        ("{type: contains, value: x, ignore_case: true}", "contains", {"value": ["x"], "ignore_case": True}),
        (
            "{type: regex, pattern: a+, fullmatch: true, ignore_case: false}",
            "regex",
            {"pattern": "a+", "fullmatch": True, "ignore_case": False},
        ),
        (
            "{type: json_schema, schema: {const: '{{ id }}'}}",
            "json_schema",
            {"schema": {"const": "{{ id }}"}, "formats": False},
        ),
        (
            "{type: json_schema, schema_file: s.json, extract: false}",
            "json_schema",
            {"schema_file": "s.json", "extract": False, "formats": False},
        ),
        ("{type: numeric, value: 3, abs_tol: 1, pick: first}", "numeric", {"value": 3, "abs_tol": 1, "pick": "first"}),
        ("{type: numeric, value: '3'}", "numeric", {"value": "3"}),
        (
            "{type: python, function: 'checks.py:f', args: {k: '{{ id }}'}}",
            "python",
            {"function": "checks.py:f", "args": {"k": "{{ id }}"}},
        ),
    ],
)
def test_a_grader_becomes_a_scorer(read, suite, grader, scorer, options):
    (use,) = _uses(read, suite, grader)

    assert (use.type, dict(use.options)) == (scorer, options)


@pytest.mark.parametrize(
    ("grader", "value"),
    [
        ("{type: exact, value: '{{ vars.n }}'}", "7"),
        ("{type: exact, value: '{{ vars.f }}'}", "1.0"),
        ("{type: exact, value: '{{ vars.z }}'}", "null"),
        ("{type: exact, value: 'n={{ n }}'}", "n=7"),
        ("{type: contains, value: '{{ l }}'}", ["kk", "1"]),
        ("{type: contains, value: ['{{ l.0 }}', 'x{{ n }}']}", ["kk", "x7"]),
        ('{type: contains, value: "{{ l.0 }}\\n"}', ["kk"]),
        ("{type: exact, value: {n: '{{ n }}', l: ['{{ l.1 }}', 'a{{ n }}']}}", '{"n": 7, "l": [1, "a7"]}'),
        ("{type: numeric, value: '{{ n }}'}", 7),
        ("{type: numeric, value: '{{ expected }}'}", "hi"),
        ("{type: regex, pattern: '^{{ l.0 }}$'}", "^kk$"),
        ("{type: regex, pattern: '{{ l.0 }}'}", "kk"),
    ],
)
def test_placeholders_of_a_grader_are_filled_in_for_each_task(read, suite, grader, value):
    (use,) = _uses(read, suite, grader, vars="{n: 7, f: 1.0, z: null, l: [kk, 1]}")

    assert use.options.get("value", use.options.get("pattern")) == value


def test_what_every_grader_has_is_the_hosts(read, suite):
    (use,) = _uses(read, suite, "{type: exact, value: a, name: tone, negate: true, weight: 3}")

    assert use == ScorerUse(
        type="exact_match",
        options={"value": "a", "ignore_case": False},
        name="tone",
        weight=3.0,
        negate=True,
        place=use.place,
    )
    assert use.place.endswith("bench.yaml:3:53")


def test_a_grader_is_called_by_its_type_and_whether_it_is_negated(read, suite):
    uses = _uses(read, suite, "{type: exact}, {type: contains, negate: true}")

    assert [use.name for use in uses] == ["exact", "not contains"]


def test_graders_of_the_suite_come_before_those_of_a_task(read, suite):
    text = suite(
        graders="[{type: contains, value: Thanks}]",
        tasks="[{input: a, expected: 3, graders: [{type: numeric}]}, {input: b}]",
    )
    first, second = read(text).sound.cases

    assert (first.id, first.evaluation) == ("task-1", "contains + numeric")
    assert (second.id, second.evaluation) == ("task-2", "contains")


def test_a_suites_grader_compares_with_each_tasks_own_expected_value(read, suite):
    text = suite(graders="[{type: exact}]", tasks="[{input: a, expected: a}, {input: b, expected: [1]}]")

    assert [case.scorers[0].options["value"] for case in read(text).sound.cases] == ["a", "[1]"]


@pytest.mark.parametrize(
    ("grader", "message"),
    [
        ("{type: exact}", "grader exact needs a 'value', or the task an 'expected'"),
        ("{type: contains}", "grader contains needs a 'value', or the task an 'expected'"),
        ("{type: numeric}", "grader numeric needs a 'value', or the task an 'expected'"),
        ("{type: exact, value: yes}", "compares text, got true; quote it if it is a word"),
        ("{type: contains, value: [no]}", "compares text, got false; quote it if it is a word"),
        ("{type: exact, value: '{{ nope }}'}", "grader exact: unknown variable 'nope'"),
        ("{type: regex, pattern: '{{ vars.x }}'}", "grader regex: unknown variable 'vars.x'"),
        ("{type: exact, value: a, weight: 0}", "must be a number above 0"),
        ("{type: exact, value: a, negate: 1}", "must be true or false"),
        ("{type: exact, value: a, name: 3}", "must be text"),
        ("{value: a}", "'type' is required"),
        ("{type: llm_judge, rubric: ok}", "llm_judge needs a 'provider', or the suite a 'judge'"),
        ("{type: llm_judge, provider: {provider: mock}}", "'rubric' is required"),
        ("{type: llm_judge, rubric: ok, scale: 1, provider: {provider: mock}}", "must be a whole number from 2 to 100"),
    ],
)
def test_a_grader_that_cannot_judge_is_one_error(read, suite, grader, message):
    errors = read(suite(tasks=f"[{{id: t1, input: hi, graders: [{grader}]}}]")).errors

    assert len(errors) == 1
    assert message in errors[0]


def test_an_expected_value_that_yaml_made_a_boolean_is_an_error(read, suite):
    (error,) = read(suite(graders="[{type: exact}]", tasks="[{input: a, expected: yes}]")).errors

    assert "tasks[0]: grader exact compares text, got true" in error


@pytest.mark.parametrize("task", ["{input: a}", "{input: a, graders: []}", "{input: a, graders: null}"])
def test_a_task_without_graders_is_an_error(read, suite, task):
    (error,) = read(suite(tasks=f"[{task}]")).errors

    assert "the task has no graders; give it some, or the suite" in error


@pytest.mark.parametrize("value", ["3", "{a: b}", "[a]", "true"])
def test_an_input_that_is_no_text_wants_a_prompt(read, suite, value):
    (error,) = read(suite(tasks=f"[{{input: {value}, graders: [{{type: regex, pattern: a}}]}}]")).errors

    assert "tasks[0].input: must be text, got " in error
    assert error.endswith("; give the suite a 'prompt' that says what is sent")


def test_a_judge_has_evalkits_scale_and_the_suites_model(read, suite):
    (use,) = _uses(read, suite, "{type: llm_judge, rubric: 'ok {{ input }}'}", judge="{provider: openai, model: j}")

    judge = {"model": "openai:j", "temperature": None, "max_tokens": None}
    assert dict(use.options) == {"rubric": "ok hi", "scale": 5, "min_score": 4, **judge}


def test_the_judge_is_shown_the_expected_value_as_reference(read, suite):
    text = suite(
        judge="{provider: mock}",
        graders="[{type: llm_judge, rubric: ok, scale: 10, min_score: 2.5}]",
        tasks="[{input: a, expected: {b: 1}}, {input: a}]",
    )
    first, second = read(text).sound.cases

    assert (first.reference, second.reference) == ('{"b": 1}', None)
    assert (first.scorers[0].options["scale"], first.scorers[0].options["min_score"]) == (10, 2.5)


def test_judges_of_their_own_are_known_to_the_benchmark_once_each(read, suite):
    own = "{type: llm_judge, rubric: ok, provider: {provider: openai, model: j, temperature: %s}}"
    text = suite(
        judge="{provider: openai, model: j}",
        tasks=f"[{{input: a, graders: [{own % 0}, {own % 1}, {own % 0}, {{type: llm_judge, rubric: ok}}]}}]",
    )
    benchmark = read(text).sound
    (case,) = benchmark.cases

    assert [use.options["model"] for use in case.scorers] == [
        "openai:j (2)",
        "openai:j (3)",
        "openai:j (2)",
        "openai:j",
    ]
    assert [(judge.id, judge.model, dict(judge.options)) for judge in benchmark.judges] == [
        ("openai:j", "j", {}),
        ("openai:j (2)", "j", {"temperature": 0}),
        ("openai:j (3)", "j", {"temperature": 1}),
    ]
    assert benchmark.judge_model == "openai:j"
