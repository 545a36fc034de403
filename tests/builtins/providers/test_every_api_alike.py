"""The rules that cut across all APIs: the same fault, ending and count, whatever its name is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from steelyard_builtins.providers.anthropic import AnthropicSettings
from steelyard_builtins.providers.anthropic import create as anthropic
from steelyard_builtins.providers.gemini import GeminiSettings
from steelyard_builtins.providers.gemini import create as gemini
from steelyard_builtins.providers.ollama import OllamaSettings
from steelyard_builtins.providers.ollama import create as ollama
from steelyard_builtins.providers.openai import OpenAISettings
from steelyard_builtins.providers.openai import create as openai
from steelyard_builtins.providers.openrouter import OpenRouterSettings
from steelyard_builtins.providers.openrouter import create as openrouter

from steelyard.api import Completion, Usage
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, Reply, corrupt_gzip, cut_off, dropped, failure, html, redirect, silence

PROVIDERS: dict[str, Callable[[FakeAPI, Any], Any]] = {
    "openrouter": lambda api, context: openrouter(OpenRouterSettings(base_url=api.base_url), context),
    "openai": lambda api, context: openai(OpenAISettings(base_url=api.base_url), context),
    "anthropic": lambda api, context: anthropic(AnthropicSettings(base_url=api.origin), context),
    "gemini": lambda api, context: gemini(GeminiSettings(base_url=api.origin), context),
    "ollama": lambda api, context: ollama(OllamaSettings(base_url=api.origin), context),
}

Outcome = Completion | ProviderError


@pytest.fixture(params=PROVIDERS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def asked(kind: str, api: FakeAPI, context: Any, make_request: Any) -> Callable[..., list[Outcome]]:
    """Ask one provider one question for each reply, one after the other, and return what came of each."""

    async def ask_all(replies: list[Reply], fields: dict[str, Any]) -> list[Outcome]:
        provider = PROVIDERS[kind](api, context())
        outcomes: list[Outcome] = []
        for reply in replies:
            api.script([reply])
            try:
                outcomes.append(await provider.complete(make_request(**fields)))
            except ProviderError as error:
                outcomes.append(error)
        await provider.close()
        return outcomes

    return lambda replies, **fields: asyncio.run(ask_all(list(replies), fields))


def with_conflict(kind: str, status: int) -> bool:
    """Whether a conflict may pass: the makers' own clients of two APIs say so."""
    return status == 409 and kind in ("openai", "anthropic")


def test_each_status_is_retried_or_not(kind: str, asked: Any) -> None:
    passing = (408, 429, 500, 502, 503, 504, 522, 523, 524, 529)
    lasting = (400, 401, 402, 403, 404, 409, 413, 422)
    replies = [failure(status, "as told") for status in (*passing, *lasting)]
    outcomes = asked(replies)
    found = {error.status: error.retryable for error in outcomes}
    wanted = dict.fromkeys(passing, True) | {status: with_conflict(kind, status) for status in lasting}
    assert found == wanted
    assert all("as told" in error.message for error in outcomes)
    assert {error.status for error in outcomes if error.exhausted} >= {401}
    assert {error.status for error in outcomes if error.exhausted} <= {401, 402, 403}


def test_a_page_in_the_place_of_an_answer_is_understood_by_its_status(asked: Any) -> None:
    outcomes = asked([html(502), html(503), html(429), html(200), html(403), html(404)])
    assert [(error.status, error.retryable) for error in outcomes] == [
        (502, True),
        (503, True),
        (429, True),
        (None, True),
        (403, False),
        (404, False),
    ]
    assert not any("<" in error.message for error in outcomes)


def test_a_broken_connection_may_pass_and_a_broken_body_does_not(asked: Any) -> None:
    outcomes = asked([dropped(), cut_off(), corrupt_gzip(), redirect()])
    assert [error.retryable for error in outcomes] == [True, True, False, False]


