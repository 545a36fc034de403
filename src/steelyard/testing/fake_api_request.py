"""What the fake API was asked: one request, with what tests want to know about it whatever API it was for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlsplit

Dialect = Literal["chat", "messages", "gemini", "ollama", "catalog", "other"]
"""Which API a path belongs to: chat completions, Anthropic messages, Gemini generateContent, Ollama chat, the list of
models, or none of them."""


@dataclass(frozen=True)
class FakeRequest:
    """One request as it came in."""

    method: str
    target: str
    """What follows the method: a path, or a whole address when the client took the server for a proxy."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)
    time_s: float
    """When it was complete, in seconds on the clock of ``time.monotonic``."""
    number: int
    """How many requests had come before."""
    connection: int
    """The connection it came over, counted from 1."""

    @cached_property
    def path(self) -> str:
        """The path, without the query."""
        return urlsplit(self.target).path

    @cached_property
    def query(self) -> str:
        """What follows the question mark."""
        return urlsplit(self.target).query

    @cached_property
    def json(self) -> Any:
        """The body as JSON; ``None`` when it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @cached_property
    def dialect(self) -> Dialect:
        """Which API the path belongs to."""
        return dialect_of(self.path)

    @cached_property
    def model(self) -> str:
        """The model that is asked; empty when the request names none."""
        if self.dialect == "gemini":
            return self.path.rsplit("/", 1)[-1].partition(":")[0]
        return str(_field(self.json, "model") or "")

    @cached_property
    def prompt(self) -> str:
        """All the text that the model is to read, system text included, one message a line."""
        body = self.json
        texts = [_text(_field(body, "system")), _text(_field(_field(body, "systemInstruction"), "parts"))]
        texts += [_text(_field(message, "content")) for message in _items(_field(body, "messages"))]
        texts += [_text(_field(content, "parts")) for content in _items(_field(body, "contents"))]
        return "\n".join(text for text in texts if text)


def dialect_of(path: str) -> Dialect:
    """Tell which API a path belongs to."""
    if path in ("/v1/chat/completions", "/api/v1/chat/completions"):
        return "chat"
    if path in ("/v1/models", "/api/v1/models"):
        return "catalog"
    if path == "/v1/messages":
        return "messages"
    if path == "/api/chat":
        return "ollama"
    if path.startswith(("/v1beta/models/", "/v1/models/")) and path.endswith(":generateContent"):
        return "gemini"
    return "other"


def _field(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(content: Any) -> str:
    """Join the text of a message's content, which is text or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(str(_field(part, "text") or "") for part in _items(content))
