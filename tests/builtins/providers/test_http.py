"""The HTTP client that the providers share: whole answers or an error that says whether to try again."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from steelyard_builtins.providers._http import HttpClient, HttpReply, ssl_context

import steelyard
from steelyard.errors import ProviderError
from steelyard.testing.fake_api import FakeAPI, Reply, huge


@pytest.fixture
def client(api: FakeAPI, context: Any) -> HttpClient:
    return HttpClient("x", api.base_url, context({}), largest_body_bytes=1_000_000)


def run(client: HttpClient, *calls: Callable[[], Awaitable[HttpReply]]) -> list[HttpReply]:
    async def all_calls() -> list[HttpReply]:
        try:
            return [await call() for call in calls]
        finally:
            await client.close()

    return asyncio.run(all_calls())


def send(client: HttpClient, url: str, body: bytes = b"{}", timeout_s: float = 5, method: str = "POST") -> HttpReply:
    return run(client, lambda: client.send(method, url, headers={}, body=body, timeout_s=timeout_s))[0]


def test_a_reply_has_status_body_and_headers_in_lower_case(api: FakeAPI, client: HttpClient) -> None:
    api.script([Reply(body="tea", status=418, headers={"X-Pot": "yes"})])

    reply = send(client, f"{api.base_url}/chat/completions")
    assert (reply.status, reply.body, reply.headers["x-pot"]) == (418, b"tea", "yes")


def test_steelyard_says_who_it_is(api: FakeAPI, client: HttpClient) -> None:
    send(client, f"{api.base_url}/chat/completions")

    assert api.requests[0].headers["user-agent"] == f"steelyard/{steelyard.__version__}"


def test_a_compressed_body_is_unpacked(api: FakeAPI, client: HttpClient) -> None:
    api.script([Reply(body=gzip.compress(b'{"a": 1}'), headers={"Content-Encoding": "gzip"})])

    assert send(client, f"{api.base_url}/chat/completions").body == b'{"a": 1}'


def test_a_long_question_arrives_whole(api: FakeAPI, client: HttpClient) -> None:
    body = b"[" + b"1," * 1_500_000 + b"1]"
    send(client, f"{api.base_url}/chat/completions", body)

    assert api.requests[0].body == body


@pytest.mark.parametrize(
    "reply", [huge(1_000_001), Reply(body=gzip.compress(b" " * 50_000_000), headers={"Content-Encoding": "gzip"})]
)
def test_an_answer_beyond_the_limit_is_given_up_and_not_asked_for_again(
    reply: Reply, api: FakeAPI, client: HttpClient
) -> None:
    api.script([reply])

    with pytest.raises(ProviderError, match=r"x: the answer is longer than 0\.954 MB") as raised:
        send(client, f"{api.base_url}/chat/completions")
    assert not raised.value.retryable


def test_cookies_are_not_kept(api: FakeAPI, client: HttpClient) -> None:
    api.script([Reply("x", headers={"Set-Cookie": "who=me; Path=/"})])
    # By name: cookies of bare addresses are refused by most clients anyway.
    url = f"{api.base_url.replace('127.0.0.1', 'localhost')}/chat/completions"
    ask = lambda: client.send("POST", url, headers={}, body=b"{}", timeout_s=5)  # noqa: E731
    run(client, ask, ask)

    assert "cookie" not in api.requests[1].headers


def test_a_redirect_is_not_followed(api: FakeAPI, client: HttpClient) -> None:
    api.route("/elsewhere", lambda request: "should not be asked")
    api.script([Reply(status=302, headers={"Location": "/elsewhere"}, body=b"")])

    with pytest.raises(ProviderError, match="redirects to '/elsewhere'") as raised:
        send(client, f"{api.base_url}/chat/completions")
    assert (raised.value.retryable, raised.value.status, api.count) == (False, 302, 1)


def test_a_host_that_does_not_exist_is_named_and_retried(client: HttpClient) -> None:
    with pytest.raises(ProviderError, match=r"x: cannot connect to no-such-host\.invalid:80: ") as raised:
        send(client, "http://no-such-host.invalid/v1")
    assert raised.value.retryable


@pytest.mark.parametrize("url", ["ftp://x/", "http://", "nonsense"])
def test_what_is_no_address_is_not_retried(url: str, client: HttpClient) -> None:
    with pytest.raises(ProviderError, match="x: not an address") as raised:
        send(client, url)
    assert not raised.value.retryable


def test_a_server_that_does_not_speak_http_is_an_error_of_the_call(context: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"220 mail.test ESMTP ready\r\n\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(ProviderError, match="x: "):
            send(HttpClient("x", url, context({})), url)
        thread.join()


def test_a_certificate_that_nobody_vouches_for_is_not_retried(context: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        # Without a certificate of its own a server can only refuse the handshake.
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

        def refuse() -> None:
            connection, _ = listening.accept()
            with connection, contextlib.suppress(OSError):
                server.wrap_socket(connection, server_side=True)

        thread = threading.Thread(target=refuse)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(ProviderError, match="x: no secure connection") as raised:
            send(HttpClient("x", url, context({})), url)
        thread.join()
    assert not raised.value.retryable


def test_a_missing_certificate_file_is_named(context: Any, tmp_path: Any) -> None:
    missing = str(tmp_path / "none.pem")

    with pytest.raises(ProviderError, match=r"x: SSL_CERT_FILE: '.*none\.pem' holds no certificates"):
        send(HttpClient("x", "https://api.test/", context({"SSL_CERT_FILE": missing})), "https://api.test/")


def test_certificates_are_loaded_once_for_every_client() -> None:
    assert ssl_context(None) is ssl_context(None)


def test_an_idle_connection_that_the_server_closed_is_not_used(api: FakeAPI, client: HttpClient) -> None:
    url = f"{api.base_url}/chat/completions"

    async def with_a_pause() -> list[int]:
        statuses = [(await client.send("POST", url, headers={}, body=b"{}", timeout_s=5)).status]
        api.drop_connections()
        await asyncio.to_thread(api.wait_for, lambda api: api.open_connections == 0)
        statuses.append((await client.send("POST", url, headers={}, body=b"{}", timeout_s=5)).status)
        await client.close()
        return statuses

    assert asyncio.run(with_a_pause()) == [200, 200]
    assert api.connections == 2


def test_a_header_with_a_line_end_is_not_sent(api: FakeAPI, client: HttpClient) -> None:
    url = f"{api.base_url}/chat/completions"
    with pytest.raises(ProviderError, match="cannot send the request"):
        run(client, lambda: client.send("POST", url, headers={"A": "b\r\nC: d"}, body=b"{}", timeout_s=5))
    assert api.count == 0
