"""What goes over the wire, and what comes back: pure functions that trust nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from steelyard.api import Completion, ModelInfo, Pricing, Request, Usage
from steelyard.errors import ProviderError

from .tokens import Token

_RATE_LIMITED, _SERVER_ERROR = 429, 500
_REFUSED = (401, 403)
_NO_JSON = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


def body_of(request: Request) -> dict[str, Any]:
    """Return what is sent: whatever the user left open stays out of it."""
    asked = request.parameters
    optional = {"temperature": asked.temperature, "max_tokens": asked.max_tokens, "seed": asked.seed}
    return {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        **{name: value for name, value in optional.items() if value is not None},
        **asked.params,
    }


def completion_of(data: bytes) -> Completion:
    """Read an answer. A final reply with nothing to grade has a ``problem``: its tokens were paid for."""
    with _read("the answer is no chat completion"):
        reply = json.loads(data)
        choice = reply["choices"][0]
        text, reason = choice["message"]["content"], choice.get("finish_reason")
        counts = reply.get("usage") or {}
        usage = Usage(
            prompt_tokens=counts.get("prompt_tokens"),
            completion_tokens=counts.get("completion_tokens"),
        )
    text = text if isinstance(text, str) else ""
    problem = None if text else f"the answer is empty (finish_reason: {reason})"
    return Completion(text=text, usage=usage, finish_reason=reason, problem=problem)


def token_of(data: bytes) -> Token:
    """Read the reply of the token endpoint."""
    with _read("the token endpoint gave no token"):
        reply = json.loads(data)
        token, lifetime_s = reply["access_token"], float(reply["expires_in"])
        if not isinstance(token, str) or not token:
            raise ValueError
    return Token(token, lifetime_s)


def catalog_of(data: bytes) -> list[ModelInfo]:
    """Read the catalogue, whose prices are for 1,000 tokens; the host wants them for a million."""
    with _read("the catalogue cannot be read"):
        return [
            ModelInfo(
                id=entry["name"],
                context_length=entry.get("context"),
                pricing=Pricing(
                    input_per_mtok=1000 * entry["usd_per_1k_in"],
                    output_per_mtok=1000 * entry["usd_per_1k_out"],
                ),
            )
            for entry in json.loads(data)["models"]
        ]


def refusal(status: int, headers: Mapping[str, str], *, by: str = "the gateway") -> ProviderError:
    """Say what an error status means for further calls."""
    wait = headers.get("Retry-After", "")
    advice = "; check the client's id and secret" if status in _REFUSED else ""
    return ProviderError(
        f"HTTP {status} from {by}{advice}",
        status=status,
        retryable=status == _RATE_LIMITED or status >= _SERVER_ERROR,
        retry_after_s=float(wait) if wait.isascii() and wait.isdigit() else None,
        exhausted=status in _REFUSED,
    )


@contextmanager
def _read(otherwise: str) -> Iterator[None]:
    try:
        yield
    except _NO_JSON as error:
        raise ProviderError(otherwise) from error
