"""Suites of the eval tool as a whole: model, prompt, turns, and what ``.evalrc.json`` adds."""

from __future__ import annotations

import json

import pytest

from steelyard.api import Message, Turn


def test_the_least_suite_has_the_tools_defaults(read, suite):
    benchmark = read(suite(provider=None)).sound

    assert [(model.id, model.provider, model.model) for model in benchmark.models] == [
        ("anthropic:claude-haiku-4-5", "anthropic", "claude-haiku-4-5")
    ]
    assert (benchmark.inference.max_tokens, benchmark.inference.temperature) == (1024, None)
    assert (benchmark.gate.quality_threshold, benchmark.cache, benchmark.default_provider) == (100.0, None, "anthropic")


def test_what_the_suite_says_wins(read, suite):
    benchmark = read(
        suite(provider="ollama", model="llama3", temperature="0.5", max_tokens="9", system_prompt="Be brief")
    ).sound

    assert benchmark.models[0].id == "ollama:llama3"
    assert (benchmark.inference.max_tokens, benchmark.inference.temperature) == (9, 0.5)
    assert benchmark.prompts[0].render(next(iter(benchmark.cases))) == [
        Message(role="system", content="Be brief"),
        Message(role="user", content="hi"),
    ]


def test_the_tools_settings_file_gives_what_the_suite_leaves_out(read, suite):
    config = {
        "default_provider": "openai",
        "default_model": "gpt-4o",
        "judge_model": "gpt-4o-mini",
        "cache_enabled": False,
    }
    text = suite(provider=None, cases="[{prompt: hi, criteria: [{type: llm_judge, rubric: ok}]}]")
    benchmark = read(text, {"work/.evalrc.json": json.dumps(config)}).sound

    assert (benchmark.models[0].id, benchmark.judge_model, benchmark.cache) == (
        "openai:gpt-4o",
        "openai:gpt-4o-mini",
        False,
    )


@pytest.mark.parametrize(
    ("config", "model", "judge"),
    [
        ({"judge_model": "mock/j"}, "anthropic:claude-haiku-4-5", "mock:j"),
        ({"default_model": "openai/gpt-4o", "judge_model": "openai:o3"}, "openai:gpt-4o", "openai:o3"),
        ({"default_provider": "ollama", "default_model": "gemma3:4b"}, "ollama:gemma3:4b", "anthropic:claude-opus-4-8"),
    ],
)
def test_a_provider_before_a_model_in_the_settings_file_is_split_off(read, suite, config, model, judge):
    text = suite(provider=None, cases="[{prompt: hi, criteria: [{type: llm_judge, rubric: ok}]}]")

    benchmark = read(text, {"work/.evalrc.json": json.dumps(config)}).sound

    assert (benchmark.models[0].id, benchmark.judge_model) == (model, judge)


def test_the_provider_that_the_suite_names_wins_over_the_settings_file(read, suite):
    benchmark = read(
        suite(provider="openai", model="openai/gpt-4o"), {"work/.evalrc.json": '{"default_provider": "ollama"}'}
    ).sound

    # A gateway may well have models of that name.
    assert (benchmark.default_provider, benchmark.models[0].id) == ("openai", "openai:openai/gpt-4o")


def test_a_settings_file_that_is_no_json_is_an_error(read, suite):
    (error,) = read(suite(), {"work/.evalrc.json": "{"}).errors

    assert error.startswith(".evalrc.json:1:2: ")


def test_a_provider_without_a_default_model_needs_one(read, suite):
    (error,) = read(suite(provider="openai")).errors

    assert "'model' is required for provider 'openai'" in error


def test_cases_without_an_id_are_numbered(read, suite):
    cases = (
        "[{prompt: a, criteria: [{type: max_words, value: 3}]}, {prompt: b, criteria: [{type: max_words, value: 3}]}]"
    )

    assert [case.id for case in read(suite(cases=cases)).sound.cases] == ["case-1", "case-2"]


def test_a_conversation_keeps_its_turns_and_drops_the_prompt(read, suite):
    turns = (
        "[{role: user, content: 'I am {{ name }}'}, {role: assistant, content: null}, "
        "{role: user, content: Who}, {role: assistant, content: null}]"
    )
    text = suite(system_prompt="Be brief", cases=f"[{{turns: {turns}, criteria: [{{type: contains, value: Ivan}}]}}]")
    benchmark = read(text).sound
    (case,) = benchmark.cases

    assert case.turns == (
        Turn(role="user", content="I am {{ name }}"),
        Turn(role="assistant", content=None),
        Turn(role="user", content="Who"),
        Turn(role="assistant", content=None),
    )
    assert benchmark.prompts[0].render(case) == [Message(role="system", content="Be brief")]