def test_silence_ends_at_the_deadline_of_the_call(asked: Any) -> None:
    (error,) = asked([silence()], timeout_s=0.1)
    assert (error.retryable, error.exhausted) == (True, False)
    assert "0.1 s" in error.message


def gmt(seconds: float, zone: str = "GMT") -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True).replace("GMT", zone)


def test_a_wait_is_read_in_all_its_forms(asked: Any) -> None:
    forms: list[tuple[dict[str, str], float | None]] = [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "86400"}, 86400),
        ({"Retry-After": gmt(20)}, 20),
        ({"Retry-After": gmt(20, "-0000")}, 20),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 -0000"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "9", "retry-after-ms": "1500"}, 1.5),
    ]
    for status in (429, 503):
        outcomes = asked([Reply(error="wait", status=status, headers=headers) for headers, _ in forms])
        for error, (headers, wanted) in zip(outcomes, forms, strict=True):
            waited = error.retry_after_s or None
            assert waited == (wanted if wanted is None else pytest.approx(wanted, abs=3 if wanted == 20 else 0)), (
                headers
            )


def test_a_header_that_says_whether_to_retry_is_obeyed(asked: Any) -> None:
    told = [
        Reply(error="x", status=400, headers={"x-should-retry": "true"}),
        Reply(error="x", status=503, headers={"x-should-retry": "false"}),
        Reply(error="x", status=503, headers={"x-should-retry": "maybe"}),
    ]
    assert [error.retryable for error in asked(told)] == [True, False, True]


ENDINGS: dict[str, dict[str, tuple[str, str]]] = {
    # What the API calls it, and what everybody else does.
    "openrouter": {"whole": ("stop", "stop"), "cut": ("length", "length"), "filter": ("content_filter",) * 2},
    "openai": {"whole": ("stop", "stop"), "cut": ("length", "length"), "filter": ("content_filter",) * 2},
    "anthropic": {
        "whole": ("end_turn", "stop"),
        "cut": ("max_tokens", "length"),
        "filter": ("refusal", "content_filter"),
    },
    "gemini": {"whole": ("STOP", "stop"), "cut": ("MAX_TOKENS", "length"), "filter": ("SAFETY", "content_filter")},
    "ollama": {"whole": ("stop", "stop"), "cut": ("length", "length")},
}


def test_the_end_of_an_answer_has_one_name_and_an_empty_answer_is_none(kind: str, asked: Any) -> None:
    endings = ENDINGS[kind]
    whole = asked([Reply("some text", finish_reason=own) for own, _ in endings.values()])
    assert [answer.finish_reason for answer in whole] == [common for _, common in endings.values()]
    assert whole[1].text == "some text"
    assert whole[0].problem is None
    assert whole[1].problem is None
    empty = asked([Reply("", finish_reason=own) for own, _ in endings.values()])
    assert all(isinstance(answer, Completion) and answer.problem for answer in empty), empty
    assert "max_tokens" in empty[1].problem


COUNTS: dict[str, tuple[dict[str, Any], Usage]] = {
    # 120 tokens of prompt, 100 of them cached; 50 of output, 30 of them thinking.
    "openrouter": (
        {
            "prompt_tokens": 120,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 10},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
        Usage(
            prompt_tokens=120,
            completion_tokens=50,
            cache_read_tokens=100,
            cache_write_tokens=10,
            reasoning_tokens=30,
        ),
    ),
    "openai": (
        {
            "prompt_tokens": 120,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 100},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
        Usage(prompt_tokens=120, completion_tokens=50, cache_read_tokens=100, reasoning_tokens=30),
    ),
    "anthropic": (
        {
            "input_tokens": 10,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 10,
            "output_tokens": 50,
            "output_tokens_details": {"thinking_tokens": 30},
        },
        Usage(
            prompt_tokens=120,
            completion_tokens=50,
            cache_read_tokens=100,
            cache_write_tokens=10,
            reasoning_tokens=30,
        ),
    ),
    "gemini": (
        {
            "promptTokenCount": 115,
            "toolUsePromptTokenCount": 5,
            "cachedContentTokenCount": 100,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 30,
        },
        Usage(prompt_tokens=120, completion_tokens=50, cache_read_tokens=100, reasoning_tokens=30),
    ),
    "ollama": (
        {"prompt_eval_count": 120, "eval_count": 50},
        Usage(prompt_tokens=120, completion_tokens=50),
    ),
}


