"""The Redis cache: replies on a server that several machines share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import Cache, CacheSpec, PluginContext, option
from steelyard.errors import UsageError

from .address import DEFAULT, address_of

NAME = "redis"
_CENTURY_S = 100 * 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSettings:
    """The options of the Redis cache."""

    url: str | None = option(
        None,
        doc=f"The server: redis://, rediss:// (TLS) or unix://; by default what url_env holds, or else {DEFAULT}.",
        secret=True,
    )
    url_env: str = option("REDIS_URL", doc="The environment variable that holds the address where 'url' is not given.")
    password_env: str | None = option(
        None, doc="The environment variable that holds the password, for an address without one."
    )
    prefix: str = option("steelyard:", doc="What the names of all its keys begin with.")
    ttl_s: float | None = option(
        None, doc="Seconds after which the server forgets a reply; by default never.", above=0, maximum=_CENTURY_S
    )
    timeout_s: float = option(5.0, doc="Seconds to wait for a connection, and for an answer.", above=0, maximum=3600)
    restart_s: float = option(
        10.0, doc="Seconds to wait for a server that has answered before and is away.", minimum=0, maximum=3600
    )


def create(settings: RedisSettings, context: PluginContext) -> Cache:
    """Make the cache; nothing is connected yet. Raises ``UsageError`` for what is no address."""
    if not settings.prefix:
        raise UsageError(f"caches.{NAME}: 'prefix' must not be empty; it tells the cache's keys from those of others")
    address = address_of(settings.url, settings.url_env, settings.password_env, context.environ)
    if address.password:
        context.hide(address.password)
    from .cache import RedisCache  # noqa: PLC0415 - imports redis
    from .server import Server  # noqa: PLC0415

    server = Server(
        address, timeout_s=settings.timeout_s, restart_s=settings.restart_s, connections=context.concurrency
    )
    return RedisCache(server, prefix=settings.prefix, ttl_s=settings.ttl_s)


@hookimpl
def steelyard_register_caches() -> Iterable[CacheSpec[RedisSettings]]:
    """Offer the cache."""
    return [
        CacheSpec(
            name=NAME,
            summary="Replies on a Redis server that several machines share",
            settings=RedisSettings,
            create=create,
        )
    ]
