"""Evalkit suites as a whole: keys, target, judge, settings, prompt."""

from __future__ import annotations

import json

import pytest

import steelyard
from steelyard.api import Message, RunOptions
from steelyard.errors import TemplateError


def _rendered(benchmark):
    return benchmark.prompts[0].render(next(iter(benchmark.cases)))


def test_the_least_suite_has_evalkits_defaults(read, suite):
    benchmark = read(suite()).sound

    assert (benchmark.name, [model.id for model in benchmark.models]) == ("demo", ["mock:mock"])
    assert (benchmark.concurrency, benchmark.repeat, benchmark.case_pass_rate) == (4, 1, 1.0)
    assert (benchmark.retries, benchmark.retry_backoff_s, benchmark.timeout_s) == (2, 0.5, 60.0)
    assert (benchmark.gate.quality_threshold, benchmark.inference.seed, benchmark.cache) == (100.0, 0, None)


def test_settings_reach_the_benchmark(read, suite):
    settings = (
        "{concurrency: 256, repeat: 10, retries: 0, retry_backoff: 0, seed: 7, cache: false, fail_under: 0.57, "
        "task_pass_rate: 0.7}"
    )
    benchmark = read(suite(settings=settings)).sound

    assert (benchmark.concurrency, benchmark.repeat, benchmark.case_pass_rate) == (256, 10, 0.7)
    assert (benchmark.retries, benchmark.retry_backoff_s, benchmark.inference.seed) == (0, 0.0, 7)
    assert (benchmark.gate.quality_threshold, benchmark.cache) == (57.0, False)


@pytest.mark.parametrize(
    "settings",
    [
        "{concurrency: 257}",
        "{concurrency: 0}",
        "{repeat: 1001}",
        "{retries: 21}",
        "{fail_under: 85}",
        "{fail_under: .nan}",
        "{task_pass_rate: -0.1}",
        "{retry_backoff: -1}",
        "{seed: 1.5}",
        "{cache: 1}",
        "{repeats: 2}",
    ],
)
def test_a_wrong_setting_is_one_error(read, suite, settings):
    assert len(read(suite(settings=settings)).errors) == 1


def test_a_cache_path_is_a_warning(read, suite):
    reading = read(suite(settings="{cache_path: x.sqlite}"))

    assert reading.errors == []
    assert reading.warnings == [
        "bench.yaml:4:12: settings.cache_path: is not used here; replies are kept by the cache of the settings"
    ]


@pytest.mark.parametrize(
    ("blocks", "error"),
    [
        ({"promt": "x"}, "bench.yaml:4:1: promt: unknown key 'promt'; did you mean 'prompt'?"),
        ({"tasks": "[{inpt: b, graders: [{type: exact}]}]"}, "unknown key 'inpt'; did you mean 'input'?"),
        ({"graders": "[{type: exact, vlaue: b}]"}, "unknown key 'vlaue'; did you mean 'value'?"),
        ({"graders": "[{type: exct}]"}, "unknown grader 'exct'; did you mean 'exact'?"),
        ({"graders": "[exact]"}, "must be a mapping, got 'exact'"),
        ({"version": "2"}, "the only version is 1, got 2"),
        ({"version": "'1'"}, "the only version is 1, got '1'"),
        ({"name": "3"}, "must be text, got 3"),
        ({"name": None}, "'name' is required"),
        ({"target": None}, "'target' is required"),
        ({"target": "mock"}, "must be a mapping"),
        ({"target": "{model: m}"}, "'provider' is required"),
        ({"tasks": None}, "'tasks' is required"),
        ({"tasks": "[]"}, "must hold at least one task"),
        ({"tasks": "{a: 1}"}, "must be a list"),
        ({"system": "3"}, "must be text"),
    ],
)
def test_what_evalkit_refuses_is_an_error_with_its_place(read, suite, blocks, error):
    errors = read(suite(**blocks)).errors

    assert any(error in said for said in errors)
    assert all(said.startswith("bench.yaml:") for said in errors)


def test_all_problems_of_a_suite_are_found_in_one_go(read, suite):
    reading = read(
        suite(version="2", settings="{retries: -1}", tasks="[{id: 7}, {id: a, input: 3, graders: [{type: x}]}]")
    )

    assert [problem.path for problem in reading.problems] == [
        "version",
        "tasks[0].id",
        "tasks[1].input",
        "tasks[1].graders[0].type",
        "settings.retries",
    ]


