"""One call over the wire, for every provider that speaks HTTP: the only module that knows the HTTP library.

It sends bytes and gives back status, headers and body; what they mean is the provider's matter. Whatever goes wrong on
the way is a ``ProviderError`` that says whether to try again. Redirects are not followed: a question with a key in its
headers goes where the user said and nowhere else. Why this library: docs/design/0005-http-client.md.
"""

from __future__ import annotations

import asyncio
import functools
import io
import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
import certifi

import steelyard
from steelyard.api import PluginContext
from steelyard.errors import ProviderError

from ._descriptors import connections_that_fit
from ._proxy import proxy_for
from ._secrets import presentable

LARGEST_BODY_BYTES = 64 * 1024 * 1024
"""A longer answer is given up: no model writes so much, and it has to fit in memory."""

LONGEST_CONNECT_S = 15.0
LONGEST_HEADER_BYTES = 64 * 1024
IDLE_S = 15.0
"""An unused connection is closed before servers usually do it, so that few questions meet a connection that is gone."""

STREAMED_FROM_BYTES = 1024 * 1024
"""A longer question is handed over as a stream, so that the event loop is not blocked by one write."""

_REDIRECT = range(300, 400)


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; of a repeated header the first."""
    body: bytes


class HttpClient:
    """The connections of one provider. Made lazily in the event loop that asks, closed by :meth:`close`.

    Args:
        name: The provider's name, for messages.
        url: An address that will be asked, to find the proxy by.
        context: The environment, and how many calls may be in flight: as many connections are kept.
        largest_body_bytes: Where a longer answer is given up.
    """

    def __init__(
        self,
        name: str,
        url: str,
        context: PluginContext,
        *,
        largest_body_bytes: int = LARGEST_BODY_BYTES,
        option: str = "base_url",
    ) -> None:
        self._name = name
        self._largest = largest_body_bytes
        self._option = option
        self._proxy = proxy_for(url, context.environ)
        self._secure = url.startswith("https:") or (self._proxy or "").startswith("https:")
        self._connections = max(context.concurrency, 1)
        self._environ = context.environ
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes = b"", timeout_s: float
    ) -> HttpReply:
        """Send one request and read the answer whole.

        Args:
            method: Such as ``POST``.
            url: The whole address.
            headers: Sent as they are; ``Content-Length`` and the like are added.
            body: The bytes to send; none when empty.
            timeout_s: For the whole call, however the server drips.
        """
        session = await self._open()
        try:
            # The library's own total timeout lets a connection that is being made outlive it.
            async with asyncio.timeout(timeout_s):
                async with session.request(
                    method,
                    url,
                    headers=headers,
                    data=io.BytesIO(body) if len(body) > STREAMED_FROM_BYTES else body or None,
                    proxy=self._proxy,
                    allow_redirects=False,
                ) as response:
                    return await self._read(response)
        except TimeoutError as error:
            raise self._timed_out(error, timeout_s) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise self._failed(error) from error

    async def close(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _open(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is not None and self._loop is not loop:
            # Connections belong to the loop that they were made in, and it is over.
            await self.close()
        if self._session is None:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=connections_that_fit(self._connections),
                    keepalive_timeout=IDLE_S,
                    ssl=self._certificates() if self._secure else True,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"steelyard/{steelyard.__version__}"},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=LONGEST_CONNECT_S),
                max_line_size=LONGEST_HEADER_BYTES,
                max_field_size=LONGEST_HEADER_BYTES,
            )
        return self._session

    def _certificates(self) -> ssl.SSLContext:
        extra = self._environ.get("SSL_CERT_FILE")
        try:
            return ssl_context(extra)
        except OSError as error:
            raise ProviderError(f"{self._name}: SSL_CERT_FILE: {extra!r} holds no certificates") from error

    async def _read(self, response: aiohttp.ClientResponse) -> HttpReply:
        headers: dict[str, str] = {}
        for name, value in response.headers.items():
            headers.setdefault(name.lower(), value)
        if response.status in _REDIRECT:
            where = presentable(headers.get("location", "somewhere"), limit=120)
            raise ProviderError(
                f"{self._name}: the server redirects to {where!r} (HTTP {response.status}); "
                f"make that the {self._option} if you trust it",
                status=response.status,
            )
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > self._largest:
                raise ProviderError(
                    f"{self._name}: the answer is longer than {self._largest / 1024**2:.3g} MB", status=response.status
                )
            parts.append(part)
        return HttpReply(response.status, headers, b"".join(parts))

    def _timed_out(self, error: TimeoutError, timeout_s: float) -> ProviderError:
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return ProviderError(f"{self._name}: cannot connect within {LONGEST_CONNECT_S:g} s", retryable=True)
        return ProviderError(f"{self._name}: timed out after {timeout_s:g} s", retryable=True)

    def _failed(self, error: Exception) -> ProviderError:
        """Say what went wrong on the wire, and whether it may go better next time."""
        words, retryable = next(
            (words, retryable) for kinds, words, retryable in _WIRE_FAILURES if isinstance(error, kinds)
        )
        if isinstance(error, aiohttp.ClientPayloadError) and _is_undecodable(error):
            words, retryable = "the answer cannot be unpacked: its compression is damaged", False
        host, cause = "", error
        if isinstance(error, aiohttp.ClientConnectorError):
            host, cause = f"{error.host}:{error.port}", error.os_error
        return ProviderError(f"{self._name}: {words.format(host=host, said=_reason(cause))}", retryable=retryable)


_WIRE_FAILURES: tuple[tuple[tuple[type[Exception], ...], str, bool], ...] = (
    (
        (aiohttp.ClientConnectorCertificateError, aiohttp.ClientSSLError),
        "no secure connection: {said}; set SSL_CERT_FILE to trust another issuer",
        False,
    ),
    ((aiohttp.ClientConnectorError,), "cannot connect to {host}: {said}", True),
    ((aiohttp.ClientPayloadError,), "the connection closed in the middle of the answer", True),
    (
        (aiohttp.ServerDisconnectedError, ConnectionResetError, BrokenPipeError),
        "the connection closed before an answer came",
        True,
    ),
    ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError), "not an address: {said}", False),
    ((aiohttp.ClientError, OSError), "no answer: {said}", True),
    ((Exception,), "cannot send the request: {said}", False),
)
"""What an exception of the library means, the first that fits, and whether the same call may go better next time."""


@functools.cache
def ssl_context(extra: str | None) -> ssl.SSLContext:
    """Return the certificates to trust: the system's, those that come with ``certifi``, and the file ``extra``.

    Made once, because it takes longer than many a call, and shared by every client.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(extra or certifi.where())
    return context


def _reason(error: BaseException) -> str:
    """Return why, in words a user knows, without the library's internals."""
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there; is the server running?"
    strerror = error.strerror if isinstance(error, OSError) else None
    return presentable(strerror or str(error) or type(error).__name__, limit=200)


def _is_undecodable(error: BaseException) -> bool:
    """Whether a body arrived whole but cannot be unpacked, which asking again would not change."""
    causes = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return any(isinstance(cause, aiohttp.http_exceptions.ContentEncodingError) for cause in causes)
