"""Anthropic: blocks read by type, cached tokens counted in, spend limits told from rate limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.providers.anthropic import AnthropicSettings, create

from steelyard.api import Completion, Message, Parameters, Request, Usage
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, Reply, failure

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]
Sample = Callable[[str, str], Reply]


@pytest.fixture
def provider(api: FakeAPI, context: Any) -> Any:
    return create(AnthropicSettings(base_url=api.origin), context())


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/messages"])
def test_the_address_may_be_given_with_or_without_its_path(path: str, api: FakeAPI, context: Any, ask: Ask) -> None:
    environ = {"ANTHROPIC_API_KEY": "sk-ant-1234", "ANTHROPIC_BASE_URL": api.origin + path}

    assert ask(create(AnthropicSettings(), context(environ))).text == "ok"


def test_the_key_and_the_version_go_into_their_own_headers(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider)

    headers = api.requests[0].headers
    assert headers["x-api-key"] == "sk-ant-0123456789abcdef"
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers


def test_an_output_limit_is_always_sent_and_a_seed_never(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider, "hello", seed=7)

    assert api.requests[0].json == {
        "model": "acme/writer-2",
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": "hello"}],
    }


def test_system_text_and_parameters_stand_where_the_api_wants_them(api: FakeAPI, provider: Any, ask: Ask) -> None:
    messages = (
        Message(role="system", content="be kind"),
        Message(role="user", content="hello"),
        Message(role="assistant", content="hi"),
        Message(role="user", content="bye"),
    )
    parameters = Parameters(temperature=0, max_tokens=50, params={"top_k": 5})
    ask(provider, Request(model="claude-test-5", messages=messages, parameters=parameters))

    assert api.requests[0].json == {
        "model": "claude-test-5",
        "max_tokens": 50,
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": "bye"},
        ],
        "system": "be kind",
        "temperature": 0,
        "top_k": 5,
    }


def test_an_answer_is_its_text_blocks_joined_and_its_prompt_counts_what_was_cached(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    api.script([sample("anthropic", "success")])

    assert ask(provider) == Completion(
        text="Lima is the capital of Peru.",
        usage=Usage(
            prompt_tokens=930, completion_tokens=90, cache_read_tokens=800, cache_write_tokens=30, reasoning_tokens=60
        ),
        finish_reason="stop",
        model="claude-test-5",
    )


def test_thinking_that_comes_first_is_not_the_answer(api: FakeAPI, provider: Any, ask: Ask) -> None:
    blocks = [
        {"type": "thinking", "thinking": 'hmm {"score": 1}', "signature": "x"},
        {"type": "text", "text": "bill"},
        {"type": "web_search_result", "text": "bill, noun"},
        {"type": "text", "text": "ing"},
    ]
    usage = {"input_tokens": 10, "output_tokens": 20}
    api.script([Reply(body={"content": blocks, "stop_reason": "end_turn", "usage": usage})])

    completion = ask(provider)
    assert completion.text == "billing"
    assert completion.usage == Usage(prompt_tokens=10, completion_tokens=20)


@pytest.mark.parametrize(
    ("name", "problem", "reason"),
    [
        ("refusal", "refused (stop_reason: refusal): bio", "content_filter"),
        ("thinking_ate_the_budget", "empty reply (stop_reason: max_tokens); raise max_tokens", "length"),
        ("empty", "empty reply (stop_reason: end_turn)", "stop"),
        ("tool_use", "no text (tool_calls)", "tool_calls"),
    ],
)
def test_a_reply_without_text_says_why_and_keeps_its_counts(
    name: str, problem: str, reason: str, api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    api.script([sample("anthropic", name)])

    completion = ask(provider)
    assert (completion.problem, completion.finish_reason) == (problem, reason)
    assert completion.usage.prompt_tokens in (10, 33)


def test_a_partial_answer_is_an_answer_that_says_it_was_cut_off(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply("The three", finish_reason="length")])

    completion = ask(provider)
    assert (completion.text, completion.finish_reason, completion.problem) == ("The three", "length", None)


@pytest.mark.parametrize(
    ("name", "wanted", "words"),
    [
        ("temperature", (400, False, False, None), "deprecated for this model; leave temperature out for this model"),
        ("rate_limit", (429, True, False, 17), "rate-limited (HTTP 429)"),
        ("spend_limit", (429, False, True, None), "reached its monthly limit"),
        ("overloaded", (529, True, False, None), "Overloaded"),
        ("credit", (400, False, True, None), "Your credit balance is too low"),
        ("key_refused", (401, False, True, None), "check ANTHROPIC_API_KEY"),
    ],
)
def test_each_failure_says_what_it_is_and_whether_to_try_again(
    name: str, wanted: tuple[Any, ...], words: str, request: pytest.FixtureRequest
) -> None:
    api, provider, failing, sample = (request.getfixturevalue(n) for n in ("api", "provider", "failing", "sample"))
    api.script([sample("anthropic", name)])

    error = failing(provider)
    assert (error.status, error.retryable, error.exhausted, error.retry_after_s) == wanted
    assert words in error.message


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (402, False), (403, False), (404, False), (409, True), (413, False), (500, True), (504, True)],
)
def test_each_status_of_the_table_is_retried_or_not(
    status: int, retryable: bool, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([failure(status, "x")])

    assert failing(provider).retryable is retryable


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "[]",
        "null",
        '{"content": "text"}',
        '{"content": null}',
        '{"content": [null, 5, "x", {"type": "text", "text": 5}]}',
        '{"content": [], "usage": [], "stop_details": "x", "stop_reason": 5}',
        '{"content": [], "usage": {"input_tokens": true, "output_tokens": -1}}',
    ],
)
def test_no_body_is_taken_for_an_answer_or_raises_anything_else(
    body: str, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    api.script([Reply(body=body)])
    try:
        assert ask(provider).problem is not None
    except ProviderError as error:
        assert "no content in the answer" in error.message  # noqa: PT017


def test_a_prompt_count_that_is_unknown_stays_unknown(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply("x", usage={"cache_read_input_tokens": 5, "output_tokens": 1})])

    assert ask(provider).usage == Usage(completion_tokens=1, cache_read_tokens=5)