@pytest.mark.parametrize(
    ("target", "label", "model"),
    [
        ("{provider: openai, model: gpt-4o-mini}", "openai:gpt-4o-mini", "gpt-4o-mini"),
        ("{provider: mock, model: sometimes-wrong}", "mock:sometimes-wrong", "sometimes-wrong"),
        ("{provider: command, command: [/usr/bin/cat, -n]}", "command:cat", ""),
        ('{provider: command, command: "python3 bot.py"}', "command:python3", ""),
        ('{provider: http, url: "http://127.0.0.1:1/x"}', "http:http://127.0.0.1:1/x", ""),
    ],
)
def test_a_target_is_labelled_as_evalkit_labels_it(read, suite, target, label, model):
    (use,) = read(suite(target=target)).sound.models

    assert (use.id, use.model) == (label, model)


def test_options_of_a_target_are_its_providers(read, suite):
    target = "{provider: openai, model: m, api_key_env: null, temperature: 0, headers: {a: b}, max_tokens: null}"
    (use,) = read(suite(target=target)).sound.models

    assert dict(use.options) == {"api_key_env": None, "temperature": 0, "headers": {"a": "b"}}
    assert use.provider == "openai"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo it's", "no closing quotation"),
        ("say \\", "no escaped character"),
        ("echo ${PART}'", "no closing quotation"),
    ],
)
@pytest.mark.parametrize("key", ["target", "judge"])
def test_a_command_that_is_not_one_line_of_words_is_an_error_at_its_place(read, suite, key, command, said):
    reading = read(
        suite(**{key: f"\n  provider: command\n  command: {json.dumps(command)}\n"}), environ={"PART": "secret"}
    )

    (error,) = reading.errors
    assert f"{key}.command: {said}; write the command as a list of words" in error
    assert error.startswith("bench.yaml:")
    assert "secret" not in error


def test_a_shell_makes_of_a_line_what_it_can(read, suite):
    target = '{provider: command, shell: true, command: "cat /dev/null # it\'s fine"}'

    assert read(suite(target=target)).sound.models[0].id == "command:cat"


def test_a_number_with_an_exponent_is_one_where_a_number_is_wanted_and_text_elsewhere(read, suite):
    task = "{input: 1e3, expected: 1e3, graders: [{type: exact}, {type: numeric, abs_tol: 1e-6, weight: 2E1}]}"
    benchmark = read(suite(tasks=f"[{task}]", settings="{retry_backoff: -0e0, fail_under: 5.e-1}")).sound

    case = next(iter(benchmark.cases))
    assert (case.input, case.expected, case.scorers[0].options["value"]) == ("1e3", "1e3", "1e3")
    assert case.scorers[1].weight == 20.0
    assert benchmark.gate.quality_threshold == 50.0


@pytest.mark.parametrize("number", ["1e999", "e3", "1e", "1e-", "1_0e1", "' 1e1'", "-1e-6"])
def test_what_is_no_number_in_bounds_is_refused(read, suite, number):
    assert len(read(suite(settings=f"{{retry_backoff: {number}}}")).errors) == 1


def test_an_anthropic_target_has_evalkits_output_limit(read, suite):
    (unset,) = read(suite(target="{provider: anthropic, model: m}")).sound.models
    (own,) = read(suite(target="{provider: anthropic, model: m, max_tokens: 9}")).sound.models

    assert (dict(unset.options), dict(own.options)) == ({"max_tokens": 1024}, {"max_tokens": 9})


def test_a_priced_mock_costs_by_the_word_what_evalkit_says(tmp_path, read, suite):
    target = "{provider: mock, default: one two three, pricing: {input_per_mtok: 1000, output_per_mtok: 2000}}"
    path = tmp_path / "evals.yaml"
    task = "[{id: a, input: hello big world of words, expected: one, graders: [{type: contains}]}]"
    path.write_text(suite(target=target, tasks=task), encoding="utf-8")

    (combo,) = steelyard.run(path, RunOptions(cache=False, store=False)).results

    # Five words in at 0.001 USD each, three out at 0.002 USD.
    (run,) = combo.cases[0].runs
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd) == (5, 3, pytest.approx(0.011))


