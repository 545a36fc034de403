"""HTTP/1.1 as the fake API speaks it: requests in, replies and broken connections out.

Written on the bare protocol rather than on a web framework, because it has to do what frameworks forbid (lie about
lengths, stay silent, close early) and to be quick enough that a speed measurement measures the client.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Protocol

from .fake_api_replies import Reply
from .fake_api_request import FakeRequest

MAX_HEAD_BYTES = 64 * 1024
"""A longer head is no request that a client of ours sends."""


class Site(Protocol):
    """What a connection belongs to: it counts, decides and keeps."""

    def opened(self, connection: Connection) -> int:
        """Hear of a new connection; return its number, from 1."""

    def closed(self, connection: Connection) -> None:
        """Hear that a connection is gone."""

    def requested(self, request: FakeRequest, answer: Callable[[Reply, bytes], None]) -> None:
        """Hear a request; call ``answer`` with the reply and its body, now or later, on the same thread."""

    def finished(self) -> None:
        """Hear that the client has its answer, or will never have one."""

    def next_number(self) -> int:
        """Return how many requests there were before this one."""


class Connection(asyncio.Protocol):
    """One connection: reads requests one after the other and writes what the site decides."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._number = 0
        self._buffer = bytearray()
        self._busy = False
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Greet the client."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what a server socket always gives
        self._transport = transport
        self._number = self._site.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Forget the client, and what it was still waiting for."""
        if self._timer is not None:
            self._timer.cancel()
        if self._busy:
            self._site.finished()
        self._busy = False
        self._transport = None
        self._site.closed(self)

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in bytes and answer the request that they complete, if they do."""
        self._buffer += data
        self._next_request()

    def _next_request(self) -> None:
        if self._busy or self._transport is None:
            return
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                self._transport.abort()
            return
        method, target, headers = _head(bytes(self._buffer[:end]))
        body = self._body(end + 4, headers)
        if body is None:
            return
        request = FakeRequest(
            method=method,
            target=target,
            headers=headers,
            body=body,
            time_s=time.monotonic(),
            number=self._site.next_number(),
            connection=self._number,
        )
        self._busy = True
        self._site.requested(request, self._answer)

    def _body(self, start: int, headers: Mapping[str, str]) -> bytes | None:
        """Take the body out of the buffer; ``None`` while it has not arrived whole."""
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return self._chunked_body(start)
        length = headers.get("content-length", "0")
        end = start + (int(length) if length.isdecimal() else 0)
        if len(self._buffer) < end:
            if headers.get("expect", "").lower() == "100-continue" and len(self._buffer) == start and self._transport:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        body = bytes(self._buffer[start:end])
        del self._buffer[:end]
        return body

    def _chunked_body(self, start: int) -> bytes | None:
        position = start
        parts: list[bytes] = []
        while (line_end := self._buffer.find(b"\r\n", position)) >= 0:
            size = int(bytes(self._buffer[position:line_end]).split(b";")[0], 16)
            position = line_end + 2 + size + 2
            if len(self._buffer) < position:
                return None
            if size == 0:
                del self._buffer[:position]
                return b"".join(parts)
            parts.append(bytes(self._buffer[line_end + 2 : line_end + 2 + size]))
        return None

    def _answer(self, reply: Reply, body: bytes) -> None:
        if self._transport is None:
            return
        if reply.latency_s > 0:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(reply.latency_s, self._send, reply, body)
        else:
            self._send(reply, body)

    def _send(self, reply: Reply, body: bytes) -> None:
        if self._transport is None or reply.ending == "silence":
            return
        if reply.ending == "no_answer":
            self._transport.close()
            return
        blanks, every_s = reply.drip
        head = _response_head(reply, len(body) + blanks)
        if reply.ending == "cut":
            self._transport.write(head + body[: len(body) // 2])
            self._transport.close()
        elif blanks:
            self._transport.write(head)
            self._drip(blanks, every_s, body)
        else:
            self._transport.write(head + body)
            self._done()

    def _drip(self, blanks: int, every_s: float, body: bytes) -> None:
        if self._transport is None:
            return
        if blanks == 0:
            self._transport.write(body)
            self._done()
            return
        self._transport.write(b"\n")
        self._timer = asyncio.get_running_loop().call_later(every_s, self._drip, blanks - 1, every_s, body)

    def _done(self) -> None:
        self._busy = False
        self._site.finished()
        if self._buffer:
            # A client may send its next request before it has read this answer.
            self._next_request()


def _head(head: bytes) -> tuple[str, str, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    target = rest.rpartition(" ")[0]
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return method, target, headers


def _response_head(reply: Reply, length: int) -> bytes:
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = ""
    lines = [f"HTTP/1.1 {reply.status} {phrase}", f"Content-Type: {reply.content_type}", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")
