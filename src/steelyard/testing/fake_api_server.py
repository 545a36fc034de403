"""The thread behind the fake API: it listens, keeps count, and hands each request to whoever decides the answer."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable

from .fake_api_bodies import body_of
from .fake_api_replies import Reply
from .fake_api_request import FakeRequest
from .fake_api_wire import Connection

LAST_TURNS = 5
"""Turns of the event loop after the last request, to close everything."""


class Server:
    """An HTTP server on the loopback, in a thread of its own.

    Args:
        decide: What each request gets; called on the server's thread, one request at a time.
        keep_requests: Whether to keep what came in.
        port: The port to listen on; 0 takes a free one.
    """

    def __init__(self, decide: Callable[[FakeRequest], Reply], *, keep_requests: bool, port: int) -> None:
        self.decide = decide
        self.port = port
        self.changed = threading.Condition()
        """Notified whenever a request, an answer or a connection comes or goes."""
        self.requests: list[FakeRequest] = []
        self.count = self.in_flight = self.max_in_flight = self.connection_count = 0
        self.connections: set[Connection] = set()
        self._keep = keep_requests
        self._held: list[Callable[[], None]] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen. Raises ``OSError`` when the port is taken."""
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="fake-api", daemon=True)
        self._thread.start()
        started.wait()
        if self._loop is None:
            raise OSError(f"cannot listen on port {self.port}")

    def stop(self) -> None:
        """Drop every connection and end the thread."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop = None

    def hold(self) -> None:
        """Keep every answer back from now on."""
        with self.changed:
            self._held = self._held or []

    def release(self) -> None:
        """Send what was kept back, in the order of the requests."""
        with self.changed:
            held, self._held = self._held or [], None
        for send in held:
            self._on_loop(send)

    def drop_connections(self) -> None:
        """Close every open connection."""
        for connection in tuple(self.connections):
            self._on_loop(connection.abort)

    def _run(self, started: threading.Event) -> None:
        loop = asyncio.new_event_loop()
        try:
            listening = loop.create_server(lambda: Connection(self), "127.0.0.1", self.port, backlog=1024)
            server = loop.run_until_complete(listening)
            self.port = server.sockets[0].getsockname()[1]
            self._loop = loop
            started.set()
            loop.run_forever()
            # No further client is let in, but one that just was is shown in: a server that closes under it leaks it.
            with contextlib.suppress(NotImplementedError):  # of Windows, whose loop lets clients in another way
                for listening_socket in server.sockets:
                    loop.remove_reader(listening_socket.fileno())
            for _ in range(LAST_TURNS):
                loop.run_until_complete(asyncio.sleep(0))
                for connection in tuple(self.connections):
                    connection.abort()
            loop.run_until_complete(asyncio.sleep(0))
            server.close()
        except OSError:
            started.set()
        finally:
            loop.close()

    def _on_loop(self, action: Callable[[], None]) -> None:
        if self._loop is None:
            raise RuntimeError("the fake API is not running; use it in a with block")
        self._loop.call_soon_threadsafe(action)

    # What a connection tells.

    def opened(self, connection: Connection) -> int:
        """Count a connection and return its number, from 1."""
        with self.changed:
            self.connections.add(connection)
            self.connection_count += 1
            self.changed.notify_all()
            return self.connection_count

    def closed(self, connection: Connection) -> None:
        """Forget a connection."""
        with self.changed:
            self.connections.discard(connection)
            self.changed.notify_all()

    def next_number(self) -> int:
        """Count a request and return how many there were before it."""
        self.count += 1
        return self.count - 1

    def requested(self, request: FakeRequest, answer: Callable[[Reply, bytes], None]) -> None:
        """Decide what a request gets, and send it unless answers are kept back."""
        with self.changed:
            if self._keep:
                self.requests.append(request)
            self.in_flight += 1
            self.max_in_flight = max(self.max_in_flight, self.in_flight)
            self.changed.notify_all()
        reply = self.decide(request)
        body = body_of(request, reply)
        with self.changed:
            if self._held is not None:
                self._held.append(lambda: answer(reply, body))
                return
        answer(reply, body)

    def finished(self) -> None:
        """Count an answer, or a client that left without one."""
        with self.changed:
            self.in_flight -= 1
            self.changed.notify_all()