def test_without_prices_nobody_knows_what_a_mock_costs(tmp_path, suite):
    path = tmp_path / "evals.yaml"
    path.write_text(suite(target="{provider: mock, default: one two}"), encoding="utf-8")

    (combo,) = steelyard.run(path, RunOptions(cache=False, store=False)).results

    (run,) = combo.cases[0].runs
    assert (run.prompt_tokens, run.completion_tokens, run.cost_usd) == (1, 2, None)


def test_the_environment_fills_target_and_judge_with_the_right_types(read, suite):
    text = suite(
        target='{provider: "${P:-mock}", model: "${M}", timeout: "${T:-30}", cache: "${C:-false}", default: "${D:-7}"}',
        judge='{provider: mock, pricing: {input_per_mtok: "${PRICE}"}, default: "${EMPTY:-x}"}',
    )
    benchmark = read(text, environ={"M": "m1", "PRICE": "1.5", "EMPTY": ""}).sound

    assert benchmark.models[0].id == "mock:m1"
    own = {"timeout": 30, "cache": False, "default": "7"}
    assert benchmark.models[0].options == {**own, "tokens": "words", "cost_usd": None}
    options = benchmark.judges[0].options
    assert (options["pricing"], options["default"]) == ({"input_per_mtok": 1.5}, "")


def test_an_environment_variable_that_is_missing_is_an_error(read, suite):
    (error,) = read(suite(target='{provider: mock, default: "${NO_SUCH}"}')).errors

    assert error.startswith("bench.yaml:2:35: target.default: the environment variable 'NO_SUCH' is not set")


def test_the_environment_never_reaches_prompts_and_tasks(read, suite):
    benchmark = read(suite(prompt='"${HOME} {{ input }}"'), environ={"HOME": "/x"}).sound

    assert _rendered(benchmark) == [Message(role="user", content="${HOME} hi")]


def test_a_prompt_is_filled_in_and_a_system_message_is_not(read, suite):
    benchmark = read(suite(prompt='"Say {{ input }}"', system='"Be {{ input }}"')).sound

    assert _rendered(benchmark) == [
        Message(role="system", content="Be {{ input }}"),
        Message(role="user", content="Say hi"),
    ]


def test_an_unknown_variable_of_the_prompt_cannot_be_rendered(read, suite):
    benchmark = read(suite(prompt="'{{ inptu }}'")).sound

    with pytest.raises(TemplateError, match=r"^unknown variable 'inptu'; did you mean 'input'\?$"):
        _rendered(benchmark)


def test_without_a_prompt_the_input_is_sent_as_it_is(read, suite):
    tasks = '[{input: "raw {{ id }}", graders: [{type: contains, value: raw}]}]'

    assert _rendered(read(suite(tasks=tasks)).sound) == [Message(role="user", content="raw {{ id }}")]


@pytest.mark.parametrize("text", ["null", "3", "{a: 1}"])
def test_without_a_prompt_an_input_is_text(read, suite, text):
    (error,) = read(suite(tasks=f"[{{input: {text}, graders: [{{type: exact, value: a}}]}}]")).errors

    assert "input" in error


def test_with_a_prompt_an_input_may_be_anything(read, suite):
    text = suite(prompt="'{{ input.0 }} {{ input }}'", tasks="[{input: [b, c], graders: [{type: exact, value: a}]}]")

    assert _rendered(read(text).sound)[0].content == 'b ["b", "c"]'


def test_what_only_looks_like_a_placeholder_is_a_warning(read, suite):
    reading = read(suite(prompt="'{{ my-var }} {{ input }}'", graders="[{type: contains, value: ['{{ a | b }}']}]"))

    assert reading.errors == []
    assert [warning.split(": ", 2)[1:] for warning in reading.warnings] == [
        ["prompt", "{{ my-var }} is no placeholder and stays as it is; a placeholder is {{ name }} or {{ name.key }}"],
        [
            "graders[0].value",
            "{{ a | b }} is no placeholder and stays as it is; a placeholder is {{ name }} or {{ name.key }}",
        ],
    ]


@pytest.mark.parametrize(
    ("keys", "ours"),
    [
        ({"name", "target", "tasks"}, True),
        ({"target"}, True),
        ({"tasks", "name"}, True),
        ({"models", "prompts", "test_cases"}, False),
        ({"cases", "model"}, False),
        ({"name"}, False),
    ],
)
def test_the_keys_tell_whose_file_it_is(keys, ours):
    from steelyard_builtins.formats.evalkit.reader import EvalkitFormat

    assert EvalkitFormat(None).recognises(dict.fromkeys(keys)) is ours