def test_braces_are_text_where_there_is_no_dataset(read, suite):
    text = suite(cases='[{prompt: "{{ page }}", criteria: [{type: contains, value: "{{x}}"}]}]')
    (case,) = read(text).sound.cases

    assert (case.input, case.scorers[0].options["value"]) == ("{{ page }}", ["{{x}}"])


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ({"name": None}, "'name' is required"),
        ({"cases": None}, "'cases' is required"),
        ({"cases": "[]"}, "must hold at least one case"),
        ({"cases": "[x]"}, "must be a mapping"),
        ({"temperature": "2.5"}, "must be a number from 0 to 2"),
        ({"max_tokens": "0"}, "must be a whole number of at least 1"),
        ({"dataset": "nope.jsonl"}, "nope.jsonl"),
        ({"cases": "[{prompt: a}]"}, "'criteria' is required"),
        ({"cases": "[{prompt: a, criteria: []}]"}, "must hold at least one criterion"),
        ({"cases": "[{criteria: [{type: contains, value: x}]}]"}, "'prompt' is required"),
        ({"cases": "[{id: 7, prompt: a, criteria: [{type: contains, value: x}]}]"}, "must be text, got 7; quote it"),
        (
            {"cases": "[{prompt: a, turns: [{role: user, content: b}], criteria: [{type: contains, value: x}]}]"},
            "a case has either 'prompt' or 'turns'",
        ),
        (
            {"cases": "[{turns: [{role: assistant, content: b}], criteria: [{type: contains, value: x}]}]"},
            "no turn is left for the model",
        ),
        (
            {"cases": "[{turns: [{role: bot, content: b}], criteria: [{type: contains, value: x}]}]"},
            "must be 'user' or 'assistant'",
        ),
    ],
)
def test_a_suite_that_cannot_be_run_is_one_error_with_its_place(read, suite, blocks, message):
    (error,) = read(suite(**blocks)).errors

    assert error.startswith("bench.yaml:")
    assert message in error


def test_an_id_that_is_used_twice_is_an_error_with_both_places(read, suite):
    case = "{id: a, prompt: x, criteria: [{type: max_words, value: 3}]}"
    (error,) = read(suite(cases=f"[{case}, {case}]")).errors

    assert "id 'a' is used twice; first at bench.yaml:3:9" in error


def test_an_unknown_key_is_a_warning_as_the_tool_leaves_it_unread(read, suite):
    reading = read(suite(modle="x"))

    assert reading.errors == []
    assert "unknown key 'modle'; did you mean 'model'?" in reading.warnings[0]


@pytest.mark.parametrize(
    ("keys", "ours"),
    [
        ({"name", "cases", "model"}, True),
        ({"cases"}, True),
        ({"models", "test_cases"}, False),
        ({"target", "tasks"}, False),
        ({"name", "model"}, False),
    ],
)
def test_the_keys_tell_whose_file_it_is(keys, ours):
    from steelyard_builtins.formats.eval_cli.reader import EvalFormat

    assert EvalFormat(None).recognises(dict.fromkeys(keys)) is ours


def test_no_file_is_recognised_by_two_formats():
    from steelyard_builtins.formats.eval_cli.reader import EvalFormat
    from steelyard_builtins.formats.evalkit.reader import EvalkitFormat
    from steelyard_builtins.formats.native.reader import NativeFormat

    keys = ("models", "prompts", "test_cases", "extends", "target", "tasks", "cases", "criteria", "providers", "tests")
    formats = (NativeFormat(None), EvalkitFormat(None), EvalFormat(None))
    for chosen in range(2 ** len(keys)):
        document = {key: None for place, key in enumerate(keys) if chosen >> place & 1}
        assert sum(suite_format.recognises(document) for suite_format in formats) <= 1, document


def test_a_suite_may_say_what_its_model_costs(read, suite):
    benchmark = read(
        suite(provider="openai", model="gpt-4o", pricing="{input_per_mtok: 2.5, output_per_mtok: 10}")
    ).sound

    assert dict(benchmark.models[0].options) == {"pricing": {"input_per_mtok": 2.5, "output_per_mtok": 10}}


@pytest.mark.parametrize(
    ("pricing", "message"),
    [
        ("free", "must be a mapping, got 'free'"),
        ("{input_per_mtok: -1}", "must be a number of at least 0, got -1"),
        ("{inptu_per_mtok: 1}", "unknown key 'inptu_per_mtok'; did you mean 'input_per_mtok'?"),
    ],
)
def test_prices_that_cannot_be_are_one_error(read, suite, pricing, message):
    (error,) = read(suite(pricing=pricing)).errors

    assert message in error


def test_a_case_without_a_prompt_is_told_of_turns_too(read, suite):
    (error,) = read(suite(cases="[{criteria: [{type: contains, value: x}]}]")).errors

    assert "'prompt' is required; or 'turns', for a conversation" in error


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        (["assistant", "user"], "turns: the first turn is the assistant's"),
        (["user", "assistant", "assistant", "user"], "turns[2]: two turns of the assistant in a row"),
        (["user", "user"], "turns[1]: two turns of the user in a row"),
        (["user", "assistant", "user"], None),
    ],
)
def test_turns_in_an_order_that_services_refuse_are_a_warning(read, suite, roles, said):
    turns = json.dumps([{"role": role, "content": "x"} for role in roles])
    reading = read(suite(cases=f"[{{turns: {turns}, criteria: [{{type: contains, value: x}}]}}]"))

    assert reading.sound.cases
    assert [said in line for line in reading.warnings] == [True] * bool(said)
