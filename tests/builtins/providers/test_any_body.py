"""Any JSON at all, in the place of a reply: an answer or an error of the call, never a traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steelyard_builtins.providers._anthropic import AnthropicRules, read_message
from steelyard_builtins.providers._catalog import models_in, next_page
from steelyard_builtins.providers._chat import read_chat
from steelyard_builtins.providers._failures import said_in
from steelyard_builtins.providers._gemini import GeminiRules, read_content
from steelyard_builtins.providers._http import HttpReply
from steelyard_builtins.providers._json import BadJsonError, read_json
from steelyard_builtins.providers._ollama import OllamaRules, read_answer
from steelyard_builtins.providers._openai import OpenAIRules
from steelyard_builtins.providers._openrouter import OpenRouterRules
from steelyard_builtins.providers._secrets import presentable
from steelyard_builtins.providers._waiting import asked_wait_s

from steelyard.api import Completion
from steelyard.errors import ProviderError

KEYS = """
error choices message content text type usage prompt_tokens completion_tokens prompt_tokens_details cached_tokens cost
is_byok cost_details finish_reason native_finish_reason refusal tool_calls code metadata availability retryable
retry_after headers provider_name raw reasons details violations quotaId retryDelay reason error_code stop_reason
stop_details candidates parts thought finishReason promptFeedback blockReason usageMetadata promptTokenCount done_reason
eval_count detail object data id pricing prompt completion overrides min_prompt_tokens top_provider context_length
architecture input_modalities supported_parameters links next model status msg errors
""".split()  # noqa: SIM905 - a list of 70 strings would be a page
WORDS = [
    "text",
    "stop",
    "length",
    "error",
    "content_filter",
    "SAFETY",
    "refusal",
    "thinking",
    "502",
    "0.000001",
    "-1",
    "",
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(WORDS)
    | st.just("half \ud835 a pair")
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)
bodies = st.dictionaries(st.sampled_from(KEYS), values, max_size=8) | values
chat_bodies = st.fixed_dictionaries(
    {"choices": st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=6), max_size=2)},
    optional={"usage": values, "error": values, "model": values},
)
statuses = st.sampled_from([200, 201, 400, 401, 402, 403, 404, 429, 500, 503, 529])

READERS: dict[str, Callable[[HttpReply], Completion]] = {
    "openrouter": lambda reply: read_chat(reply, OpenRouterRules("p", ("secret-1",), "KEY")),
    "openai": lambda reply: read_chat(reply, OpenAIRules("p")),
    "anthropic": lambda reply: read_message(reply, AnthropicRules("p")),
    "gemini": lambda reply: read_content(reply, GeminiRules("p")),
    "ollama": lambda reply: read_answer(reply, OllamaRules("p", model="m")),
}


def is_one_clean_line(text: str) -> bool:
    return not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202e\ud800-\udfff]", text)


def is_sane(completion: Completion) -> bool:
    usage = completion.usage
    counts = (usage.prompt_tokens, usage.completion_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    completion.text.encode("utf-8")
    return (
        all(count is None or (type(count) is int and count >= 0) for count in counts)
        and (completion.cost_usd is None or completion.cost_usd >= 0)
        and (bool(completion.text.strip()) or completion.problem is not None)
        and (completion.problem is None or is_one_clean_line(completion.problem))
    )


@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=100, deadline=None)
@given(body=bodies | chat_bodies, status=statuses)
def test_any_reply_is_an_answer_a_stated_problem_or_an_error_of_the_call(reader: str, body: Any, status: int) -> None:
    try:
        completion = READERS[reader](HttpReply(status, {}, json.dumps(body).encode()))
    except ProviderError as error:
        assert is_one_clean_line(error.message)  # noqa: PT017
        assert len(error.message) < 600  # noqa: PT017
        assert error.retry_after_s is None or error.retry_after_s > 0  # noqa: PT017
        assert not (error.retryable and error.exhausted)  # noqa: PT017
    else:
        assert status in (200, 201)
        assert is_sane(completion)


@settings(max_examples=200, deadline=None)
@given(body=st.binary(max_size=200))
def test_any_bytes_are_json_or_said_to_be_none(body: bytes) -> None:
    try:
        read_json(body)
    except BadJsonError as problem:
        assert str(problem)  # noqa: PT017


@settings(max_examples=100, deadline=None)
@given(body=bodies)
def test_any_catalog_can_be_read(body: Any) -> None:
    for model in models_in(body):
        assert model.id
        prices = (model.pricing.input_per_mtok, model.pricing.output_per_mtok)
        assert all(price is None or price >= 0 for price in prices)
    following = next_page(body, "http://here.test/v1/models")
    assert following is None or following.startswith("http://here.test/")


@settings(max_examples=100, deadline=None)
@given(
    body=bodies,
    headers=st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset"]), st.text()),
)
def test_any_reply_asks_for_a_sensible_wait_or_none(body: Any, headers: dict[str, str]) -> None:
    seconds = asked_wait_s(headers, body)

    assert seconds is None or 0 < seconds < 1e9
    said_in(body, failed=True)


@settings(max_examples=100, deadline=None)
@given(before=st.text(), after=st.text())
def test_a_secret_is_never_shown_whatever_stands_around_it(before: str, after: str) -> None:
    shown = presentable(f"{before}hush-hush-1234{after}", ["hush-hush-1234"], limit=300)

    assert "hush-hush-1234" not in shown
    assert is_one_clean_line(shown)
    assert len(shown) <= 300
