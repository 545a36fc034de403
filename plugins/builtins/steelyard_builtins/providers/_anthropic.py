"""How Anthropic is asked and understood: blocks instead of a text, cached tokens counted beside the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from steelyard.api import Completion, Credentials, PluginContext, Request, Usage
from steelyard.errors import ProviderError
from steelyard.text import well_formed

from ._address import base_address
from ._failures import Rules, Said, body_of, said_in
from ._http import HttpReply
from ._json import at, count_of, list_of, mapping_of, text_of
from ._json_api import JsonApi
from ._secrets import presentable
from .anthropic import AnthropicSettings

NAME = "anthropic"
PUBLIC_ADDRESS = "https://api.anthropic.com"

FINISH_REASONS: Mapping[str, str] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
"""Anthropic's reasons in the words that every provider uses."""


class Anthropic:
    """Asks Claude models."""

    def __init__(self, settings: AnthropicSettings, context: PluginContext) -> None:
        address = settings.base_url or context.environ.get("ANTHROPIC_BASE_URL", "").strip() or PUBLIC_ADDRESS
        self.base_url = base_address(NAME, address, "/v1")
        self._url = f"{self.base_url}/messages"
        self._default_max_tokens = settings.default_max_tokens
        self._api = JsonApi(
            NAME,
            self.base_url,
            key_variable=settings.api_key_env,
            headers=settings.headers,
            context=context,
            sign=lambda key: {"x-api-key": key},
            fixed_headers={"anthropic-version": settings.anthropic_version},
        )
        self._rules = AnthropicRules(NAME, self._api.secrets, settings.api_key_env)

    async def complete(self, request: Request) -> Completion:
        """Ask once."""
        reply = await self._api.post(self._url, self._body(request), timeout_s=request.timeout_s)
        return read_message(reply, self._rules)

    def fingerprint(self, request: Request) -> str:
        """Return address, headers without secrets, and body."""
        return self._api.fingerprint(self._url, self._body(request))

    def credentials(self) -> Credentials:
        """Say where the key comes from and whether it can be used."""
        return self._api.credentials()

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _body(self, request: Request) -> dict[str, object]:
        """Return the body. A seed is left out: the API has none."""
        parameters = request.parameters
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        body: dict[str, object] = {
            "model": request.model,
            "max_tokens": self._default_max_tokens if parameters.max_tokens is None else parameters.max_tokens,
            "messages": [
                {"role": message.role, "content": message.content}
                for message in request.messages
                if message.role != "system"
            ],
        }
        if system:
            body["system"] = system
        if parameters.temperature is not None:
            body["temperature"] = parameters.temperature
        return {**body, **parameters.params}


def read_message(reply: HttpReply, rules: Rules) -> Completion:
    """Return the answer that a reply holds. Raises ``ProviderError`` when it holds a failure."""
    body = body_of(reply, rules)
    if (said := said_in(body)) is not None:
        raise rules.failure(reply, said)
    if not isinstance(at(body, "content"), list):
        raise ProviderError(f"{rules.name}: no content in the answer", retryable=True)
    blocks = [mapping_of(block) for block in list_of(at(body, "content"))]
    text = well_formed("".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text"))
    reason = text_of(at(body, "stop_reason"))
    return Completion(
        text=text,
        usage=usage_of(mapping_of(at(body, "usage"))),
        finish_reason=FINISH_REASONS.get(reason, reason) or None,
        model=text_of(at(body, "model")) or None,
        problem=_problem(text, reason, blocks, mapping_of(body)),
    )


def usage_of(usage: Mapping[str, object]) -> Usage:
    """Return token counts with the cached ones, which the API counts apart, added to the prompt."""
    fresh = count_of(usage.get("input_tokens"))
    read = count_of(usage.get("cache_read_input_tokens"))
    written = count_of(usage.get("cache_creation_input_tokens"))
    output = count_of(usage.get("output_tokens"))
    thinking = count_of(at(usage, "output_tokens_details", "thinking_tokens"))
    return Usage(
        prompt_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        completion_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=written,
        reasoning_tokens=thinking if output is None or thinking is None else min(thinking, output),
    )


def _problem(text: str, reason: str, blocks: Sequence[Mapping[str, object]], body: Mapping[str, object]) -> str | None:
    """Say why a final reply holds nothing to grade; ``None`` when it holds an answer."""
    if reason == "refusal":
        why = text_of(at(body, "stop_details", "explanation")) or text_of(at(body, "stop_details", "category"))
        return "refused (stop_reason: refusal)" + (f": {presentable(why, limit=200)}" if why else "")
    if text.strip():
        return None
    if reason in ("max_tokens", "model_context_window_exceeded"):
        return f"empty reply (stop_reason: {reason}); raise max_tokens"
    if reason == "tool_use" or any(block.get("type") == "tool_use" for block in blocks):
        return "no text (tool_calls)"
    return f"empty reply (stop_reason: {presentable(reason, limit=60) or 'none'})"


@dataclass(frozen=True, slots=True)
class AnthropicRules(Rules):
    """What Anthropic's failures mean: a spend limit looks like a rate limit, an empty account like a bad request."""

    def is_spent(self, said: Said, status: int | None, reply: HttpReply) -> bool:
        """Whether credit or a spend limit is used up."""
        return (
            Rules.is_spent(self, said, status, reply)
            or "spend_limit" in text_of(at(said.error, "details", "error_code"))
            or "credit balance is too low" in said.message
        )

    def is_retryable(self, said: Said, status: int | None) -> bool | None:
        """Try a conflict again, as Anthropic's own client does."""
        del said
        return True if status == HTTPStatus.CONFLICT else None

    def advice(self, said: Said, status: int | None) -> str:
        """Say what to do about a temperature that newer models refuse."""
        if "temperature" in said.message and status == HTTPStatus.BAD_REQUEST:
            return "leave temperature out for this model"
        return Rules.advice(self, said, status)
