"""Tokens: fetched when they are needed, renewed before they end, once for all who ask at the same time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

RENEW_BEFORE_S = 60.0
"""A token is renewed so long before its end, so that none ends on the way to the gateway."""


@dataclass(frozen=True, slots=True)
class Token:
    """What the token endpoint gave."""

    text: str = field(repr=False)
    lifetime_s: float


class Tokens:
    """Hands out the current token.

    Args:
        fetch: Gets a new one from the token endpoint.
        now: The clock, in seconds.
    """

    def __init__(self, fetch: Callable[[], Awaitable[Token]], now: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._now = now
        self._lock = asyncio.Lock()
        self._text = ""
        self._renew_at = 0.0

    async def get(self, *, refused: str | None = None) -> str:
        """Return a token that is good for a while.

        Args:
            refused: The token that the gateway has just refused. If somebody has renewed it since, theirs is returned.
        """
        async with self._lock:
            if self._text in ("", refused) or self._now() >= self._renew_at:
                asked_at = self._now()
                token = await self._fetch()
                # A short-lived token must not be renewed with every call.
                margin = min(RENEW_BEFORE_S, token.lifetime_s / 10)
                self._text, self._renew_at = token.text, asked_at + token.lifetime_s - margin
            return self._text
