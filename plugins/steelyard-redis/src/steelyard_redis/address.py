"""The server's address: from the settings or the environment, and in a form that can be shown.

No message here quotes an address: what somebody mistypes may be the password.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from steelyard.errors import UsageError

DEFAULT = "redis://127.0.0.1:6379/0"

_SCHEMES = ("redis", "rediss", "unix")
_QUERY = ("db", "ssl_ca_certs", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile")
"""What may follow a ``?``. Other words would change how values come back, or hold secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a server is, and how to get in."""

    url: str = field(repr=False)
    """As the client library takes it, perhaps with a password."""
    password: str | None = field(repr=False)
    shown: str
    """Without user, password and what follows a ``?``."""
    source: str
    """Where it is said, for messages."""


def address_of(url: str | None, url_env: str, password_env: str | None, environ: Mapping[str, str]) -> Address:
    """Return the address that the settings or the environment give.

    Raises ``UsageError`` for what is no address, and for a variable that must hold a password and is not set.
    """
    from_environment = environ.get(url_env, "").strip()
    said, source = (url.strip(), "caches.redis: url") if url else (from_environment or DEFAULT, url_env)
    parts = _checked(said, source)
    password = unquote(parts.password) if parts.password else None
    if password is None and password_env is not None:
        password = environ.get(password_env)
        if not password:
            raise UsageError(f"caches.redis: {password_env} is not set; 'password_env' says that it holds the password")
    return Address(url=said, password=password, shown=parts.shown, source=source)


@dataclass(frozen=True, slots=True)
class _Parts:
    password: str | None
    shown: str


def _checked(url: str, source: str) -> _Parts:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{source}: not an address; write redis://HOST:PORT/DB, special characters as %..") from None
    if parts.scheme not in _SCHEMES:
        raise UsageError(f"{source}: must begin with redis://, rediss:// or unix://; a usual one is {DEFAULT!r}")
    unknown = [name for name, _value in parse_qsl(parts.query, keep_blank_values=True) if name not in _QUERY]
    if unknown:
        raise UsageError(
            f"{source}: {unknown[0]!r} may not follow the '?', only {', '.join(_QUERY)}; "
            "a password stands before the host, redis://:PASSWORD@HOST"
        )
    if parts.scheme == "unix":
        if not parts.path:
            raise UsageError(f"{source}: must name the socket, as in unix:///run/redis/redis.sock")
        return _Parts(parts.password, f"unix://{parts.path}")
    database = parts.path.strip("/") or dict(parse_qsl(parts.query)).get("db", "0")
    if not database.isdecimal():
        raise UsageError(f"{source}: what follows the host must be a database's number, as in {DEFAULT!r}")
    where = f"[{host}]" if host and ":" in host else host or "localhost"
    return _Parts(parts.password, f"{parts.scheme}://{where}:{port or 6379}/{database}")
