"""The server: taking an address, answering until it is stopped, and ending quietly."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp

from steelyard.errors import UsageError

_LAST_PORT = 65535
_GOODBYE_S = 1
"""How long answers that are being sent may take when the server is stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address that has been taken; whoever connects waits until the server answers."""

    socket: socket.socket
    host: str
    """As the user named it."""
    loopback: bool
    """Whether only this machine can reach it."""

    @property
    def port(self) -> int:
        """The port, also when any was asked for."""
        port: int = self.socket.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        reachable = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104
        return f"http://[{reachable}]:{self.port}/" if ":" in reachable else f"http://{reachable}:{self.port}/"

    @property
    def names(self) -> frozenset[str]:
        """The names under which a browser may ask for it, besides numeric addresses."""
        of_machine = set() if self.loopback else {socket.gethostname().lower()}
        return frozenset({"localhost", self.host.lower().removesuffix("."), *of_machine} - {""})


def take(host: str, port: int) -> Address:
    """Take an address; port 0 takes any that is free. Raises ``UsageError`` with one line when it cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        taken = socket.create_server(address[:2], family=family)
    except (socket.gaierror, UnicodeError) as error:
        raise UsageError(f"--host: {host!r} is not an address of this machine; leave it out for 127.0.0.1") from error
    except OSError as error:
        raise UsageError(_refused(host, port, error)) from error
    return Address(socket=taken, host=host, loopback=_is_loopback(taken.getsockname()[0]))


def serve(app: ASGIApp, address: Address) -> None:
    """Answer requests until Ctrl-C, or a request to terminate."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GOODBYE_S,
    )
    try:
        uvicorn.Server(config).run(sockets=[address.socket])
    except KeyboardInterrupt:
        return
    finally:
        address.socket.close()


def open_browser(url: str) -> None:
    """Show a page in the user's browser, without waiting for it to start."""
    threading.Thread(target=webbrowser.open, args=(url,), name="browser", daemon=True).start()


def has_browser(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether there is a screen to open a browser on; otherwise a text browser would take the terminal over."""
    if platform in ("win32", "darwin"):
        return True
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _refused(host: str, port: int, error: OSError) -> str:
    where = f"port {port} of {host}"
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < _LAST_PORT else 0
        return f"{where}: is in use already; name another one: --port {other}"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{where}: may not be used by you; name one above 1023: --port 3000"
    return f"{where}: cannot be used: {error.strerror or error}; leave --host out for 127.0.0.1"


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