def test_tokens_are_counted_so_that_they_mean_the_same(kind: str, asked: Any) -> None:
    usage, wanted = COUNTS[kind]
    found, nothing = asked([Reply("x", usage=usage), Reply("x", usage="missing")])
    assert found.usage == wanted
    assert (nothing.usage.prompt_tokens, nothing.usage.completion_tokens) == (None, None)
    assert nothing.text == "x"
    nulls, wrong = asked([Reply("x", usage=dict.fromkeys(usage)), Reply("x", usage=dict.fromkeys(usage, "many"))])
    for answer in (nulls, wrong):
        assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (None, None)


def inside(body: Any, *path: str) -> Any:
    for key in path:
        body = body.get(key, {}) if isinstance(body, dict) else {}
    return body


PLACES: dict[str, dict[str, tuple[str, ...]]] = {
    "openrouter": {"cap": ("max_tokens",), "temperature": ("temperature",), "seed": ("seed",)},
    "openai": {"cap": ("max_tokens",), "temperature": ("temperature",), "seed": ("seed",)},
    "anthropic": {"cap": ("max_tokens",), "temperature": ("temperature",), "system": ("system",)},
    "gemini": {
        "cap": ("generationConfig", "maxOutputTokens"),
        "temperature": ("generationConfig", "temperature"),
        "seed": ("generationConfig", "seed"),
    },
    "ollama": {
        "cap": ("options", "num_predict"),
        "temperature": ("options", "temperature"),
        "seed": ("options", "seed"),
    },
}


def test_what_a_request_asks_for_stands_where_the_api_looks_for_it(kind: str, api: FakeAPI, asked: Any) -> None:
    asked([Reply("x")], system="Be brief.", max_tokens=77, temperature=0.25, seed=7)
    (request,) = api.requests
    values = {"cap": 77, "temperature": 0.25, "seed": 7, "system": "Be brief."}
    for name, path in PLACES[kind].items():
        assert inside(request.json, *path) == values[name]
    assert "Be brief." in request.prompt
    assert request.prompt.endswith("What is the capital of Peru?")
    header = {"anthropic": "x-api-key", "gemini": "x-goog-api-key", "ollama": None}.get(kind, "authorization")
    sent = {name for name in request.headers if name in ("x-api-key", "x-goog-api-key", "authorization")}
    assert sent == ({header} if header else set())
    if kind == "ollama":
        assert request.json["stream"] is False
    else:
        assert not request.json.get("stream")


OWN_KEY = {
    "openrouter": "OPENROUTER_API_KEY",
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}


def test_an_error_that_quotes_the_key_does_not_show_it(kind: str, context: Any, asked: Any) -> None:
    if kind not in OWN_KEY:
        pytest.skip("it takes no key")
    key = context().environ[OWN_KEY[kind]]
    bodies = [
        Reply(error=f"refused: Bearer {key}", status=401),
        Reply(error=f"Authorization: {key}", status=400),
        Reply(body=f"<html>{key}</html>", status=502, content_type="text/html"),
        Reply(body={"error": {"message": "x", "code": 500, "metadata": {"raw": f"header {key}"}}}),
        Reply(body=key.encode()),
    ]
    for error in asked(bodies):
        said = str(error) if isinstance(error, ProviderError) else str(error.problem)
        assert key not in said
        assert key[8:] not in said
