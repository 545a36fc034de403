"""OpenAI and the servers that speak like it: address, field names, and every shape of error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.providers._openai import limit_field
from steelyard_builtins.providers.openai import OpenAISettings, create, steelyard_register_providers

from steelyard.api import Completion, Usage
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, Reply, failure

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]
Sample = Callable[[str, str], Reply]


@pytest.fixture
def provider(api: FakeAPI, context: Any) -> Any:
    return create(OpenAISettings(base_url=api.base_url), context())


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_the_address_may_be_given_with_or_without_its_path(path: str, api: FakeAPI, context: Any, ask: Ask) -> None:
    assert ask(create(OpenAISettings(base_url=api.origin + path), context())).text == "ok"


def test_a_path_of_the_servers_own_is_kept(api: FakeAPI, context: Any, ask: Ask) -> None:
    answer = {"choices": [{"message": {"content": "here"}, "finish_reason": "stop"}]}
    api.route("/openai/deployments/x/chat/completions", lambda request: Reply(body=answer))

    assert ask(create(OpenAISettings(base_url=f"{api.origin}/openai/deployments/x"), context())).text == "here"


def test_the_address_comes_from_the_environment_unless_the_settings_give_one(
    api: FakeAPI, context: Any, ask: Ask
) -> None:
    environ = {"OPENAI_API_KEY": "sk-test-1234", "OPENAI_BASE_URL": api.origin}

    assert ask(create(OpenAISettings(), context(environ))).text == "ok"


def test_a_server_that_wants_no_key_gets_no_authorization(api: FakeAPI, context: Any, ask: Ask) -> None:
    ask(create(OpenAISettings(base_url=api.base_url, api_key_env=None), context()))

    assert "authorization" not in api.requests[0].headers


def test_a_missing_key_for_a_server_of_ones_own_says_how_to_do_without(api: FakeAPI, context: Any) -> None:
    provider: Any = create(OpenAISettings(base_url=api.base_url), context({}))
    public: Any = create(OpenAISettings(), context({}))

    assert "or set api_key_env: null" in provider.credentials().problem
    assert public.credentials().problem == "OPENAI_API_KEY is not set; export it or put it in a .env file"


def test_key_headers_and_parameters_are_sent(api: FakeAPI, context: Any, ask: Ask) -> None:
    provider = create(OpenAISettings(base_url=api.base_url, headers={"OpenAI-Project": "p"}), context())
    ask(provider, "hello", temperature=0, max_tokens=50, seed=1, params={"top_p": 0.5})

    request = api.requests[0]
    assert request.headers["authorization"] == "Bearer sk-test-0123456789abcdef"
    assert request.headers["openai-project"] == "p"
    assert request.json == {
        "model": "acme/writer-2",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0,
        "max_tokens": 50,
        "seed": 1,
        "top_p": 0.5,
    }


@pytest.mark.parametrize(
    ("setting", "base_url", "model", "field"),
    [
        ("auto", "https://api.openai.com/v1", "gpt-4o-mini", "max_completion_tokens"),
        ("auto", "https://me.openai.azure.com/openai", "gpt-4o", "max_completion_tokens"),
        ("auto", "http://127.0.0.1:8000/v1", "llama3", "max_tokens"),
        ("auto", "http://127.0.0.1:8000/v1", "gpt-4o-mini", "max_tokens"),
        ("auto", "http://127.0.0.1:8000/v1", "gpt-oss-20b", "max_tokens"),
        ("auto", "http://127.0.0.1:4000", "o3-mini", "max_completion_tokens"),
        ("auto", "http://127.0.0.1:4000", "gpt-5.4", "max_completion_tokens"),
        ("auto", "http://127.0.0.1:4000", "openai/gpt-10-mini", "max_completion_tokens"),
        ("auto", "http://127.0.0.1:4000", "olmo-2", "max_tokens"),
        ("auto", "http://api.openai.com.evil.test/v1", "x", "max_tokens"),
        ("max_tokens", "https://api.openai.com/v1", "o3", "max_tokens"),
        ("max_completion_tokens", "http://127.0.0.1:8000/v1", "llama3", "max_completion_tokens"),
    ],
)
def test_the_output_limit_goes_by_the_name_that_the_server_knows(
    setting: str, base_url: str, model: str, field: str
) -> None:
    assert limit_field(setting, base_url, model) == field


def test_an_answer_has_its_text_and_counts_and_no_cost(api: FakeAPI, provider: Any, ask: Ask, sample: Sample) -> None:
    api.script([sample("openai", "success")])

    assert ask(provider) == Completion(
        text="Lima is the capital of Peru.",
        usage=Usage(prompt_tokens=30, completion_tokens=60, cache_read_tokens=0, reasoning_tokens=48),
        finish_reason="stop",
        model="gpt-test-1",
    )


def test_thinking_beside_the_text_is_left_out(api: FakeAPI, provider: Any, ask: Ask, sample: Sample) -> None:
    api.script([sample("openai_compatible", "vllm_success"), sample("openai_compatible", "mistral_parts")])

    assert [ask(provider).text, ask(provider).text] == ["Lima.", "Good day."]


def test_an_output_limit_that_thinking_used_up_is_no_empty_answer(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    api.script([sample("openai", "empty_cut_off")])

    completion = ask(provider)
    assert completion.problem == "empty reply (finish_reason: length); raise max_tokens"
    assert completion.usage.completion_tokens == 200


@pytest.mark.parametrize("more", [{}, {"finish_reason": None}, {"finish_reason": "stop"}])
def test_the_words_of_a_refusal_are_told(api: FakeAPI, provider: Any, ask: Ask, more: Any) -> None:
    message = {"role": "assistant", "content": None, "refusal": "no way"}
    api.script([Reply(body={"choices": [{"message": message, **more}]})])

    completion = ask(provider)
    assert (completion.text, completion.problem) == ("", "refused: no way")


@pytest.mark.parametrize(("name", "usage"), [("no_usage", Usage()), ("half_usage", Usage(prompt_tokens=12))])
def test_an_answer_without_usage_is_graded_and_its_cost_unknown(
    name: str, usage: Usage, api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    api.script([sample("openai_compatible", name)])

    completion = ask(provider)
    assert (completion.text, completion.usage, completion.cost_usd, completion.problem) == ("Lima", usage, None, None)
    assert not next(iter(steelyard_register_providers())).usage_required


@pytest.mark.parametrize(
    ("file", "name", "wanted", "words"),
    [
        ("openai", "unsupported_max_tokens", (400, False, False, None), "set max_tokens_field: max_completion_tokens"),
        ("openai", "unsupported_temperature", (400, False, False, None), "leave temperature out for this model"),
        (
            "openai",
            "quota",
            (429, False, True, None),
            "exceeded your current quota, please check your plan; add credit",
        ),
        ("openai", "rate_limit", (429, True, False, 1.5), "rate-limited (HTTP 429): Rate limit reached"),
        ("openai", "key_refused", (401, False, True, None), "Incorrect API key provided: [redacted]"),
        ("openai", "model_gone", (404, False, False, None), "check the model's name and the base_url"),
        ("openai", "server_error", (500, True, False, None), "The server had an error"),
        ("openai_compatible", "all_null", (None, True, False, None), "no choices in the answer"),
        ("openai_compatible", "flat_error", (400, False, False, None), "maximum context length is 4096"),
        ("openai_compatible", "llama_cpp_context", (400, False, False, None), "available context size"),
        ("openai_compatible", "llama_cpp_context_in_200", (400, False, False, None), "available context size"),
        ("openai_compatible", "error_is_text", (400, False, False, None), "Unexpected endpoint or method"),
        (
            "openai_compatible",
            "detail",
            (404, False, False, None),
            "Not Found; check the model's name and the base_url",
        ),
        ("openai_compatible", "detail_list", (422, False, False, None), "Field required"),
        ("openai_compatible", "plain_404", (404, False, False, None), "404 page not found"),
        ("openai_compatible", "llama_cpp_loading", (503, True, False, None), "Loading model"),
        ("openai_compatible", "list_of_error", (429, True, False, None), "Resource has been exhausted"),
        ("ollama", "compat_no_model", (404, False, False, None), "model 'tiny:70b' not found"),
    ],
)
def test_each_failure_says_what_it_is_and_whether_to_try_again(
    file: str, name: str, wanted: tuple[Any, ...], words: str, request: pytest.FixtureRequest
) -> None:
    api, provider, failing, sample = (request.getfixturevalue(n) for n in ("api", "provider", "failing", "sample"))
    api.script([sample(file, name)])

    error = failing(provider)
    assert (error.status, error.retryable, error.exhausted, error.retry_after_s) == wanted
    assert words in error.message


@pytest.mark.parametrize(
    "code",
    [
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
        "billing_hard_limit_reached",
    ],
)
def test_an_account_that_is_used_up_ends_the_run(code: str, api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([failure(429, "no more", code=code)])

    assert failing(provider).exhausted


def test_a_conflict_is_retried(api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([failure(409, "conflict")])

    assert failing(provider).retryable


def test_a_flat_error_inside_a_200_is_an_error(api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([Reply(body={"object": "error", "message": "too long", "code": 400})])

    error = failing(provider)
    assert (error.status, error.retryable) == (400, False)
    assert "too long" in error.message


@pytest.mark.parametrize("error", [None, "", {}, {"message": "", "code": None}, 0, False])
def test_an_error_that_says_nothing_beside_an_answer_is_none(error: Any, api: FakeAPI, provider: Any, ask: Ask) -> None:
    choice = {"message": {"content": "fine"}, "finish_reason": "stop", "error": error}
    api.script([Reply(body={"error": error, "choices": [choice]})])

    assert ask(provider).text == "fine"


def test_a_text_part_that_is_marked_as_a_thought_is_left_out(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply([{"type": "text", "text": "hm", "thought": True}, {"type": "output_text", "text": "42"}])])

    assert ask(provider).text == "42"


def test_a_stream_is_refused_without_a_call(api: FakeAPI, provider: Any, failing: Failing) -> None:
    assert "'stream' must be left out" in failing(provider, params={"stream": True}).message
    assert api.count == 0
