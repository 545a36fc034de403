"""Gemini: levels that may be missing, thinking counted in, the quota of a day told from that of a minute."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.providers.gemini import GeminiSettings, create

from steelyard.api import Completion, Message, Parameters, Request, Usage
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, Reply, failure

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]
Sample = Callable[[str, str], Reply]


@pytest.fixture
def provider(api: FakeAPI, context: Any) -> Any:
    return create(GeminiSettings(base_url=api.origin), context())


@pytest.mark.parametrize(("path", "version"), [("", "v1beta"), ("/", "v1beta"), ("/v1beta/", "v1beta"), ("/v1", "v1")])
def test_the_address_may_name_the_version(path: str, version: str, api: FakeAPI, context: Any, ask: Ask) -> None:
    environ = {"GEMINI_API_KEY": "AIza-1234", "GEMINI_BASE_URL": api.origin + path}
    ask(create(GeminiSettings(), context(environ)), model="gemini-test-flash")

    assert api.requests[0].path == f"/{version}/models/gemini-test-flash:generateContent"


@pytest.mark.parametrize(
    ("model", "target"),
    [
        ("gemini-x", "/v1beta/models/gemini-x:generateContent"),
        ("models/gemini-x", "/v1beta/models/gemini-x:generateContent"),
        ("a?b#c", "/v1beta/models/a%3Fb%23c:generateContent"),
    ],
)
def test_a_models_name_cannot_change_the_address(
    model: str, target: str, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    ask(provider, model=model)

    assert api.requests[0].target == target


def test_the_key_goes_into_a_header_and_never_into_the_address(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider)

    assert api.requests[0].headers["x-goog-api-key"] == "AIzaTest0123456789abcdef"
    assert "AIza" not in api.requests[0].target


def test_messages_and_parameters_stand_where_the_api_wants_them(api: FakeAPI, provider: Any, ask: Ask) -> None:
    messages = (
        Message(role="system", content="be kind"),
        Message(role="user", content="hello"),
        Message(role="assistant", content="hi"),
        Message(role="user", content="bye"),
    )
    params = {"generationConfig": {"topP": 0.5, "seed": 9}, "safetySettings": []}
    parameters = Parameters(temperature=0, max_tokens=50, seed=7, params=params)
    ask(provider, Request(model="gemini-x", messages=messages, parameters=parameters))

    assert api.requests[0].json == {
        "contents": [
            {"role": "user", "parts": [{"text": "hello"}]},
            {"role": "model", "parts": [{"text": "hi"}]},
            {"role": "user", "parts": [{"text": "bye"}]},
        ],
        "systemInstruction": {"parts": [{"text": "be kind"}]},
        "generationConfig": {"temperature": 0, "maxOutputTokens": 50, "seed": 9, "topP": 0.5},
        "safetySettings": [],
    }


def test_only_what_the_request_gives_is_sent(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider, "hello")

    assert api.requests[0].json == {"contents": [{"role": "user", "parts": [{"text": "hello"}]}]}


def test_an_answer_is_its_text_parts_without_thoughts_and_counts_them(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    api.script([sample("gemini", "success")])

    assert ask(provider) == Completion(
        text="Lima is the capital of Peru.",
        usage=Usage(prompt_tokens=910, completion_tokens=80, cache_read_tokens=700, reasoning_tokens=50),
        finish_reason="stop",
        model="gemini-test-flash",
    )


@pytest.mark.parametrize(
    ("name", "problem", "reason", "usage"),
    [
        (
            "thinking_ate_the_budget",
            "empty reply (finishReason: MAX_TOKENS); raise max_tokens",
            "length",
            Usage(prompt_tokens=9, completion_tokens=120, reasoning_tokens=120),
        ),
        (
            "prompt_blocked",
            "the prompt was blocked (blockReason: SAFETY)",
            "content_filter",
            Usage(prompt_tokens=9, completion_tokens=0),
        ),
        (
            "answer_blocked",
            "stopped by a content filter (finishReason: RECITATION)",
            "content_filter",
            Usage(prompt_tokens=9, completion_tokens=0),
        ),
    ],
)
def test_a_reply_without_text_says_why_and_keeps_its_counts(
    name: str, problem: str, reason: str, usage: Usage, request: pytest.FixtureRequest
) -> None:
    api, provider, ask, sample = (request.getfixturevalue(n) for n in ("api", "provider", "ask", "sample"))
    api.script([sample("gemini", name)])

    completion = ask(provider)
    assert (completion.problem, completion.finish_reason, completion.usage) == (problem, reason, usage)


def test_a_call_of_a_function_is_no_text(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply([{"functionCall": {"name": "f", "args": {}}}])])

    completion = ask(provider)
    assert (completion.problem, completion.finish_reason) == ("no text (tool_calls)", "tool_calls")


@pytest.mark.parametrize(
    ("name", "wanted", "words"),
    [
        (
            "key_refused",
            (400, False, True, None),
            "API key not valid. Please pass a valid API key; check GEMINI_API_KEY",
        ),
        ("limit_in_a_list", (429, True, False, None), "Resource has been exhausted"),
        ("daily_quota", (429, False, True, None), "the quota of the day comes back at midnight Pacific time"),
        ("minute_quota", (429, True, False, 21.5), "You exceeded your current quota"),
        ("overloaded", (503, True, False, None), "The model is overloaded"),
    ],
)
def test_each_failure_says_what_it_is_and_whether_to_try_again(
    name: str, wanted: tuple[Any, ...], words: str, request: pytest.FixtureRequest
) -> None:
    api, provider, failing, sample = (request.getfixturevalue(n) for n in ("api", "provider", "failing", "sample"))
    api.script([sample("gemini", name)])

    error = failing(provider)
    assert (error.status, error.retryable, error.exhausted, error.retry_after_s) == wanted
    assert words in error.message


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (402, False), (403, False), (404, False), (500, True), (503, True), (504, True)],
)
def test_each_status_of_the_table_is_retried_or_not(
    status: int, retryable: bool, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([failure(status, "x")])

    assert failing(provider).retryable is retryable


@pytest.mark.parametrize("delay", ["", "soon", "-3s", "0s", "5", "1e3s", 5, None])
def test_a_delay_that_is_none_asks_for_nothing(delay: Any, api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([failure(429, "x", details=[{"retryDelay": delay}, None, 5])])

    assert failing(provider).retry_after_s is None


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "[]",
        "null",
        '{"candidates": null}',
        '{"candidates": []}',
        '{"candidates": [null]}',
        '{"candidates": [{"content": null, "finishReason": "STOP"}]}',
        '{"candidates": [{"content": {"parts": [null, 5, {"text": 5}]}, "finishReason": 5}], "usageMetadata": 5}',
        '{"candidates": [{"content": {"parts": "x"}}], "promptFeedback": []}',
    ],
)
def test_no_body_is_taken_for_an_answer_or_raises_anything_else(
    body: str, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    api.script([Reply(body=body)])
    try:
        assert ask(provider).problem is not None
    except ProviderError as error:
        assert "no candidates in the answer" in error.message  # noqa: PT017


def test_the_model_is_part_of_the_fingerprint(provider: Any, make_request: Any) -> None:
    one, other = (json.loads(provider.fingerprint(make_request(model=model))) for model in ("a", "b"))

    assert one["url"] != other["url"]
