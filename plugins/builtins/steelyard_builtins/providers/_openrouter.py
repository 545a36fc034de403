"""How OpenRouter is asked and understood: its address, its own kinds of failure, and its catalog of models."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from steelyard.api import Completion, Credentials, ModelInfo, PluginContext, Request
from steelyard.errors import ProviderError

from ._address import base_address
from ._catalog import models_in, next_page
from ._chat import chat_body, read_chat
from ._failures import RATE_LIMITED, Rules, Said, body_of
from ._http import HttpReply
from ._json import at, list_of, text_of
from ._json_api import JsonApi

NAME = "openrouter"
PUBLIC_ADDRESS = "https://openrouter.ai/api/v1"
CATALOG_TIMEOUT_S = 30.0
MOST_PAGES = 50

_KEY_BUDGET = re.compile(r"\b(key|budget|credit|spend\w*)\b.*\b(limit|exceed|budget)", re.IGNORECASE)


class OpenRouter:
    """Asks models through OpenRouter, or through a server that speaks like it.

    Args:
        base_url: The settings' address; ``None`` for the environment's or the public one.
        key_variable: The environment variable that holds the key; ``None`` when none is needed.
        headers: Further headers, the user's.
        context: The host's word on the world.
    """

    def __init__(
        self, *, base_url: str | None, key_variable: str | None, headers: Mapping[str, str], context: PluginContext
    ) -> None:
        address = base_url or context.environ.get("OPENROUTER_BASE_URL", "").strip() or PUBLIC_ADDRESS
        self.base_url = base_address(NAME, address, "/api/v1")
        self._url = f"{self.base_url}/chat/completions"
        self._api = JsonApi(NAME, self.base_url, key_variable=key_variable, headers=headers, context=context)
        self._rules = OpenRouterRules(NAME, self._api.secrets, key_variable)

    async def complete(self, request: Request) -> Completion:
        """Ask once."""
        reply = await self._api.post(self._url, chat_body(request), timeout_s=request.timeout_s)
        return read_chat(reply, self._rules)

    def fingerprint(self, request: Request) -> str:
        """Return address, headers without secrets, and body."""
        return self._api.fingerprint(self._url, chat_body(request))

    def lane(self, model: str) -> str:
        """Tell free models apart: they have a daily quota of their own, and its end must not stop the paid ones."""
        return "free" if model.endswith(":free") else ""

    def credentials(self) -> Credentials:
        """Say where the key comes from and whether it can be used."""
        return self._api.credentials()

    async def models(self) -> Iterable[ModelInfo]:
        """Fetch the catalog, page by page, without a key."""
        found: dict[str, ModelInfo] = {}
        url: str | None = f"{self.base_url}/models"
        seen: set[str] = set()
        while url is not None and url not in seen and len(seen) < MOST_PAGES:
            seen.add(url)
            reply = await self._api.get(url, timeout_s=CATALOG_TIMEOUT_S)
            body = body_of(reply, self._rules)
            if not isinstance(at(body, "data"), list):
                raise ProviderError(f"{NAME}: the catalog holds no list of models", retryable=True)
            for model in models_in(body):
                # Of an id that comes twice the first counts, as for a user who looks it up in the list.
                found.setdefault(model.id, model)
            url = next_page(body, url)
        return tuple(found.values())

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()


@dataclass(frozen=True, slots=True)
class OpenRouterRules(Rules):
    """What OpenRouter's failures mean: it says itself which may pass, and which quota is used up until midnight."""

    def is_spent(self, said: Said, status: int | None, reply: HttpReply) -> bool:
        """Whether credit, a key's budget or the day's free requests are used up."""
        if status == HTTPStatus.FORBIDDEN:  # how a key's own budget is reported
            return not at(said.error, "metadata", "reasons") and _KEY_BUDGET.search(said.message) is not None
        if status == RATE_LIMITED:
            return _is_daily(said) or (reply.status == RATE_LIMITED and "free-models-per-day" in said.message)
        return Rules.is_spent(self, said, status, reply)

    def is_retryable(self, said: Said, status: int | None) -> bool | None:
        """Do what ``error.availability`` says."""
        del status
        told = at(said.error, "availability", "retryable")
        return told if isinstance(told, bool) else None

    def advice(self, said: Said, status: int | None) -> str:
        """Add when free requests come back."""
        if status == RATE_LIMITED and (_is_daily(said) or "free-models-per-day" in said.message):
            return "free requests come back at 00:00 UTC"
        if status == HTTPStatus.FORBIDDEN and _KEY_BUDGET.search(said.message):
            return "raise the key's limit"
        return Rules.advice(self, said, status)

    def message(self, said: Said) -> str:
        """Add what the model's maker said, where OpenRouter only says that it said something."""
        maker = text_of(at(said.error, "metadata", "provider_name"))
        raw = text_of(at(said.error, "metadata", "raw"))
        reasons = ", ".join(text_of(reason) for reason in list_of(at(said.error, "metadata", "reasons"))[:5])
        added = ": ".join(part for part in (maker, raw or reasons) if part)
        return f"{said.message} ({added[:200]})" if added else said.message


def _is_daily(said: Said) -> bool:
    return at(said.error, "metadata", "limit_source") == "openrouter_free_tier_daily"
