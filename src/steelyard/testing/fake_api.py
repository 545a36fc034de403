"""A real HTTP server that plays a model's API, for tests that want real sockets and no internet.

It speaks chat completions (also under OpenRouter's path), the catalog of models, Anthropic messages, Gemini
generateContent and Ollama chat, and fails in every way that a script asks for::

    from steelyard.testing.fake_api import FakeAPI, Reply, rate_limited

    with FakeAPI() as api:
        api.reply("billing")                                  # what every request gets
        api.script([rate_limited("2")], match="conv_007")     # but the first that mentions conv_007 gets a 429
        ...                                                   # let a client call api.base_url
        assert api.count == 2

It runs in a thread of its own, listens on the loopback only, and answers from memory. For a server in a process of
its own, see ``fake_api_process``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any

from .fake_api_bodies import catalog_body, catalog_entry
from .fake_api_replies import (
    Reply,
    corrupt_gzip,
    cut_off,
    dripping,
    dropped,
    error_in_200,
    error_in_choice,
    failure,
    html,
    huge,
    lone_surrogate,
    no_choices,
    rate_limited,
    redirect,
    silence,
    slow,
    tool_call,
)
from .fake_api_request import FakeRequest
from .fake_api_server import Server

__all__ = [
    "Answer",
    "FakeAPI",
    "FakeRequest",
    "Reply",
    "catalog_entry",
    "corrupt_gzip",
    "cut_off",
    "dripping",
    "dropped",
    "error_in_200",
    "error_in_choice",
    "failure",
    "html",
    "huge",
    "lone_surrogate",
    "no_choices",
    "rate_limited",
    "redirect",
    "silence",
    "slow",
    "tool_call",
]

Answer = Callable[[FakeRequest], "Reply | str"]
"""Decides what one request gets. Called on the server's thread, one request at a time, so it must not wait."""

DEFAULT_TEXT = "ok"
DEFAULT_CATALOG = (
    catalog_entry("vendor/small", input_per_mtok=0.5, output_per_mtok=1.5),
    catalog_entry("vendor/large", input_per_mtok=2.0, output_per_mtok=8.0),
    catalog_entry("vendor/small:free", input_per_mtok=0.0, output_per_mtok=0.0),
)
UNKNOWN_PATH = Reply(body={"detail": "Not Found"}, status=404)


class FakeAPI:
    """The server. Starts when the ``with`` block is entered and is gone when it is left.

    Everything here may be called from the test's thread while the server runs.

    Args:
        keep_requests: Whether to keep what came in for ``requests``; a long speed measurement does without.
        port: The port to listen on; 0 takes a free one.
    """

    def __init__(self, *, keep_requests: bool = True, port: int = 0) -> None:
        self._server = Server(self._decide, keep_requests=keep_requests, port=port)
        self._answer: Answer = lambda _request: DEFAULT_TEXT
        self._scripts: list[tuple[str, deque[Reply | str]]] = []
        self._routes: dict[str, Answer] = {}
        self._catalog: Reply = catalog_body(DEFAULT_CATALOG)
        self._failure: Exception | None = None
        self._unplayed: list[FakeRequest] = []

    def __enter__(self) -> FakeAPI:
        """Start listening. Raises ``OSError`` when the port is taken."""
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop, drop every connection, and raise what an ``answer`` function raised."""
        self._server.stop()
        if self._failure is not None and value is None:
            raise self._failure

    # What it answers.

    def reply(self, reply: Reply | str) -> None:
        """Answer every request with ``reply`` from now on; a text is a good answer."""
        self._answer = lambda _request: reply

    def answer(self, answer: Answer) -> None:
        """Let ``answer`` decide what each request gets from now on.

        What it raises is answered with status 500 and raised again where the ``with`` block ends.
        """
        self._answer = answer

    def script(self, replies: Iterable[Reply | str], *, match: str = "") -> None:
        """Answer the next requests with ``replies``, one each in the order they come in, and then as before.

        With ``match``, only requests whose prompt contains that text take from the script, so that each of many
        concurrent requests gets its own fault. Of several scripts the first given that matches and is not used up is
        taken. The catalog and added routes take no part.
        """
        with self._server.changed:
            self._scripts.append((match, deque(replies)))

    def catalog(self, entries: Iterable[Mapping[str, Any]] | Reply) -> None:
        """Serve these models (see :func:`catalog_entry`), or a whole reply in their place."""
        self._catalog = entries if isinstance(entries, Reply) else catalog_body(entries)

    def route(self, path: str, answer: Answer) -> None:
        """Serve another path, such as an application's own; a text is answered as ``{"output": text}``.

        Any other path that is not an API's is a 404.
        """
        self._routes[path] = answer

    def hold(self) -> None:
        """Let requests come in, but keep every answer back until :meth:`release`."""
        self._server.hold()

    def release(self) -> None:
        """Send every answer that was kept back, in the order of the requests, and keep none back any more."""
        self._server.release()

    def drop_connections(self) -> None:
        """Close every open connection, as a server that restarts does."""
        self._server.drop_connections()

    # What it saw.

    @property
    def origin(self) -> str:
        """The address without a path: ``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def base_url(self) -> str:
        """The base address of the chat completions API; ``POST`` goes to ``base_url + "/chat/completions"``."""
        return f"{self.origin}/v1"

    @property
    def requests(self) -> tuple[FakeRequest, ...]:
        """Every request so far, in the order they came in."""
        return tuple(self._server.requests)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompt of every request so far that asked a model."""
        return tuple(request.prompt for request in self.requests if request.dialect not in ("catalog", "other"))

    @property
    def unplayed(self) -> tuple[FakeRequest, ...]:
        """The requests that got a 404, since no API that is played here and no :meth:`route` has their path."""
        return tuple(self._unplayed)

    @property
    def count(self) -> int:
        """How many requests came in, the catalog's included."""
        return self._server.count

    @property
    def connections(self) -> int:
        """How many connections were opened."""
        return self._server.connection_count

    @property
    def open_connections(self) -> int:
        """How many connections are open now."""
        return len(self._server.connections)

    @property
    def in_flight(self) -> int:
        """How many requests wait for their answer now."""
        return self._server.in_flight

    @property
    def max_in_flight(self) -> int:
        """The most requests that waited at the same time."""
        return self._server.max_in_flight

    def wait_for(self, condition: Callable[[FakeAPI], bool], timeout_s: float = 60.0) -> bool:
        """Wait until ``condition(api)`` holds and return whether it did in time.

        Looked at whenever a request, an answer or a connection comes or goes:
        ``api.wait_for(lambda api: api.count == 10)``.
        """
        with self._server.changed:
            return self._server.changed.wait_for(lambda: condition(self), timeout_s)

    def _decide(self, request: FakeRequest) -> Reply:
        if request.path in self._routes:
            return self._asked(self._routes[request.path], request)
        if request.dialect == "catalog" and request.method == "GET":
            return self._catalog
        if request.dialect in ("catalog", "other") or request.method != "POST":
            self._unplayed.append(request)
            return UNKNOWN_PATH
        with self._server.changed:
            for match, replies in self._scripts:
                if replies and match in request.prompt:
                    scripted = replies.popleft()
                    return scripted if isinstance(scripted, Reply) else Reply(scripted)
        return self._asked(self._answer, request)

    def _asked(self, answer: Answer, request: FakeRequest) -> Reply:
        try:
            reply = answer(request)
        except Exception as error:  # a test's own function; raised again when the server stops
            self._failure = self._failure or error
            return Reply(error=f"the answer function raised {error!r}", status=500)
        return reply if isinstance(reply, Reply) else Reply(reply)
