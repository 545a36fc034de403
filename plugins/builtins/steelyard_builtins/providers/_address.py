"""Where requests go and what stands in their headers: settings turned into what can be sent, or refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from steelyard.errors import ProviderError, UsageError

from ._json import BadJsonError, write_json
from ._secrets import is_secret_name

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_PATHS = ("/chat/completions", "/responses", "/models", "/messages")
"""What people paste at the end of a base address although it is added to it."""


def base_address(provider: str, value: str, default_path: str = "") -> str:
    """Return a base address without a slash at its end.

    Args:
        provider: For messages.
        value: What the settings or the environment say.
        default_path: What is added to an address that has no path, such as ``/v1``.

    Raises ``UsageError`` for what is no address, and for one with a password in it.
    """
    address = value.strip().rstrip("/")
    where = f"providers.{provider}: base_url"
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{where}: not an address, got {value!r}") from None
    if parts.username or parts.password:
        raise UsageError(f"{where}: must not hold a user name or a password; put them in headers")
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", address):
        raise UsageError(f"{where}: must be an http:// or https:// address, got {value!r}")
    if parts.query or parts.fragment:
        # Not quoted: what stands behind a '?' is a key often enough.
        raise UsageError(f"{where}: must end with the path, without '?' or '#' and what follows them")
    for path in _PATHS:
        address = address.removesuffix(path)
    return address if urlsplit(address).path else address + default_path


def checked_headers(provider: str, headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return headers that can be sent. Raises ``UsageError`` that names the one that cannot, without its value."""
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise UsageError(f"providers.{provider}: headers: not a header's name: {name!r}")
        if _NOT_IN_HEADER.search(value):
            raise UsageError(
                f"providers.{provider}: headers: the value of {name!r} holds a line end or control character"
            )
    return dict(headers)


def merged(*several: Mapping[str, str]) -> dict[str, str]:
    """Return all headers; of a name that comes again in whatever case, the last."""
    found: dict[str, tuple[str, str]] = {}
    for headers in several:
        for name, value in headers.items():
            found[name.lower()] = (name, value)
    return dict(found.values())


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that may decide an answer and are no secret, for a fingerprint."""
    return {name.lower(): value for name, value in headers.items() if not is_secret_name(name)}


def encoded(provider: str, body: object) -> bytes:
    """Return a request's body as it goes over the wire. Raises ``ProviderError`` for what JSON cannot hold."""
    try:
        return write_json(body).encode("utf-8")
    except BadJsonError as problem:
        raise ProviderError(f"{provider}: the request cannot be written as JSON: {problem}") from None


def fingerprint_of(url: str, headers: Mapping[str, str], body: object) -> str:
    """Return what decides an answer, the same however its keys are ordered."""
    try:
        return write_json({"url": url, "headers": without_secrets(headers), "body": body}, sort_keys=True)
    except BadJsonError:
        # The call itself will say what is wrong with it.
        return f"{url} {body!r}"
