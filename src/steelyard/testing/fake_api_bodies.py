"""How a reply reads on the wire: the same answer or error in the words of each API.

Everything made up here is a function of the request and the reply, so two runs of a test see the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .fake_api_replies import Reply
from .fake_api_request import FakeRequest

CHARS_PER_TOKEN = 4
"""Tokens are counted as one for every four characters begun."""

CREATED = 1_700_000_000
"""The one moment at which every reply was made."""


def body_of(request: FakeRequest, reply: Reply) -> bytes:
    """Return the body of ``reply`` as the API that ``request`` was for would send it."""
    if reply.body is not None:
        return _encoded(reply.body)
    if reply.error is not None:
        return _encoded(_ERRORS.get(request.dialect, _chat_error)(reply))
    return _encoded(_ANSWERS.get(request.dialect, _plain)(request, reply))


def catalog_body(entries: Iterable[Mapping[str, Any]]) -> Reply:
    """Make the reply that lists the models."""
    data = list(entries)
    return Reply(body={"data": data, "total_count": len(data), "links": {"next": None}})


def catalog_entry(model: str, *, input_per_mtok: float, output_per_mtok: float, **fields: Any) -> dict[str, Any]:
    """Make one entry of the catalog, with prices in USD per million tokens; ``fields`` replace what is made up."""
    return {
        "id": model,
        "name": model,
        "created": CREATED,
        "context_length": 128_000,
        "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
        "pricing": {"prompt": f"{input_per_mtok / 1e6:.12f}", "completion": f"{output_per_mtok / 1e6:.12f}"},
        "top_provider": {"context_length": 128_000, "max_completion_tokens": 16_384},
        "supported_parameters": ["max_tokens", "temperature", "seed", "top_p"],
        "expiration_date": None,
        **fields,
    }


def _encoded(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    # Escaped, so that a lone surrogate goes over the wire as servers send it: \ud835.
    return json.dumps(body, separators=(",", ":")).encode("ascii")


def _tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)


def _counts(request: FakeRequest, reply: Reply) -> tuple[int, int]:
    text = reply.text if isinstance(reply.text, str) else json.dumps(reply.text)
    return _tokens(request.prompt), 0 if reply.text is None else _tokens(text)


def _with_usage(body: dict[str, Any], key: str, reply: Reply, counted: Mapping[str, Any]) -> dict[str, Any]:
    """Add the token counts, real, odd or absent, as the reply wants them."""
    if reply.usage == "missing":
        return body
    usage = dict(counted) if reply.usage == "counted" else reply.usage
    return {**body, key: None if usage == "null" else usage}


def _chat(request: FakeRequest, reply: Reply) -> dict[str, Any]:
    prompt, completion = _counts(request, reply)
    counted: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if reply.cost_usd is not None:
        counted["cost"] = reply.cost_usd
    message = {"role": "assistant", "content": reply.text, "refusal": None, **reply.message}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None, **reply.choice}
    body = {
        "id": f"gen-{request.number}",
        "object": "chat.completion",
        "created": CREATED,
        "model": reply.model or request.model,
        "choices": [choice],
    }
    return _with_usage(body, "usage", reply, counted)


_STOP_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "refusal",
    "tool_calls": "tool_use",
}


def _messages(request: FakeRequest, reply: Reply) -> dict[str, Any]:
    prompt, completion = _counts(request, reply)
    content = [{"type": "text", "text": reply.text}] if isinstance(reply.text, str) and reply.text else reply.text
    body = {
        "id": f"msg_{request.number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model or request.model,
        "content": content or [],
        "stop_reason": _STOP_REASONS.get(reply.finish_reason or "", reply.finish_reason),
        "stop_sequence": None,
        **reply.message,
    }
    counted = {
        "input_tokens": prompt,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": completion,
    }
    return _with_usage(body, "usage", reply, counted)


_FINISH_REASONS = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}


def _gemini(request: FakeRequest, reply: Reply) -> dict[str, Any]:
    prompt, completion = _counts(request, reply)
    content: dict[str, Any] = {"role": "model", **reply.message}
    if reply.text:
        content["parts"] = [{"text": reply.text}] if isinstance(reply.text, str) else reply.text
    reason = _FINISH_REASONS.get(reply.finish_reason or "", reply.finish_reason)
    body = {
        "candidates": [{"content": content, "finishReason": reason, "index": 0, **reply.choice}],
        "modelVersion": reply.model or request.model,
        "responseId": f"resp-{request.number}",
    }
    counted = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": completion,
        "totalTokenCount": prompt + completion,
    }
    return _with_usage(body, "usageMetadata", reply, counted)


def _ollama(request: FakeRequest, reply: Reply) -> dict[str, Any]:
    prompt, completion = _counts(request, reply)
    body = {
        "model": reply.model or request.model,
        "created_at": "2023-11-14T22:13:20Z",
        "message": {"role": "assistant", "content": reply.text or "", **reply.message},
        "done": True,
        "done_reason": reply.finish_reason,
    }
    if reply.usage == "counted":
        body |= {"prompt_eval_count": prompt, "eval_count": completion}
    elif isinstance(reply.usage, Mapping):
        body |= reply.usage
    return body


def _plain(_request: FakeRequest, reply: Reply) -> dict[str, Any]:
    return {"output": reply.text}


def _chat_error(reply: Reply) -> dict[str, Any]:
    return {"error": {"message": reply.error, "code": reply.status, **reply.error_fields}}


_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def _messages_error(reply: Reply) -> dict[str, Any]:
    kind = _ERROR_TYPES.get(reply.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": reply.error, **reply.error_fields}}


_STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def _gemini_error(reply: Reply) -> dict[str, Any]:
    name = _STATUS_NAMES.get(reply.status, "UNKNOWN")
    return {"error": {"code": reply.status, "message": reply.error, "status": name, **reply.error_fields}}


def _ollama_error(reply: Reply) -> dict[str, Any]:
    return {"error": reply.error}


_ANSWERS: Mapping[str, Callable[[FakeRequest, Reply], dict[str, Any]]] = {
    "chat": _chat,
    "messages": _messages,
    "gemini": _gemini,
    "ollama": _ollama,
}
_ERRORS: Mapping[str, Callable[[Reply], dict[str, Any]]] = {
    "messages": _messages_error,
    "gemini": _gemini_error,
    "ollama": _ollama_error,
}
