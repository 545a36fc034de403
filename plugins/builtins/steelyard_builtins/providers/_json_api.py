"""What every API that takes JSON and a key has in common: address, headers, key, connections, fingerprint."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steelyard.api import Credentials, PluginContext
from steelyard.errors import ProviderError

from ._address import checked_headers, encoded, fingerprint_of, merged
from ._http import HttpClient, HttpReply
from ._secrets import Key, key_from

Sign = Callable[[str], Mapping[str, str]]
"""Puts a key into headers."""


def bearer(key: str) -> Mapping[str, str]:
    """Put a key where most APIs want it."""
    return {"Authorization": f"Bearer {key}"}


class JsonApi:
    """One API as one provider uses it.

    Args:
        name: The provider's name.
        base_url: The base address, checked.
        key_variable: The environment variable that holds the key; ``None`` when none is needed.
        headers: The user's own headers; they win over all others.
        context: The host's word on the world.
        sign: Puts the key into headers.
        fixed_headers: Headers that the API always wants.
        key_hint: What else to do about a key that is not set.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key_variable: str | None,
        headers: Mapping[str, str],
        context: PluginContext,
        sign: Sign = bearer,
        fixed_headers: Mapping[str, str] | None = None,
        key_hint: str = "",
    ) -> None:
        self.base_url = base_url
        self.name = name
        self._key: Key = key_from(context.environ, key_variable, key_hint)
        self._sign = sign
        self._own = checked_headers(name, headers)
        self._headers = merged({"Accept": "application/json"}, fixed_headers or {}, self._own)
        self._http = HttpClient(name, base_url, context)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown."""
        return tuple(self._key.secrets(self._own))

    async def post(self, url: str, body: Mapping[str, object], *, timeout_s: float) -> HttpReply:
        """Send a body as JSON, with the key. Raises ``ProviderError`` when the key or the body cannot be sent."""
        key = self._key.usable(self.name)
        if body.get("stream"):
            raise ProviderError(f"{self.name}: params: 'stream' must be left out; answers are read whole")
        headers = {"Content-Type": "application/json"} | dict(self._sign(key) if key else {})
        return await self._http.send(
            "POST", url, headers=merged(headers, self._headers), body=encoded(self.name, body), timeout_s=timeout_s
        )

    async def get(self, url: str, *, timeout_s: float) -> HttpReply:
        """Fetch something public, without the key."""
        return await self._http.send("GET", url, headers=self._headers, timeout_s=timeout_s)

    def fingerprint(self, url: str, body: object) -> str:
        """Return what decides an answer: address, headers without secrets, and body."""
        return fingerprint_of(url, self._headers, body)

    def credentials(self) -> Credentials:
        """Say where the key comes from and whether it can be used."""
        return self._key.credentials(self._own)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()
