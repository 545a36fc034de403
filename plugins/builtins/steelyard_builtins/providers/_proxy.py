"""Which proxy, if any, stands between us and a server.

Read from the environment that the host hands over, in the way of curl: ``https_proxy``, ``http_proxy`` or ``all_proxy``
by the scheme, in small or capital letters, unless ``no_proxy`` names the host. The loopback is never reached through a
proxy: a model on this machine is not on the proxy's.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from steelyard.errors import UsageError


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the address of the proxy to reach ``url`` through, or ``None``.

    Raises ``UsageError`` when the environment names a kind of proxy that is not supported.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if is_loopback(host) or _is_excepted(host, parts.port, _variable(environ, "no_proxy")):
        return None
    proxy = _variable(environ, f"{parts.scheme}_proxy") or _variable(environ, "all_proxy")
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    scheme = urlsplit(proxy).scheme.lower()
    if scheme not in ("http", "https"):
        raise UsageError(
            f"{parts.scheme}_proxy: a {scheme!r} proxy is not supported; name an http:// proxy, or unset it"
        )
    return proxy


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return mapped.is_loopback or mapped.is_unspecified


def _is_excepted(host: str, port: int | None, exceptions: str) -> bool:
    """Whether ``no_proxy`` names the host, a domain above it, its address range, or everything."""
    return any(_covers(entry.strip().lower(), host, port) for entry in exceptions.split(","))


def _covers(entry: str, host: str, port: int | None) -> bool:
    if not entry:
        return False
    if entry == "*":
        return True
    if "/" in entry:
        return _is_in_network(host, entry)
    name, colon, wanted_port = entry.rpartition(":")
    if colon and wanted_port.isdecimal() and ":" not in name:
        if port != int(wanted_port):
            return False
        entry = name
    domain = entry.removeprefix("*").removeprefix(".")
    return host == domain or host.endswith(f".{domain}")


def _is_in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _variable(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()
