"""Ollama: its address in every form, its options, its errors as plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.providers._ollama import address_of
from steelyard_builtins.providers.ollama import OllamaSettings, create

from steelyard.api import Completion, Usage
from steelyard.errors import ProviderError, UsageError
from steelyard.testing.fake_api import FakeAPI, Reply

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]
Sample = Callable[[str, str], Reply]


@pytest.fixture
def provider(api: FakeAPI, context: Any) -> Any:
    return create(OllamaSettings(base_url=api.origin), context({}))


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        ("192.168.1.5", "http://192.168.1.5:11434"),
        ("192.168.1.5:8080", "http://192.168.1.5:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://gpu.test:8080/", "http://gpu.test:8080"),
        ("https://ollama.test", "https://ollama.test"),
        ("ollama.test/proxy/", "http://ollama.test:11434/proxy"),
        ("http://gpu.test:8080/api", "http://gpu.test:8080"),
        ("http://gpu.test:8080/api/chat", "http://gpu.test:8080"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("[::]", "http://[::1]:11434"),
        (' "localhost" ', "http://localhost:11434"),
    ],
)
def test_an_address_is_read_as_ollama_reads_it(host: str, address: str) -> None:
    assert address_of(host) == address


@pytest.mark.parametrize("host", ["ftp://x", "http://", "x y", "localhost:port", "http://x:99999999"])
def test_what_is_no_address_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match=r"providers\.ollama: base_url"):
        address_of(host)


def test_the_address_comes_from_the_environment_and_no_proxy_stands_before_it(
    api: FakeAPI, context: Any, ask: Ask
) -> None:
    environ = {"OLLAMA_HOST": api.origin.removeprefix("http://"), "http_proxy": "http://127.0.0.1:1"}

    assert ask(create(OllamaSettings(), context(environ))).text == "ok"


def test_an_answer_is_asked_for_whole_and_without_a_key(api: FakeAPI, provider: Any, ask: Ask) -> None:
    ask(provider, "hello", system="be kind")

    assert api.requests[0].path == "/api/chat"
    assert "authorization" not in api.requests[0].headers
    assert api.requests[0].json == {
        "model": "acme/writer-2",
        "messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hello"}],
        "stream": False,
    }


def test_parameters_become_options_and_options_of_ones_own_win(api: FakeAPI, provider: Any, ask: Ask) -> None:
    params = {"options": {"num_ctx": 8192, "seed": 9}, "think": False}
    ask(provider, temperature=0, max_tokens=50, seed=7, params=params)

    assert api.requests[0].json["options"] == {"temperature": 0, "num_predict": 50, "seed": 9, "num_ctx": 8192}
    assert api.requests[0].json["think"] is False


def test_an_answer_has_its_text_without_thinking_and_its_counts(
    api: FakeAPI, provider: Any, ask: Ask, sample: Sample
) -> None:
    api.script([sample("ollama", "success")])

    assert ask(provider) == Completion(
        text="Lima is the capital of Peru.",
        usage=Usage(prompt_tokens=21, completion_tokens=44),
        finish_reason="stop",
        model="tiny:8b",
    )


def test_a_count_that_is_left_out_is_unknown(api: FakeAPI, provider: Any, ask: Ask, sample: Sample) -> None:
    api.script([sample("ollama", "cut_off_prompt_cached")])

    completion = ask(provider)
    assert completion.usage == Usage(completion_tokens=1)
    assert completion.problem == "empty reply (done_reason: length); raise max_tokens"


def test_a_model_that_was_only_loaded_gave_no_answer(api: FakeAPI, provider: Any, ask: Ask, sample: Sample) -> None:
    api.script([sample("ollama", "only_loaded")])

    assert ask(provider).problem == "empty reply (done_reason: load)"


@pytest.mark.parametrize(
    ("name", "wanted", "words"),
    [
        ("no_thinking", (400, False, False, None), '"tiny:1b" does not support thinking'),
        ("no_model", (404, False, False, None), "model 'tiny:70b' not found; get it with: ollama pull tiny:70b"),
        ("busy", (503, True, False, None), "server busy, please try again. maximum pending requests exceeded"),
        ("error_in_200", (None, True, False, None), "unexpected EOF"),
        ("lines", (None, True, False, None), "the answer is not JSON"),
    ],
)
def test_each_failure_says_what_it_is_and_whether_to_try_again(
    name: str, wanted: tuple[Any, ...], words: str, request: pytest.FixtureRequest
) -> None:
    api, provider, failing, sample = (request.getfixturevalue(n) for n in ("api", "provider", "failing", "sample"))
    api.script([sample("ollama", name)])

    error = failing(provider, model="tiny:70b")
    assert (error.status, error.retryable, error.exhausted, error.retry_after_s) == wanted
    assert words in error.message


def test_an_ollama_that_does_not_run_is_named(context: Any, failing: Failing) -> None:
    with FakeAPI() as gone:
        address = gone.origin

    error = failing(create(OllamaSettings(base_url=address), context({})))
    assert error.retryable
    assert error.message.endswith("nothing listens there; is the server running?")


@pytest.mark.parametrize(
    "body", ["{}", "[]", "null", '{"message": "x"}', '{"message": {"content": 5}, "eval_count": []}']
)
def test_no_body_is_taken_for_an_answer_or_raises_anything_else(
    body: str, api: FakeAPI, provider: Any, ask: Ask
) -> None:
    api.script([Reply(body=body)])
    try:
        assert ask(provider).problem is not None
    except ProviderError as error:
        assert "no message in the answer" in error.message  # noqa: PT017
