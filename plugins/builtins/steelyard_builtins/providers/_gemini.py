"""How Gemini is asked and understood: any level of its reply may be missing, and thinking is counted apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from steelyard.api import Completion, Credentials, PluginContext, Request, Usage
from steelyard.errors import ProviderError
from steelyard.text import well_formed

from ._address import base_address
from ._failures import RATE_LIMITED, Rules, Said, body_of, said_in
from ._http import HttpReply
from ._json import at, count_of, list_of, mapping_of, text_of
from ._json_api import JsonApi
from ._secrets import presentable
from .gemini import GeminiSettings

NAME = "gemini"
PUBLIC_ADDRESS = "https://generativelanguage.googleapis.com"
VERSION = "/v1beta"
"""The version that takes every field; ``/v1`` is used when the address says so."""

BLOCKED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "JAILBREAK"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "ESCALATION"}
)
"""Reasons that mean that a filter ended the output or refused the prompt."""

_DELAY = re.compile(r"(\d{1,6}(?:\.\d+)?)s", re.ASCII)
_SETTINGS_FIELD = "generationConfig"


class Gemini:
    """Asks Gemini models."""

    def __init__(self, settings: GeminiSettings, context: PluginContext) -> None:
        address = settings.base_url or context.environ.get("GEMINI_BASE_URL", "").strip() or PUBLIC_ADDRESS
        self.base_url = base_address(NAME, address, VERSION)
        self._api = JsonApi(
            NAME,
            self.base_url,
            key_variable=settings.api_key_env,
            headers=settings.headers,
            context=context,
            # Never in the query: addresses end up in logs and in error texts.
            sign=lambda key: {"x-goog-api-key": key},
        )
        self._rules = GeminiRules(NAME, self._api.secrets, settings.api_key_env)

    async def complete(self, request: Request) -> Completion:
        """Ask once."""
        reply = await self._api.post(self._url(request), body_for(request), timeout_s=request.timeout_s)
        return read_content(reply, self._rules)

    def fingerprint(self, request: Request) -> str:
        """Return address, headers without secrets, and body."""
        return self._api.fingerprint(self._url(request), body_for(request))

    def credentials(self) -> Credentials:
        """Say where the key comes from and whether it can be used."""
        return self._api.credentials()

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _url(self, request: Request) -> str:
        model = request.model if request.model.startswith(("models/", "tunedModels/")) else f"models/{request.model}"
        return f"{self.base_url}/{quote(model, safe='/')}:generateContent"


def body_for(request: Request) -> dict[str, object]:
    """Return the body of a request. ``generationConfig`` in the parameters is laid over what the others say."""
    parameters = request.parameters
    given = {
        "temperature": parameters.temperature,
        "maxOutputTokens": parameters.max_tokens,
        "seed": parameters.seed,
    }
    params = dict(parameters.params)
    own = params.pop(_SETTINGS_FIELD, None)
    config: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    config |= own if isinstance(own, Mapping) else {}
    roles = {"user": "user", "assistant": "model"}
    body: dict[str, object] = {
        "contents": [
            {"role": roles[message.role], "parts": [{"text": message.content}]}
            for message in request.messages
            if message.role in roles
        ]
    }
    system = [{"text": message.content} for message in request.messages if message.role == "system"]
    if system:
        body["systemInstruction"] = {"parts": system}
    if config:
        body[_SETTINGS_FIELD] = config
    return {**body, **params}


def read_content(reply: HttpReply, rules: Rules) -> Completion:
    """Return the answer that a reply holds. Raises ``ProviderError`` when it holds a failure."""
    body = body_of(reply, rules)
    if (said := said_in(body)) is not None:
        raise rules.failure(reply, said)
    candidate = mapping_of(next(iter(list_of(at(body, "candidates"))), None))
    blocked = text_of(at(body, "promptFeedback", "blockReason"))
    if not candidate and not blocked:
        raise ProviderError(f"{rules.name}: no candidates in the answer", retryable=True)
    parts = [mapping_of(part) for part in list_of(at(candidate, "content", "parts"))]
    text = well_formed("".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True))
    reason = text_of(candidate.get("finishReason"))
    calls = any("functionCall" in part for part in parts)
    return Completion(
        text=text,
        usage=usage_of(mapping_of(at(body, "usageMetadata"))),
        finish_reason=_finish_reason(reason or blocked, calls=calls),
        model=text_of(at(body, "modelVersion")) or None,
        problem=_problem(text, reason, blocked, calls=calls),
    )


def usage_of(usage: Mapping[str, object]) -> Usage:
    """Return token counts with thinking, which the API counts apart, added to the output."""
    prompt = count_of(usage.get("promptTokenCount"))
    if prompt is not None:
        prompt += count_of(usage.get("toolUsePromptTokenCount")) or 0
    answer, thoughts = count_of(usage.get("candidatesTokenCount")), count_of(usage.get("thoughtsTokenCount"))
    total = count_of(usage.get("totalTokenCount"))
    output: int | None = None
    if answer is not None or thoughts is not None:
        output = (answer or 0) + (thoughts or 0)
    elif prompt is not None and total is not None:
        # A count of 0 is left out.
        output = max(total - prompt, 0)
    cached = count_of(usage.get("cachedContentTokenCount"))
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=output,
        cache_read_tokens=cached if prompt is None or cached is None else min(cached, prompt),
        reasoning_tokens=thoughts,
    )


def _finish_reason(reason: str, *, calls: bool) -> str | None:
    if reason in BLOCKED:
        return "content_filter"
    if reason == "STOP":
        return "tool_calls" if calls else "stop"
    return {"MAX_TOKENS": "length"}.get(reason, reason.lower()) or None


def _problem(text: str, reason: str, blocked: str, *, calls: bool) -> str | None:
    """Say why a final reply holds nothing to grade; ``None`` when it holds an answer."""
    if blocked and not text.strip():
        return f"the prompt was blocked (blockReason: {presentable(blocked, limit=60)})"
    if reason in BLOCKED:
        return f"stopped by a content filter (finishReason: {reason})"
    if text.strip():
        return None
    if reason == "MAX_TOKENS":
        return "empty reply (finishReason: MAX_TOKENS); raise max_tokens"
    if calls:
        return "no text (tool_calls)"
    return f"empty reply (finishReason: {presentable(reason, limit=60) or 'none'})"


@dataclass(frozen=True, slots=True)
class GeminiRules(Rules):
    """What Gemini's failures mean: the quota of a day and of a minute look alike, and a wrong key is a bad request."""

    def is_spent(self, said: Said, status: int | None, reply: HttpReply) -> bool:
        """Whether the quota of the day is used up, whatever wait the reply names."""
        if status == RATE_LIMITED:
            return any("PerDay" in quota for quota in _quotas(said))
        return Rules.is_spent(self, said, status, reply)

    def is_key_refused(self, said: Said, status: int | None) -> bool:
        """Whether it is the key that is refused."""
        reasons = {text_of(detail.get("reason")) for detail in _details(said)}
        return Rules.is_key_refused(self, said, status) or "API_KEY_INVALID" in reasons

    def wait_s(self, said: Said) -> float | None:
        """Return the wait of ``RetryInfo``."""
        delays = (_DELAY.fullmatch(text_of(detail.get("retryDelay"))) for detail in _details(said))
        return next((float(delay[1]) or None for delay in delays if delay), None)

    def advice(self, said: Said, status: int | None) -> str:
        """Say when the quota of the day comes back."""
        if status == RATE_LIMITED and any("PerDay" in quota for quota in _quotas(said)):
            return "the quota of the day comes back at midnight Pacific time"
        return Rules.advice(self, said, status)


def _details(said: Said) -> list[Mapping[str, object]]:
    return [mapping_of(detail) for detail in list_of(said.error.get("details"))]


def _quotas(said: Said) -> Iterator[str]:
    for detail in _details(said):
        yield from (text_of(at(violation, "quotaId")) for violation in list_of(detail.get("violations")))
