"""How OpenAI and the servers that speak like it are asked, and what their failures mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from urllib.parse import urlsplit

from steelyard.api import Completion, Credentials, PluginContext, Request

from ._address import base_address
from ._chat import chat_body, read_chat
from ._failures import Rules, Said
from ._http import HttpReply
from ._json import text_of
from ._json_api import JsonApi
from .openai import OpenAISettings

NAME = "openai"
PUBLIC_ADDRESS = "https://api.openai.com/v1"

NEW_FIELD = "max_completion_tokens"
OLD_FIELD = "max_tokens"

_NEW_FIELD_HOSTS = re.compile(r"api\.openai\.com|.*\.openai\.azure\.com")
# o1, o3-mini, gpt-5.1, vendor/gpt-6; not gpt-4o, gpt-oss.
_NEW_FIELD_MODELS = re.compile(r"(.*/)?(o[1-9]|gpt-([5-9]|[1-9]\d))\b.*")
_SPENT = re.compile(r"insufficient_quota|credit|spend_limit|usage_limit|billing", re.IGNORECASE)


class OpenAI:
    """Asks models through the chat completions API."""

    def __init__(self, settings: OpenAISettings, context: PluginContext) -> None:
        address = settings.base_url or context.environ.get("OPENAI_BASE_URL", "").strip() or PUBLIC_ADDRESS
        self.base_url = base_address(NAME, address, "/v1")
        self._url = f"{self.base_url}/chat/completions"
        self._field = settings.max_tokens_field
        is_public = self.base_url == PUBLIC_ADDRESS
        self._api = JsonApi(
            NAME,
            self.base_url,
            key_variable=settings.api_key_env,
            headers=settings.headers,
            context=context,
            key_hint="" if is_public else ", or set api_key_env: null for a server that wants none",
        )
        self._rules = OpenAIRules(NAME, self._api.secrets, settings.api_key_env)

    async def complete(self, request: Request) -> Completion:
        """Ask once."""
        reply = await self._api.post(self._url, self._body(request), timeout_s=request.timeout_s)
        return read_chat(reply, self._rules)

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
        return chat_body(request, limit_field=limit_field(self._field, self.base_url, request.model))


@lru_cache(maxsize=256)  # asked for each request, and a run has few models
def limit_field(setting: str, base_url: str, model: str) -> str:
    """Return what a server calls the largest number of output tokens.

    OpenAI's newer models refuse ``max_tokens``; most other servers know only that name, and some ignore the other one
    without a word, which would leave the output without any limit.
    """
    if setting != "auto":
        return setting
    host = urlsplit(base_url).hostname or ""
    is_new = _NEW_FIELD_HOSTS.fullmatch(host) or _NEW_FIELD_MODELS.fullmatch(model)
    return NEW_FIELD if is_new else OLD_FIELD


@dataclass(frozen=True, slots=True)
class OpenAIRules(Rules):
    """What OpenAI's failures mean: one 429 is a rate limit, another an empty account."""

    def is_spent(self, said: Said, status: int | None, reply: HttpReply) -> bool:
        """Whether quota or credit is used up."""
        words = (said.code, said.kind)
        return Rules.is_spent(self, said, status, reply) or any(_SPENT.search(word) for word in words)

    def is_key_refused(self, said: Said, status: int | None) -> bool:
        """Whether it is the key that is refused."""
        return Rules.is_key_refused(self, said, status) or said.code == "invalid_api_key"

    def is_retryable(self, said: Said, status: int | None) -> bool | None:
        """Try a conflict again, as OpenAI's own client does."""
        del said
        return True if status == HTTPStatus.CONFLICT else None

    def advice(self, said: Said, status: int | None) -> str:
        """Say which setting a refused parameter comes from."""
        parameter = text_of(said.error.get("param"))
        if said.code == "unsupported_parameter" and parameter in (OLD_FIELD, NEW_FIELD):
            return f"set max_tokens_field: {NEW_FIELD if parameter == OLD_FIELD else OLD_FIELD}"
        if said.code in ("unsupported_parameter", "unsupported_value") and parameter:
            return f"leave {parameter} out for this model"
        if said.code == "insufficient_quota":
            return "add credit"
        return Rules.advice(self, said, status)
