"""What the tests of providers share: a fake API, sample replies, and a way to ask a provider once."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import Completion, Message, Parameters, PluginContext, Request
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, Reply

SAMPLES = Path(__file__).parents[2] / "fixtures" / "api"
KEYS = {
    "OPENROUTER_API_KEY": "sk-or-v1-0123456789abcdef",
    "OPENAI_API_KEY": "sk-test-0123456789abcdef",
    "ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef",
    "GEMINI_API_KEY": "AIzaTest0123456789abcdef",
}


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as running:
        yield running


@pytest.fixture
def context(tmp_path: Path) -> Callable[..., PluginContext]:
    """Make a context; its environment holds test keys and what is given, nothing of the real one."""

    def make(environ: Mapping[str, str] | None = None, concurrency: int = 4) -> PluginContext:
        return PluginContext(
            base_dir=tmp_path,
            work_dir=tmp_path,
            cache_dir=tmp_path / "cache",
            environ=KEYS if environ is None else environ,
            concurrency=concurrency,
        )

    return make


@pytest.fixture(scope="session")
def sample() -> Callable[[str, str], Reply]:
    """Load a reply by the API's name and its own: ``sample("openrouter", "success")``."""
    files: dict[str, Any] = {}

    def load(file: str, name: str) -> Reply:
        if file not in files:
            files[file] = json.loads((SAMPLES / f"{file}.json").read_text(encoding="utf-8"))
        found = files[file][name]
        headers = dict(found["headers"])
        content_type = headers.pop("content-type")
        body = found["text"] if "text" in found else json.dumps(found["json"])
        return Reply(body=body, status=found["status"], headers=headers, content_type=content_type)

    return load


@pytest.fixture(scope="session")
def catalog_sample() -> Any:
    return json.loads((SAMPLES / "openrouter_catalog.json").read_text(encoding="utf-8"))


def make_request(prompt: str = "What is the capital of Peru?", **fields: Any) -> Request:
    parameters = {name: fields.pop(name) for name in ("temperature", "max_tokens", "seed", "params") if name in fields}
    system = fields.pop("system", None)
    messages = (Message(role="system", content=system),) if system is not None else ()
    return Request(
        **{
            "model": "acme/writer-2",
            "messages": (*messages, Message(role="user", content=prompt)),
            "parameters": Parameters(**parameters),
            "timeout_s": 10.0,
            **fields,
        }
    )


@pytest.fixture(name="make_request")
def make_request_fixture() -> Callable[..., Request]:
    return make_request


async def complete(provider: Any, *requests: Request) -> list[Completion]:
    """Ask one after the other and close the provider, as the host does."""
    try:
        answers = []
        for request in requests:
            answer = provider.complete(request)
            answers.append(await answer if inspect.isawaitable(answer) else answer)
        return answers
    finally:
        if hasattr(provider, "close"):
            await provider.close()


@pytest.fixture
def ask() -> Callable[..., Completion]:
    """Ask a provider one question and return its answer; it cannot be used again."""

    def once(provider: Any, prompt: str | Request = "What is the capital of Peru?", **fields: Any) -> Completion:
        request = prompt if isinstance(prompt, Request) else make_request(prompt, **fields)
        return asyncio.run(complete(provider, request))[0]

    return once


@pytest.fixture
def failing(ask: Callable[..., Completion]) -> Callable[..., ProviderError]:
    """Ask a provider one question that fails and return the failure."""

    def once(provider: Any, *args: Any, **fields: Any) -> ProviderError:
        with pytest.raises(ProviderError) as raised:
            ask(provider, *args, **fields)
        return raised.value

    return once
