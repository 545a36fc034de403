"""What holds for every request, whatever page it is for: who may ask, how, and what the answer may do in a browser.

The dashboard has no login, so it must not answer a page from elsewhere: a site can let its own name point to this
machine (DNS rebinding), and would then be of the same origin. Hence the host's name is checked. Its answers show texts
of models, which are hostile as far as a browser is concerned, so they are escaped, and could do nothing if they were
not: the policy allows no script, style or picture that is not a file of ours, and nothing from another place.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

_METHODS: Final = ("GET", "HEAD")


class Guard:
    """Stands in front of an application."""

    def __init__(
        self, app: ASGIApp, *, names: Collection[str], any_address: bool, report: Callable[[str], None]
    ) -> None:
        """Put it there.

        Args:
            app: What it stands in front of.
            names: The names under which this machine may be asked, in lower case.
            any_address: Whether any numeric address will do, and not only those of the machine itself: needed where
                others may ask, and safe, since no name can be turned into another one.
            report: Hears one line about each fault of the application.
        """
        self._app = app
        self._names = frozenset(names)
        self._any_address = any_address
        self._report = report

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        refusal = self._refusal(scope)
        try:
            await (refusal or self._app)(scope, receive, send_safely)
        except Exception as fault:  # a page that cannot be made must cost the others nothing
            self._report(f"a fault of the dashboard at {scope['path']!r}: {type(fault).__name__}: {fault}")
            if not started:
                said = PlainTextResponse("This page could not be made; the terminal says why.\n", 500)
                await said(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """Return the answer to a request that is not to be served, or ``None``."""
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or not self._is_ours(host_name(hosts[0])):
            return PlainTextResponse(
                "The dashboard does not go by this name; ask for localhost, or for its numeric address.\n", 403
            )
        if scope["method"] not in _METHODS:
            return PlainTextResponse("The dashboard only shows: GET and HEAD.\n", 405, {"Allow": "GET, HEAD"})
        return None

    def _is_ours(self, name: str) -> bool:
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._any_address or address.is_loopback


def host_name(host: str) -> str:
    """Return the name in a ``Host`` header, without port, brackets and the dot at its end, in lower case."""
    if host.startswith("["):
        name = host[1:].partition("]")[0]
    else:
        name = host.rpartition(":")[0] if host.count(":") == 1 else host
    return name.lower().removesuffix(".")


def _add_headers(headers: MutableHeaders) -> None:
    for name, value in SAFE_HEADERS.items():
        headers[name] = value
    # What models said is for the eyes of this moment, not for a cache on the disk.
    headers.setdefault("Cache-Control", "no-store")
