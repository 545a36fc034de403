"""What the fake API can answer: good replies, and everything that goes wrong between a client and a model.

A :class:`Reply` says what to send without saying in which API's words, so the same script serves every dialect. The
functions beside it, such as :func:`rate_limited`, make the faults that clients meet, each under the name of what the
client sees; they are imported from ``steelyard.testing.fake_api``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

Json = Any
"""A value that ``json.dumps`` takes."""

Usage = Literal["counted", "missing", "null"]
"""Token counts made up from the texts' lengths, no counts at all, or a null in their place."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the fake API.

    The fields down to ``error`` are put in the words of the API that was called; ``body`` replaces them all.
    """

    text: str | Sequence[Json] | None = ""
    """The answer; a list of content parts; or ``None`` for a null."""
    _: KW_ONLY
    finish_reason: str | None = "stop"
    """Why the output ended, in the words of the chat completions API; the other dialects translate it."""
    usage: Usage | Mapping[str, Json] = "counted"
    """Whether to count tokens; or the usage object itself, sent as it is."""
    cost_usd: float | None = None
    """``usage.cost``; left out when ``None``. Only the chat completions dialect has it."""
    model: str | None = None
    """The model that the reply names; the one that was asked for when ``None``."""
    message: Mapping[str, Json] = field(default_factory=lambda: NOTHING)
    """Further fields of the message, such as ``tool_calls`` or ``reasoning``."""
    choice: Mapping[str, Json] = field(default_factory=lambda: NOTHING)
    """Further fields of the choice, such as ``error`` or ``native_finish_reason``."""
    error: str | None = None
    """An error message instead of an answer."""
    error_fields: Mapping[str, Json] = field(default_factory=lambda: NOTHING)
    """Further fields of the error object, such as ``metadata``; they win over the made-up ones."""
    body: Json = None
    """The whole body: bytes and text go out as they are, anything else as JSON. ``None`` to make one."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    content_type: str = "application/json"
    latency_s: float = 0.0
    """Seconds before the first byte."""
    drip: tuple[int, float] = (0, 0.0)
    """So many blanks before the body, one every so many seconds: the keep-alive of some servers."""
    ending: Literal["whole", "silence", "no_answer", "cut"] = "whole"
    """``silence``: nothing is ever sent. ``no_answer``: the connection closes before a byte. ``cut``: it closes in the
    middle of the body, whose full length was announced."""


def failure(status: int, message: str = "", *, retry_after: str | None = None, **error_fields: Json) -> Reply:
    """Make an error status with an error body in the API's own words.

    Args:
        status: The HTTP status.
        message: What the body says; ``status NNN`` when empty.
        retry_after: The ``Retry-After`` header, in any form, also a broken one.
        **error_fields: Further fields of the error object, such as ``code`` or ``metadata``.
    """
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply(error=message or f"status {status}", status=status, headers=headers, error_fields=error_fields)


def rate_limited(retry_after: str | None = None, message: str = "rate limit exceeded") -> Reply:
    """Make a 429, with a ``Retry-After`` header in whatever form is given."""
    return failure(429, message, retry_after=retry_after)


def error_in_200(code: int | str, message: str = "Provider returned error", **error_fields: Json) -> Reply:
    """Make an error that hides in the body of a 200."""
    return Reply(error=message, error_fields={"code": code, **error_fields})


def error_in_choice(code: int | str, message: str = "Provider disconnected", text: str = "half an ans") -> Reply:
    """Make a partial answer whose choice carries an error."""
    return Reply(text, finish_reason="error", choice={"error": {"code": code, "message": message}})


def html(status: int = 502, title: str = "502 Bad Gateway") -> Reply:
    """Make the web page that a proxy shows instead of an answer."""
    page = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>\n"
    return Reply(body=page, status=status, content_type="text/html; charset=UTF-8")


def no_choices(choices: Json = ()) -> Reply:
    """Make a chat completion without choices: an empty list, or ``None`` for a null."""
    return Reply(body={"id": "gen-empty", "object": "chat.completion", "choices": choices})


def tool_call(text: str | None = None) -> Reply:
    """Make a reply that calls a tool, with or without text beside it."""
    call = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    return Reply(text, finish_reason="tool_calls", message={"tool_calls": [call]})


def dripping(reply: Reply, *, blanks: int, every_s: float) -> Reply:
    """Send blanks before the body of ``reply``, so that no read ever times out."""
    return replace(reply, drip=(blanks, every_s))


def slow(reply: Reply, latency_s: float) -> Reply:
    """Let ``reply`` wait so many seconds before its first byte."""
    return replace(reply, latency_s=latency_s)


def silence() -> Reply:
    """Take the request and never answer."""
    return Reply(ending="silence")


def dropped() -> Reply:
    """Close the connection before sending a byte, as a server does with a connection that was idle too long."""
    return Reply(ending="no_answer")


def cut_off(text: str = "an answer that never arrives whole") -> Reply:
    """Announce the length of the body and close the connection half-way."""
    return Reply(text, ending="cut")


def corrupt_gzip() -> Reply:
    """Announce a compressed body and send one that cannot be unpacked."""
    packed = bytearray(gzip.compress(json.dumps({"choices": []}).encode() * 20, mtime=0))
    packed[len(packed) // 2] ^= 0xFF
    packed[-8:-4] = b"\0\0\0\0"
    return Reply(body=bytes(packed), headers={"Content-Encoding": "gzip"})


def redirect(location: str = "/elsewhere", status: int = 307) -> Reply:
    """Send the client somewhere else."""
    return Reply(body=b"", status=status, headers={"Location": location})


def huge(size_bytes: int) -> Reply:
    """Make an answer of at least so many bytes."""
    return Reply("x" * size_bytes)


def lone_surrogate(before: str = "math ", after: str = " sign") -> Reply:
    r"""Make an answer with half a surrogate pair, ``\ud835``, as models emit when a token splits one."""
    return Reply(f"{before}\ud835{after}")
