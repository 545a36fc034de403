"""The models of a native file."""

from __future__ import annotations

import pytest


def test_a_model_is_its_name_whatever_colons_it_holds(read, sound):
    models = read(sound(models='[vendor/model:free, "anthropic:claude-haiku-4-5"]')).sound.models

    assert [(model.id, model.model, model.provider) for model in models] == [
        ("vendor/model:free", "vendor/model:free", None),
        ("anthropic:claude-haiku-4-5", "anthropic:claude-haiku-4-5", None),
    ]


def test_a_mapping_gives_label_provider_and_options(read, sound):
    (model,) = read(
        sound(models="[{id: local, provider: ollama, model: llama3, temperature: 0.2, _note: x}]")
    ).sound.models

    assert (model.id, model.provider, model.model) == ("local", "ollama", "llama3")
    assert dict(model.options) == {"temperature": 0.2}
    assert model.place.endswith("bench.yaml:2:10")


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("{provider: ollama, model: llama3}", "ollama:llama3"),
        ("{model: a/b, temperature: 1}", "a/b"),
        ("{provider: command, command: [cat]}", "command"),
    ],
)
def test_a_mapping_without_a_label_is_called_by_what_it_names(read, sound, model, label):
    assert read(sound(models=f"[{model}]")).sound.models[0].id == label


@pytest.mark.parametrize(
    "models",
    ["[a, b, a]", "[a, {id: a, model: b}]", "[{id: x, model: a}, {id: x, model: b}]"],
)
def test_a_label_that_is_used_twice_is_an_error_with_both_places(read, sound, models):
    (error,) = read(sound(models=models)).errors

    assert "is listed twice; first at bench.yaml:2:" in error


def test_one_model_may_stand_twice_under_labels_of_its_own(read, sound):
    models = read(
        sound(models="[{id: cold, model: a, temperature: 0}, {id: hot, model: a, temperature: 1}]")
    ).sound.models

    assert [model.id for model in models] == ["cold", "hot"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("7", "must be a model's name or a mapping"),
        ('""', "must not be empty"),
        ("{id: x}", "'model' is required"),
        ("{model: 3}", "must be text, got 3; quote it"),
        ("{provider: [a], model: b}", "must be text"),
        ('{id: "", model: b}', "must not be empty"),
    ],
)
def test_a_model_that_cannot_be_asked_is_an_error(read, sound, model, message):
    errors = read(sound(models=f"[{model}]")).errors

    assert len(errors) == 1
    assert message in errors[0]


def test_the_environment_fills_options_and_providers(read, sound):
    text = sound(
        models='[{id: x, model: "${MODEL}", base_url: "${URL:-http://127.0.0.1}", headers: {a: "k ${KEY}"}}]',
        providers='{openai: {base_url: "${URL:-http://127.0.0.1}", api_key_env: null}}',
    )
    benchmark = read(text, environ={"MODEL": "m1", "KEY": "s", "URL": ""}).sound

    assert benchmark.models[0].model == "m1"
    assert dict(benchmark.models[0].options) == {"base_url": "http://127.0.0.1", "headers": {"a": "k s"}}
    assert dict(benchmark.providers) == {"openai": {"base_url": "http://127.0.0.1", "api_key_env": None}}


def test_an_environment_variable_that_is_missing_is_an_error_that_names_it(read, sound):
    reading = read(sound(providers='{openai: {headers: {a: "${NO_SUCH_KEY}"}}}'))

    assert reading.errors == [
        "bench.yaml:5:35: providers.openai.headers.a: the environment variable 'NO_SUCH_KEY' is not set; "
        "set it, or give a default: ${NO_SUCH_KEY:-default}"
    ]


def test_the_environment_never_reaches_prompts_and_cases(read, sound):
    text = sound(
        prompts='[{id: v1, template: "${HOME} {{ q }}"}]',
        test_cases='[{id: c1, variables: {q: "${HOME}"}, expected_output: "${HOME}", evaluation: exact_match}]',
    )
    benchmark = read(text, environ={"HOME": "/root"}).sound
    (case,) = benchmark.cases

    assert benchmark.prompts[0].render(case)[0].content == "${HOME} ${HOME}"
    assert case.expected == "${HOME}"
