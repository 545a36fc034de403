"""The gateway: one call translated, with a token and a cost centre. Retries, cache, limits and cost are the host's."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import aiohttp

from steelyard.api import Completion, Credentials, ModelInfo, PluginContext, Request
from steelyard.errors import ProviderError

from . import GatewaySettings
from .tokens import Token, Tokens
from .words import body_of, catalog_of, completion_of, refusal, token_of

_OK, _UNAUTHORIZED = 200, 401


class Gateway:
    """An organisation's gateway to language models."""

    def __init__(self, settings: GatewaySettings, context: PluginContext) -> None:
        self._settings = settings
        self._hide = context.hide
        self._client_id = context.environ.get(settings.client_id_env, "").strip()
        self._client_secret = context.environ.get(settings.client_secret_env, "").strip()
        self._tokens = Tokens(self._fetch_token)
        self._connections: aiohttp.ClientSession | None = None

    def credentials(self) -> Credentials:
        """Say whether a token could be asked for, and what must be shown nowhere."""
        needed = {
            self._settings.client_id_env: self._client_id,
            self._settings.client_secret_env: self._client_secret,
        }
        missing = " and ".join(name for name, value in needed.items() if not value)
        return Credentials(
            source=" and ".join(needed),
            is_set=not missing,
            problem=f"{missing} not set; the platform team hands them out" if missing else None,
            secrets=(self._client_secret,) if self._client_secret else (),
        )

    def fingerprint(self, request: Request) -> str:
        """Return what decides the answer. Who pays does not, so another cost centre finds the same cached answers."""
        return json.dumps([self._settings.base_url, body_of(request)], sort_keys=True)

    async def complete(self, request: Request) -> Completion:
        """Answer one request."""
        token = await self._tokens.get()
        status, headers, data = await self._ask(request, token)
        if status == _UNAUTHORIZED:
            # Revoked, or the gateway's clock is ahead: a new token gets one chance.
            token = await self._tokens.get(refused=token)
            status, headers, data = await self._ask(request, token)
        if status != _OK:
            raise refusal(status, headers)
        return completion_of(data)

    async def models(self) -> Iterable[ModelInfo]:
        """List the gateway's models with the prices that the organisation has agreed on. Needs no token."""
        status, headers, data = await self._send("GET", f"{self._settings.base_url}/catalogue")
        if status != _OK:
            raise refusal(status, headers)
        return catalog_of(data)

    async def close(self) -> None:
        """Close the connections."""
        if self._connections is not None:
            await self._connections.close()

    async def _ask(self, request: Request, token: str) -> tuple[int, Any, bytes]:
        headers = {"Authorization": f"Bearer {token}", "X-Cost-Centre": self._settings.cost_centre}
        url = f"{self._settings.base_url}/chat/completions"
        return await self._send("POST", url, headers=headers, json=body_of(request))

    async def _fetch_token(self) -> Token:
        client = b64encode(f"{self._client_id}:{self._client_secret}".encode()).decode()
        proof, form = {"Authorization": f"Basic {client}"}, {"grant_type": "client_credentials"}
        status, headers, data = await self._send("POST", self._settings.token_url, headers=proof, data=form)
        if status != _OK:
            raise refusal(status, headers, by="the token endpoint")
        token = token_of(data)
        self._hide(token.text)
        return token

    async def _send(self, method: str, url: str, **what: Any) -> tuple[int, Any, bytes]:
        """Send one request. There is no time limit here: the host ends an ``async`` call at its deadline."""
        if self._connections is None:
            self._connections = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        try:
            async with self._connections.request(method, url, allow_redirects=False, **what) as reply:
                return reply.status, reply.headers, await reply.read()
        except (aiohttp.ClientError, OSError) as error:
            raise ProviderError(f"no answer from {url}: {type(error).__name__}", retryable=True) from error
