"""The connection to the server: patience with one that restarts, and errors in words that help.

Imports ``redis``, so only ``create`` imports this.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, AuthorizationError, NoPermissionError, RedisError
from redis.retry import Retry

from .address import Address

T = TypeVar("T")

_FIRST_WAIT_S = 0.05
_LONGEST_WAIT_S = 1.0
_LEAST_CONNECTIONS = 8
_REFUSED = (AuthenticationError, AuthorizationError, NoPermissionError)


class Pipeline(Protocol):
    """What the cache uses of the library's pipeline."""

    def getrange(self, key: bytes, start: int, end: int) -> object:
        """Ask for a part of a value."""

    def strlen(self, name: bytes) -> object:
        """Ask for the length of a value."""

    def execute(self, raise_on_error: bool) -> Sequence[object]:
        """Send everything, and return the answers, errors among them."""


class Client(Protocol):
    """What the cache uses of the library's client, whose own annotations are as wide as can be."""

    def mget(self, keys: Sequence[str]) -> Sequence[bytes | None]:
        """Return values; ``None`` for what is absent or no string."""

    def set(self, name: str, value: bytes, *, px: int | None) -> object:
        """Set a value, with the milliseconds that it lives."""

    def unlink(self, *names: bytes) -> int:
        """Delete keys and return how many there were."""

    def scan_iter(self, *, match: str, count: int) -> Iterator[bytes]:
        """Go through the names of keys."""

    def pipeline(self, *, transaction: bool) -> Pipeline:
        """Collect commands."""


class Server:
    """A Redis server. Any number of threads may ask it at once."""

    def __init__(self, address: Address, *, timeout_s: float, restart_s: float, connections: int) -> None:
        self.shown = address.shown
        self._source = address.source
        self._timeout_s = timeout_s
        self._restart_s = restart_s
        self._reached = False
        self._pool = redis.BlockingConnectionPool.from_url(
            address.url,
            **({"password": address.password} if address.password else {}),
            max_connections=max(connections, _LEAST_CONNECTIONS),
            timeout=timeout_s,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),  # the patience is ours: it depends on what came before
            protocol=2,
            client_name="steelyard",
        )
        self._client = cast(Client, redis.Redis(connection_pool=self._pool))

    def ask(self, use: Callable[[Client], T]) -> T:
        """Return what ``use`` makes of the client.

        It is called again, for a while, when a server that has answered before is away: one that restarts is soon back.
        One that never answered, or did not come back, is not waited for.

        Raises ``OSError``, in words for the user, when the server cannot be used.
        """
        until = time.monotonic() + (self._restart_s if self._reached else 0.0)
        wait = _FIRST_WAIT_S
        while True:
            try:
                answer = use(self._client)
            except _REFUSED as error:
                raise self._told(error) from error
            except (redis.ConnectionError, redis.TimeoutError) as error:
                if time.monotonic() + wait > until:
                    self._reached = False
                    raise self._told(error) from error
                time.sleep(wait)
                wait = min(wait * 2, _LONGEST_WAIT_S)
            except RedisError as error:
                raise self._told(error) from error
            else:
                self._reached = True
                return answer

    def close(self) -> None:
        """Close every connection."""
        self._pool.disconnect()

    def _told(self, error: RedisError) -> OSError:
        where = f"{self.shown}: "
        if isinstance(error, _REFUSED):
            return PermissionError(f"{where}the server lets nobody in like this ({error}); check {self._source}")
        if isinstance(error, redis.TimeoutError):
            hint = f"check {self._source} and whether the server is overloaded"
            return TimeoutError(f"{where}no answer within {self._timeout_s:g} s; {hint}")
        if isinstance(error, redis.ConnectionError):
            return ConnectionError(f"{where}{_cause(error)}; start the server, or correct {self._source}")
        return OSError(f"{where}{error}")


def _cause(error: BaseException) -> str:
    """Say why a connection failed: what the operating system says is shorter than what the library makes of it."""
    below: BaseException | None = error
    while below is not None:
        if isinstance(below, ConnectionRefusedError):  # which every system words in its own way
            return "connection refused"
        if isinstance(below, OSError) and below.strerror:
            return below.strerror.lower()
        below = below.__cause__ or below.__context__
    return str(error).rstrip(".")
