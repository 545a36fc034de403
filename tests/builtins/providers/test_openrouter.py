"""What OpenRouter's replies mean: every row of its error table, every odd 200, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.providers.openrouter import OpenRouterSettings, create, steelyard_register_providers

from steelyard.api import Completion, PluginContext, Usage
from steelyard.errors import ProviderError, UsageError
from steelyard.testing.fake_api import FakeAPI, Reply, corrupt_gzip, cut_off, dropped, failure, rate_limited, redirect

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]
Sample = Callable[[str, str], Reply]


@pytest.fixture
def provider(api: FakeAPI, context: Callable[..., PluginContext]) -> Any:
    return create(OpenRouterSettings(base_url=api.base_url), context())


def scripted(api: FakeAPI, sample: Sample, name: str) -> None:
    api.script([sample("openrouter", name)])


# What goes out.


def test_only_what_the_request_gives_is_sent(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider, "hello")

    assert api.requests[0].json == {"model": "acme/writer-2", "messages": [{"role": "user", "content": "hello"}]}


def test_parameters_are_sent_as_they_are(api: FakeAPI, provider: Any, ask: Ask) -> None:
    params = {"top_p": 0.9, "provider": {"only": ("northwind",), "allow_fallbacks": False}}
    ask(provider, "hello", system="be kind", temperature=0, max_tokens=200, seed=7, params=params)

    assert api.requests[0].json == {
        "model": "acme/writer-2",
        "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hello"}],
        "temperature": 0,
        "max_tokens": 200,
        "seed": 7,
        "top_p": 0.9,
        "provider": {"only": ["northwind"], "allow_fallbacks": False},
    }


def test_the_key_goes_into_the_authorization_header_alone(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider)

    request = api.requests[0]
    assert request.headers["authorization"] == "Bearer sk-or-v1-0123456789abcdef"
    assert b"sk-or-v1" not in request.body
    assert "sk-or-v1" not in request.target


def test_headers_of_ones_own_are_sent_and_win(api: FakeAPI, context: Any, ask: Ask) -> None:
    headers = {"X-OpenRouter-Title": "Prüfstand", "AUTHORIZATION": "Bearer other"}
    ask(create(OpenRouterSettings(base_url=api.base_url, headers=headers), context()))

    assert api.requests[0].headers["x-openrouter-title"].encode("latin-1").decode("utf-8") == "Prüfstand"
    assert api.requests[0].headers["authorization"] == "Bearer other"


def test_half_a_surrogate_pair_in_a_prompt_is_sent_as_a_question_mark(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider, "bad \udc97 byte")

    assert api.requests[0].json["messages"][0]["content"] == "bad ? byte"


def test_the_address_comes_from_the_environment_unless_the_settings_give_one(
    api: FakeAPI, context: Any, ask: Ask
) -> None:
    environ = {"OPENROUTER_API_KEY": "sk-or-v1-0123456789abcdef", "OPENROUTER_BASE_URL": f"{api.origin}/api/v1/"}
    ask(create(OpenRouterSettings(), context(environ)))

    assert api.requests[0].path == "/api/v1/chat/completions"


@pytest.mark.parametrize("path", ["", "/", "/api/v1", "/api/v1/", "/api/v1/chat/completions"])
def test_an_address_is_understood_however_it_is_written(path: str, api: FakeAPI, context: Any, ask: Ask) -> None:
    assert ask(create(OpenRouterSettings(base_url=api.origin + path), context())).text == "ok"


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("openrouter.ai/api/v1", "must be an http:// or https:// address, got 'openrouter.ai/api/v1'"),
        ("ftp://x/v1", "must be an http:// or https:// address"),
        ("http://me:secret@x/v1", "must not hold a user name or a password"),
        ("http://x:port/v1", "not an address"),
        ("http://x/v1?key=1", "must end with the path"),
        ("http://x y/v1", "must be an http:// or https:// address"),
    ],
)
def test_an_address_that_cannot_work_is_refused_before_any_call(address: str, problem: str, context: Any) -> None:
    with pytest.raises(UsageError, match=r"providers\.openrouter: base_url") as raised:
        create(OpenRouterSettings(base_url=address), context())

    assert problem in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("headers", [{"bad name": "x"}, {"X-A": "one\r\nX-B: two"}, {"X-A": "\x00"}])
def test_headers_that_cannot_be_sent_are_refused_before_any_call(headers: dict[str, str], context: Any) -> None:
    with pytest.raises(UsageError, match=r"providers\.openrouter: headers"):
        create(OpenRouterSettings(headers=headers), context())


# Good answers.


def test_an_answer_has_its_text_counts_cost_model_and_reason(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    scripted(api, sample, "success")

    assert ask(provider) == Completion(
        text="Lima is the capital of Peru.",
        usage=Usage(
            prompt_tokens=1000, completion_tokens=80, cache_read_tokens=600, cache_write_tokens=100, reasoning_tokens=50
        ),
        finish_reason="stop",
        cost_usd=0.0019,
        model="acme/writer-2",
    )


def test_with_a_key_of_ones_own_the_makers_price_is_added_to_the_fee(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    scripted(api, sample, "own_key")

    assert ask(provider).cost_usd == pytest.approx(0.0021)


def test_with_a_key_of_ones_own_an_unnamed_price_makes_the_cost_unknown(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    scripted(api, sample, "own_key_price_unknown")

    assert ask(provider).cost_usd is None


def test_blanks_before_the_body_do_not_matter(api: FakeAPI, provider: Any, ask: Ask, sample: Sample) -> None:
    scripted(api, sample, "leading_blanks")

    assert ask(provider).text == "7"


def test_a_partial_answer_is_an_answer_that_says_it_was_cut_off(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    scripted(api, sample, "cut_off_in_answer")

    completion = ask(provider)
    assert (completion.text, completion.finish_reason) == ("The three reasons are: first, the", "length")
    assert completion.problem is None


def test_text_beside_a_tool_call_is_an_answer(api: FakeAPI, provider: Any, ask: Ask, sample: Sample) -> None:
    scripted(api, sample, "tool_calls_with_parts")

    completion = ask(provider)
    assert (completion.text, completion.finish_reason, completion.problem) == ("Let me look.", "tool_calls", None)


def test_half_a_surrogate_pair_in_an_answer_is_replaced(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply("math \ud835 sign")])

    assert ask(provider).text == "math ? sign"


def test_think_tags_in_the_text_stay(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply("<think>hm</think>42")])

    assert ask(provider).text == "<think>hm</think>42"


def test_the_host_is_told_that_a_reply_without_usage_is_a_failure() -> None:
    assert next(iter(steelyard_register_providers())).usage_required


@pytest.mark.parametrize("usage", ["missing", "null"])
def test_without_usage_tokens_and_cost_are_unknown_and_not_zero(
    usage: Any, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    api.script([Reply("Lima", usage=usage)])

    completion = ask(provider)
    assert (completion.text, completion.usage, completion.cost_usd) == ("Lima", Usage(), None)


@pytest.mark.parametrize("count", [True, "12", -3, 12.5, 10**30, float("nan"), float("inf"), None, [], {}])
def test_a_count_that_is_none_is_unknown(count: Any, api: FakeAPI, provider: Any, ask: Ask) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": count}}
    api.script([Reply("Lima", usage=usage)])

    assert ask(provider).usage == Usage(completion_tokens=4)


def test_a_whole_number_with_a_point_is_a_count(api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply("Lima", usage={"prompt_tokens": 12.0, "completion_tokens": 0})])

    assert ask(provider).usage == Usage(prompt_tokens=12, completion_tokens=0)


def test_a_part_is_never_larger_than_its_whole(api: FakeAPI, provider: Any, ask: Ask) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 90, "cache_write_tokens": 50},
        "completion_tokens_details": {"reasoning_tokens": 99},
    }
    api.script([Reply("Lima", usage=usage)])

    assert ask(provider).usage == Usage(
        prompt_tokens=100, completion_tokens=10, cache_read_tokens=90, cache_write_tokens=10, reasoning_tokens=10
    )


@pytest.mark.parametrize("cost", [True, -1, "0.1", float("nan"), float("inf"), {}, None, 10**400])
def test_a_cost_that_is_none_is_unknown(cost: Any, api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([Reply("Lima", usage={"prompt_tokens": 1, "completion_tokens": 1, "cost": cost})])

    assert ask(provider).cost_usd is None


# Final replies with nothing to grade.


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("cut_off_in_thought", "empty reply (finish_reason: length); raise max_tokens"),
        ("tool_calls_only", "no text (tool_calls)"),
        ("refusal", "stopped by a content filter (finish_reason: content_filter): I will not answer that."),
    ],
)
def test_a_paid_reply_without_an_answer_keeps_its_counts_and_says_why(
    name: str, problem: str, api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    scripted(api, sample, name)

    completion = ask(provider)
    assert completion.problem == problem
    assert completion.usage.prompt_tokens is not None
    assert completion.cost_usd is not None


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply("", finish_reason="length"), "empty reply (finish_reason: length); raise max_tokens"),
        (Reply(" \n", finish_reason="model_length"), "empty reply (finish_reason: length); raise max_tokens"),
        (Reply("", finish_reason="content_filter"), "stopped by a content filter (finish_reason: content_filter)"),
        (Reply("half", finish_reason="content_filter"), "stopped by a content filter (finish_reason: content_filter)"),
        (Reply(None, message={"refusal": "No."}), "refused: No."),
        (Reply(""), "empty reply (finish_reason: stop)"),
        (Reply(None), "empty reply (finish_reason: stop)"),
        (Reply([]), "empty reply (finish_reason: stop)"),
        (Reply([{"type": "image_url"}]), "empty reply (finish_reason: stop)"),
    ],
)
def test_an_empty_text_is_never_an_answer(reply: Reply, problem: str, api: FakeAPI, provider: Any, ask: Ask) -> None:
    api.script([reply])

    assert ask(provider).problem == problem


# Failures: which may pass, and how long to wait.


@pytest.mark.parametrize(
    ("name", "wanted", "words"),
    [
        ("empty_choices", (None, True, False, None), "no choices in the answer"),
        ("comment_lines", (None, True, False, None), "the answer is not JSON: it begins with ': OPENROUTER PROCESSING"),
        ("network_error", (None, True, False, None), "network_error"),
        ("moderation", (403, False, False, None), "Your input was flagged by moderation (Northwind: harassment)"),
        ("key_budget", (403, False, True, None), "Key limit exceeded"),
        ("capacity_no_code", (429, True, False, 25), "Every provider of acme/writer-2 is at capacity"),
        ("not_available_for_good", (404, False, False, None), "free variant of acme/writer-2 has ended"),
        ("bad_gateway_page", (502, True, False, None), "it is a web page: '502 Bad Gateway'"),
        ("error_in_200", (502, True, False, None), "Upstream error from Northwind: overloaded"),
        ("error_in_choice", (502, True, False, None), "Provider disconnected in mid-answer"),
        ("finish_error_only", (None, True, False, None), "finish_reason: error"),
        ("stream_error_code_is_text", (500, True, False, None), "Provider disconnected"),
        ("credits", (402, False, True, None), "This request requires more credits"),
        ("free_daily", (429, False, True, None), "free requests come back at 00:00 UTC"),
        (
            "upstream_limit",
            (429, True, False, 9),
            "(Northwind: acme/writer-2:free is temporarily rate-limited upstream.)",
        ),
        ("wrong_model", (400, False, False, None), "acme/writter-2 is not a valid model ID"),
        ("key_refused", (401, False, True, None), "check OPENROUTER_API_KEY"),
    ],
)
def test_each_failure_says_what_it_is_and_whether_to_try_again(
    name: str, wanted: tuple[int | None, bool, bool, float | None], words: str, request: pytest.FixtureRequest
) -> None:
    api, provider, failing, sample = (request.getfixturevalue(n) for n in ("api", "provider", "failing", "sample"))
    scripted(api, sample, name)

    error = failing(provider)
    assert (error.status, error.retryable, error.exhausted, error.retry_after_s) == wanted
    assert words in error.message


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 520, 522, 523, 524, 529])
@pytest.mark.parametrize("in_200", [False, True])
def test_a_status_that_means_not_now_is_retried(
    status: int, in_200: bool, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([Reply(error="later", error_fields={"code": status})] if in_200 else [failure(status, "later")])

    error = failing(provider)
    assert (error.status, error.retryable) == (status, True)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 410, 412, 413, 422, 499, 501])
@pytest.mark.parametrize("in_200", [False, True])
def test_a_status_that_means_not_like_this_is_not_retried(
    status: int, in_200: bool, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([Reply(error="no", error_fields={"code": status})] if in_200 else [failure(status, "no")])

    error = failing(provider)
    assert (error.status, error.retryable) == (status, False)


@pytest.mark.parametrize("told", ["true", "false"])
def test_the_header_that_says_whether_to_retry_is_obeyed(
    told: str, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([Reply(error="x", status=400 if told == "true" else 503, headers={"X-Should-Retry": told})])

    assert failing(provider).retryable is (told == "true")


@pytest.mark.parametrize(("status", "retryable"), [(404, True), (503, False), (429, False)])
def test_what_the_reply_says_about_trying_again_counts_more_than_the_status(
    status: int, retryable: bool, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([failure(status, "x", availability={"retryable": retryable})])

    assert failing(provider).retryable is retryable


def test_words_alone_do_not_make_a_limit_inside_a_200_a_daily_one(
    api: FakeAPI, provider: Any, failing: Failing
) -> None:
    metadata = {"headers": {"X-RateLimit-Remaining": "0"}}
    api.script(
        [Reply(error="Rate limit exceeded: free-models-per-day", error_fields={"code": 429, "metadata": metadata})]
    )

    error = failing(provider)
    assert (error.status, error.retryable, error.exhausted) == (429, True, False)


@pytest.mark.parametrize("metadata", [{}, {"limit_source": "openrouter_free_tier_daily"}])
def test_the_days_free_quota_ends_the_run(metadata: Any, api: FakeAPI, provider: Any, failing: Failing) -> None:
    fields = {"metadata": metadata} if metadata else {}
    api.script([failure(429, "Rate limit exceeded: free-models-per-day-high-balance", **fields)])

    assert failing(provider).exhausted


def test_the_minutes_free_quota_is_waited_for(api: FakeAPI, provider: Any, failing: Failing) -> None:
    reset = str(int((time.time() + 30) * 1000))
    metadata = {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}}
    api.script([failure(429, "Rate limit exceeded: free-models-per-min", metadata=metadata)])

    error = failing(provider)
    assert error.retryable
    assert error.retry_after_s == pytest.approx(30, abs=5)


@pytest.mark.parametrize(
    ("reply", "retryable", "words"),
    [
        (dropped(), True, "the connection closed before an answer came"),
        (cut_off(), True, "the connection closed in the middle of the answer"),
        (corrupt_gzip(), False, "the answer cannot be unpacked"),
        (redirect("http://elsewhere.example/v1"), False, "the server redirects to 'http://elsewhere.example/v1'"),
    ],
)
def test_a_broken_connection_is_retried_and_a_broken_answer_is_not(
    reply: Reply, retryable: bool, words: str, api: FakeAPI, provider: Any, failing: Failing
) -> None:
    api.script([reply])

    error = failing(provider)
    assert error.retryable is retryable
    assert words in error.message
    assert api.count == 1


def test_the_deadline_ends_a_call_however_the_server_drips(api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([Reply("late", drip=(1000, 0.01))])
    started = time.monotonic()

    error = failing(provider, timeout_s=0.2)
    assert time.monotonic() - started < 30
    assert error.retryable
    assert error.message == "openrouter: timed out after 0.2 s"


def test_a_server_that_is_not_there_is_named_and_retried(context: Any, failing: Failing) -> None:
    with FakeAPI() as gone:
        address = gone.base_url

    error = failing(create(OpenRouterSettings(base_url=address), context()))
    assert error.retryable
    assert "nothing listens there; is the server running?" in error.message


# No body is a reason for a traceback.

BAD_BODIES: list[Any] = [
    b"",
    b"\xff\xfe\x00",
    "null",
    "true",
    "[]",
    "[[[[]]]]",
    '"text"',
    "12",
    "{}",
    "NaN",
    '{"choices": {}}',
    '{"choices": "x"}',
    '{"choices": [null]}',
    '{"choices": ["x"]}',
    '{"choices": [[]]}',
    '{"choices": [{}]}',
    '{"choices": [{"message": null}]}',
    '{"choices": [{"message": "x"}]}',
    '{"choices": [{"message": {"content": 5}}]}',
    '{"choices": [{"message": {"content": {"text": "x"}}}]}',
    '{"choices": [{"finish_reason": 5, "message": {"content": [5, null, {"type": "text", "text": 5}]}}]}',
    '{"choices": [{"error": [], "message": {"tool_calls": "x", "refusal": 5}}]}',
    '{"choices": [{"message": {"content": null}}], "usage": [1, 2]}',
    '{"choices": [{"message": {"content": ""}, "finish_reason": "stop"}], "usage": "none"}',
    '{"error": 5}',
    '{"error": []}',
    '{"error": [{"message": "x"}]}',
    '{"error": {"code": [], "message": {}, "metadata": [], "availability": 5}}',
    '{"error": {"code": "' + "9" * 5000 + '", "message": ["a", {"msg": "b"}]}}',
    '{"error": {"message": ' + '{"message":' * 400 + "1" + "}" * 400 + "}}",
    '{"usage": ' + "9" * 5000 + "}",
    "[" * 100_000,
    '{"a":' * 5_000,
    '{"error": {"message": "line one\\nline two\\u001b[31m", "code": 400}}',
]


@pytest.mark.parametrize("status", [200, 400, 503])
@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body[:40]))
def test_no_body_raises_anything_but_an_error_of_the_call(
    body: Any, status: int, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    api.script([Reply(body=body, status=status)])
    with contextlib.suppress(ProviderError):
        completion = ask(provider)
        assert status == 200
        assert completion.problem is not None


@pytest.mark.parametrize("status", [200, 400, 503])
@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body[:40]))
def test_the_message_about_any_body_is_one_short_printable_line(
    body: Any, status: int, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    api.script([Reply(body=body, status=status)])
    try:
        message = ask(provider).problem or ""
    except ProviderError as error:
        message = error.message

    assert message.isprintable()
    assert 10 < len(message) < 500


def test_a_long_message_is_cut(api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([failure(400, "word " * 100_000)])

    assert len(failing(provider).message) < 400


# Keys.


@pytest.mark.parametrize("value", [None, "", "  \t"])
def test_a_key_that_is_not_set_is_said_without_a_call(
    value: str | None, api: FakeAPI, context: Any, failing: Failing
) -> None:
    environ = {} if value is None else {"OPENROUTER_API_KEY": value}
    provider = create(OpenRouterSettings(base_url=api.base_url), context(environ))

    credentials = provider.credentials()
    assert (credentials.source, credentials.is_set) == ("OPENROUTER_API_KEY", False)
    assert credentials.problem == "OPENROUTER_API_KEY is not set; export it or put it in a .env file"
    assert "OPENROUTER_API_KEY is not set" in failing(provider).message
    assert api.count == 0


@pytest.mark.parametrize(
    ("key", "shown"), [("sk-or-…1234", "'\\u2026' at character 7"), ("sk or", "' ' at character 3")]
)
def test_a_key_that_no_header_can_carry_is_said_without_a_call_and_without_the_key(
    key: str, shown: str, api: FakeAPI, context: Any, failing: Failing
) -> None:
    provider = create(OpenRouterSettings(base_url=api.base_url), context({"OPENROUTER_API_KEY": key}))

    error = failing(provider)
    assert provider.credentials().is_set
    assert shown in str(provider.credentials().problem)
    assert shown in error.message
    assert key not in error.message
    assert api.count == 0


def test_white_space_around_a_key_is_left_out(api: FakeAPI, context: Any, ask: Ask) -> None:
    ask(create(OpenRouterSettings(base_url=api.base_url), context({"OPENROUTER_API_KEY": " sk-or-v1-abc\n"})))

    assert api.requests[0].headers["authorization"] == "Bearer sk-or-v1-abc"


def test_a_server_that_wants_no_key_gets_none(api: FakeAPI, context: Any, ask: Ask) -> None:
    provider = create(OpenRouterSettings(base_url=api.base_url, api_key_env=None), context({}))
    credentials = provider.credentials()
    ask(provider)

    assert (credentials.source, credentials.is_set, credentials.problem) == ("none needed", True, None)
    assert "authorization" not in api.requests[0].headers


def test_a_key_that_the_server_quotes_is_not_shown(api: FakeAPI, context: Any, failing: Failing) -> None:
    words = (
        "no sk-or-v1-0123456789abcdef; Authorization: Bearer abcdef123456, ?key=AIza99, x-api-key: 'hush-hush', "
        "pw-12345678"
    )
    provider = create(
        OpenRouterSettings(base_url=api.base_url, headers={"X-Secret-Token": "pw-12345678", "X-Plain": "fine"}),
        context(),
    )
    api.script([failure(400, words)])

    message = failing(provider).message
    for secret in ("0123456789abcdef", "abcdef123456", "AIza99", "hush-hush", "pw-12345678"):
        assert secret not in message
    assert message.count("[redacted]") == 5


def test_secrets_are_named_to_the_host_but_not_shown(context: Any) -> None:
    provider = create(OpenRouterSettings(headers={"X-Secret-Token": "pw-12345678", "X-Plain": "fine"}), context())

    credentials = provider.credentials()
    assert set(credentials.secrets) == {"sk-or-v1-0123456789abcdef", "pw-12345678"}
    assert "pw-12345678" not in repr(credentials)


# The fingerprint.


def test_a_fingerprint_holds_what_is_sent_and_no_secret(api: FakeAPI, context: Any, make_request: Any) -> None:
    headers = {"X-Secret-Token": "pw-12345678", "x-anthropic-beta": "long"}
    provider = create(OpenRouterSettings(base_url=api.base_url, headers=headers), context())

    found = json.loads(provider.fingerprint(make_request("hi", temperature=0)))
    assert found["url"] == f"{api.base_url}/chat/completions"
    assert found["headers"]["x-anthropic-beta"] == "long"
    assert found["body"]["temperature"] == 0
    assert "pw-12345678" not in json.dumps(found)
    assert "sk-or" not in json.dumps(found)


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.7},
        {"max_tokens": 4096},
        {"system": "s"},
        {"seed": 1},
        {"params": {"top_p": 0.5}},
        {"params": {"response_format": {"type": "json_object"}}},
        {"model": "acme/other"},
        {"prompt": "q"},
    ],
)
def test_whatever_is_sent_changes_the_fingerprint(change: dict[str, Any], context: Any, make_request: Any) -> None:
    provider = create(OpenRouterSettings(), context())
    base = {"prompt": "p", "temperature": 0, "max_tokens": 200}

    assert provider.fingerprint(make_request(**base)) != provider.fingerprint(make_request(**{**base, **change}))


def test_another_address_changes_the_fingerprint(context: Any, make_request: Any) -> None:
    one, other = (create(OpenRouterSettings(base_url=f"http://{host}/v1"), context()) for host in ("a", "b"))

    assert one.fingerprint(make_request()) != other.fingerprint(make_request())


def test_the_order_of_parameters_and_another_key_change_no_fingerprint(context: Any, make_request: Any) -> None:
    one = create(OpenRouterSettings(), context({"OPENROUTER_API_KEY": "sk-one-1234"}))
    other = create(OpenRouterSettings(), context({"OPENROUTER_API_KEY": "sk-two-1234"}))

    assert one.fingerprint(make_request(params={"a": 1, "b": {"x": 1, "y": 2}})) == other.fingerprint(
        make_request(params={"b": {"y": 2, "x": 1}, "a": 1})
    )


def test_parameters_that_json_cannot_hold_are_said_without_a_call(
    api: FakeAPI, provider: Any, failing: Failing
) -> None:
    error = failing(provider, params={"top_p": float("nan")})

    assert "cannot be written as JSON" in error.message
    assert not error.retryable
    assert api.count == 0


# Connections.


def test_calls_share_connections_and_no_more_are_opened_than_calls_may_be_in_flight(
    api: FakeAPI, context: Any, make_request: Any
) -> None:
    provider = create(OpenRouterSettings(base_url=api.base_url), context(concurrency=3))

    async def many() -> None:
        await asyncio.gather(*(provider.complete(make_request(str(number))) for number in range(30)))
        await provider.close()

    asyncio.run(many())
    assert api.count == 30
    assert api.connections == 3


def test_connections_are_gone_after_close(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider)

    assert api.wait_for(lambda api: api.open_connections == 0)


def test_a_provider_that_was_closed_connects_anew_when_asked_in_another_event_loop(
    api: FakeAPI, provider: Any, ask: Ask
) -> None:
    assert [ask(provider).text, ask(provider).text] == ["ok", "ok"]
    assert api.connections == 2


def test_closing_what_was_never_used_does_nothing(provider: Any) -> None:
    asyncio.run(provider.close())


def test_a_call_that_is_cancelled_leaves_the_others_alone(api: FakeAPI, context: Any, make_request: Any) -> None:
    api.script([Reply(ending="silence")], match="never")
    provider = create(OpenRouterSettings(base_url=api.base_url), context())

    async def cancel_one() -> str:
        lost = asyncio.create_task(provider.complete(make_request("never")))
        await asyncio.to_thread(api.wait_for, lambda api: api.in_flight == 1)
        lost.cancel()
        with pytest.raises(asyncio.CancelledError):
            await lost
        answer: Completion = await provider.complete(make_request("now"))
        await provider.close()
        return answer.text

    assert asyncio.run(cancel_one()) == "ok"


def test_a_rate_limit_carries_the_wait(api: FakeAPI, provider: Any, failing: Failing) -> None:
    api.script([rate_limited("7")])

    error = failing(provider)
    assert error.retry_after_s == 7
    assert error.message == "openrouter: rate-limited (HTTP 429): rate limit exceeded"
