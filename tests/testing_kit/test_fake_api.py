"""The fake API against the standard library's own HTTP client, so that its promises do not rest on ours."""

from __future__ import annotations

import gc
import http.client
import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from steelyard.testing.fake_api import (
    FakeAPI,
    FakeRequest,
    Reply,
    catalog_entry,
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
from steelyard.testing.fake_api_process import FakeAPIProcess


@contextmanager
def connection_to(api: FakeAPI, timeout: float = 5.0) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", int(api.origin.rpartition(":")[2]), timeout=timeout)
    try:
        yield connection
    finally:
        connection.close()


def post(connection: http.client.HTTPConnection, prompt: str, path: str = "/v1/chat/completions") -> Any:
    body = json.dumps({"model": "vendor/small", "messages": [{"role": "user", "content": prompt}]})
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response, response.read()


def asked(api: FakeAPI, prompt: str, path: str = "/v1/chat/completions") -> tuple[int, Any]:
    with connection_to(api) as connection:
        response, body = post(connection, prompt, path)
        return response.status, json.loads(body)


def test_every_request_gets_the_reply_that_was_set() -> None:
    with FakeAPI() as api:
        api.reply("billing")
        status, body = asked(api, "a question of 29 characters..")

    assert status == 200
    assert body["choices"][0]["message"]["content"] == "billing"
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["model"] == "vendor/small"
    assert body["usage"] == {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}


def test_a_function_can_decide_each_reply_by_the_prompt() -> None:
    with FakeAPI() as api:
        api.answer(lambda request: "yes" if "sun" in request.prompt else Reply("no", cost_usd=0.25))
        first, second = asked(api, "is the sun up?"), asked(api, "is it dark?")

    assert first[1]["choices"][0]["message"]["content"] == "yes"
    assert second[1]["choices"][0]["message"]["content"] == "no"
    assert second[1]["usage"]["cost"] == 0.25


def test_a_script_is_used_up_in_order_and_then_the_usual_reply_comes_back() -> None:
    with FakeAPI() as api:
        api.reply("usual")
        api.script([failure(503), "second"])
        statuses = [asked(api, "x") for _ in range(3)]

    assert [status for status, _ in statuses] == [503, 200, 200]
    assert [body["choices"][0]["message"]["content"] for _, body in statuses[1:]] == ["second", "usual"]


def test_a_script_with_a_match_waits_for_its_own_prompt() -> None:
    with FakeAPI() as api:
        api.script([failure(500)], match="case-2")
        statuses = {case: asked(api, f"about {case}")[0] for case in ("case-1", "case-2", "case-3")}

    assert statuses == {"case-1": 200, "case-2": 500, "case-3": 200}


def test_requests_are_kept_with_path_headers_body_and_time() -> None:
    before = time.monotonic()
    with FakeAPI() as api:
        with connection_to(api) as connection:
            connection.request("POST", "/v1/chat/completions?x=1", '{"model": "m"}', {"X-Own": "value"})
            connection.getresponse().read()
        request = api.requests[0]

    assert (request.method, request.path, request.query) == ("POST", "/v1/chat/completions", "x=1")
    assert request.headers["x-own"] == "value"
    assert request.json == {"model": "m"}
    assert request.model == "m"
    assert (request.number, request.connection) == (0, 1)
    assert before <= request.time_s <= time.monotonic()


def test_a_body_that_is_no_json_is_kept_all_the_same() -> None:
    with FakeAPI() as api:
        with connection_to(api) as connection:
            connection.request("POST", "/v1/chat/completions", b"\xff not json")
            connection.getresponse().read()
        request = api.requests[0]

    assert request.json is None
    assert request.prompt == ""
    assert request.body == b"\xff not json"


def test_a_connection_is_kept_for_further_requests() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        for number in range(3):
            post(connection, str(number))

        assert (api.count, api.connections, api.open_connections) == (3, 1, 1)


def test_requests_that_are_sent_ahead_are_answered_in_order() -> None:
    one = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    with FakeAPI() as api, connection_to(api) as connection:
        api.script(["first", "second"])
        connection.connect()
        assert connection.sock is not None
        connection.sock.sendall(one + one[:20])
        api.wait_for(lambda api: api.count == 1)
        connection.sock.sendall(one[20:])
        received = b""
        while received.count(b"HTTP/1.1 200") < 2 or not received.endswith(b"}"):
            received += connection.sock.recv(65536)

    assert received.index(b'"first"') < received.index(b'"second"')


def test_a_chunked_request_arrives_whole() -> None:
    with FakeAPI() as api:
        with connection_to(api) as connection:
            connection.request("POST", "/v1/chat/completions", iter([b'{"model":', b' "m"}']), encode_chunked=True)
            connection.getresponse().read()

        assert api.requests[0].json == {"model": "m"}


def test_the_most_requests_in_flight_are_counted_while_answers_are_held() -> None:
    with FakeAPI() as api:
        api.hold()
        threads = [threading.Thread(target=asked, args=(api, str(number))) for number in range(4)]
        for thread in threads:
            thread.start()
        held = api.wait_for(lambda api: api.in_flight == 4)
        api.release()
        for thread in threads:
            thread.join()

        assert held
        assert api.wait_for(lambda api: api.in_flight == 0)
        assert api.max_in_flight == 4
    assert sorted(api.prompts) == ["0", "1", "2", "3"]


def test_a_client_that_leaves_is_no_longer_in_flight() -> None:
    with FakeAPI() as api:
        api.script([silence()])
        with connection_to(api) as connection:
            connection.request("POST", "/v1/chat/completions", "{}")
            assert api.wait_for(lambda api: api.in_flight == 1)

        assert api.wait_for(lambda api: api.in_flight == 0)


def test_connections_can_be_dropped_as_by_a_server_that_restarts() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        post(connection, "x")
        api.drop_connections()

        assert api.wait_for(lambda api: api.open_connections == 0)


@pytest.mark.parametrize("value", ["7", "0.5", "Wed, 21 Oct 2015 07:28:00 GMT", "-5", "soon", ""])
def test_a_rate_limit_carries_any_form_of_retry_after(value: str) -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        api.script([rate_limited(value)])
        response, body = post(connection, "x")

    assert response.status == 429
    assert response.getheader("Retry-After") == value
    assert json.loads(body)["error"]["code"] == 429


@pytest.mark.parametrize(
    ("fault", "path", "wanted"),
    [
        (error_in_200(502), ("error", "code"), 502),
        (error_in_200("server_error"), ("error", "code"), "server_error"),
        (error_in_choice(502), ("choices", 0, "error", "code"), 502),
        (no_choices(), ("choices",), []),
        (no_choices(None), ("choices",), None),
        (Reply(None), ("choices", 0, "message", "content"), None),
        (Reply("x", usage="null"), ("usage",), None),
        (Reply("x", usage={"prompt_tokens": True}), ("usage",), {"prompt_tokens": True}),
        (Reply([{"type": "text", "text": "x"}]), ("choices", 0, "message", "content", 0, "text"), "x"),
        (tool_call(), ("choices", 0, "message", "tool_calls", 0, "type"), "function"),
        (lone_surrogate(), ("choices", 0, "message", "content"), "math \ud835 sign"),
        (huge(70_000), ("choices", 0, "message", "content"), "x" * 70_000),
    ],
)
def test_each_odd_answer_looks_on_the_wire_as_promised(fault: Reply, path: tuple[Any, ...], wanted: Any) -> None:
    with FakeAPI() as api:
        api.script([fault])
        status, found = asked(api, "x")
        for key in path:
            found = found[key]

    assert status == 200
    assert found == wanted


def test_usage_can_be_missing() -> None:
    with FakeAPI() as api:
        api.script([Reply("x", usage="missing")])

        assert "usage" not in asked(api, "x")[1]


def test_a_web_page_comes_in_place_of_json() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        api.script([html(503, "Down for repair")])
        response, body = post(connection, "x")

    assert (response.status, response.getheader("Content-Type")) == (503, "text/html; charset=UTF-8")
    assert b"<title>Down for repair</title>" in body


def test_a_dropped_connection_sends_no_byte() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        api.script([dropped()])

        with pytest.raises(http.client.RemoteDisconnected):
            post(connection, "x")


def test_a_cut_answer_is_shorter_than_announced() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        api.script([cut_off()])

        with pytest.raises(http.client.IncompleteRead):
            post(connection, "x")


def test_a_corrupt_body_claims_to_be_gzip_and_is_not() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        api.script([corrupt_gzip()])
        response, body = post(connection, "x")

    assert response.getheader("Content-Encoding") == "gzip"
    with pytest.raises(Exception, match=r"CRC|invalid|Error"):
        __import__("gzip").decompress(body)


def test_a_redirect_names_another_place() -> None:
    with FakeAPI() as api, connection_to(api) as connection:
        api.script([redirect("/v2", 308)])
        response, _ = post(connection, "x")

    assert (response.status, response.getheader("Location")) == (308, "/v2")


def test_silence_lasts_until_the_client_gives_up() -> None:
    with FakeAPI() as api, connection_to(api, timeout=0.05) as connection:
        api.script([silence()])

        with pytest.raises(TimeoutError):
            post(connection, "x")


def test_blanks_drip_before_the_body_faster_than_any_read_times_out() -> None:
    with FakeAPI() as api, connection_to(api, timeout=1.0) as connection:
        api.script([dripping(Reply("late"), blanks=5, every_s=0.01)])
        started = time.monotonic()
        _, body = post(connection, "x")

    assert time.monotonic() - started >= 0.05
    assert body.startswith(b"\n\n\n\n\n{")
    assert json.loads(body)["choices"][0]["message"]["content"] == "late"


def test_a_slow_answer_waits_before_its_first_byte() -> None:
    with FakeAPI() as api:
        api.script([slow(Reply("x"), 0.05)])
        started = time.monotonic()
        asked(api, "x")

    assert time.monotonic() - started >= 0.05


def test_the_catalog_lists_what_it_was_given() -> None:
    with FakeAPI() as api:
        api.catalog([catalog_entry("a/b", input_per_mtok=2.5, output_per_mtok=10)])
        with urllib.request.urlopen(f"{api.base_url}/models") as response:
            body = json.load(response)

    assert [model["id"] for model in body["data"]] == ["a/b"]
    assert float(body["data"][0]["pricing"]["prompt"]) == pytest.approx(2.5e-6)
    assert float(body["data"][0]["pricing"]["completion"]) == pytest.approx(1e-5)


def test_a_path_of_no_api_is_not_found() -> None:
    with FakeAPI() as api:
        assert asked(api, "x", "/chat/completions") == (404, {"detail": "Not Found"})


def test_a_route_of_ones_own_is_served() -> None:
    with FakeAPI() as api:
        api.route("/ask", lambda request: f"you asked {request.json['model']}")

        assert asked(api, "x", "/ask") == (200, {"output": "you asked vendor/small"})


@pytest.mark.parametrize(
    ("path", "sent", "text_at"),
    [
        (
            "/api/v1/chat/completions",
            {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]},
            ("choices", 0, "message", "content"),
        ),
        (
            "/v1/messages",
            {"model": "m", "system": "s", "messages": [{"role": "user", "content": [{"type": "text", "text": "u"}]}]},
            ("content", 0, "text"),
        ),
        (
            "/v1beta/models/m:generateContent",
            {"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"role": "user", "parts": [{"text": "u"}]}]},
            ("candidates", 0, "content", "parts", 0, "text"),
        ),
        (
            "/api/chat",
            {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]},
            ("message", "content"),
        ),
    ],
)
def test_each_api_is_understood_and_answered_in_its_own_words(path: str, sent: Any, text_at: tuple[Any, ...]) -> None:
    with FakeAPI() as api:
        api.reply("hello")
        with connection_to(api) as connection:
            connection.request("POST", path, json.dumps(sent))
            found = json.loads(connection.getresponse().read())
        for key in text_at:
            found = found[key]

        assert found == "hello"
        assert (api.requests[0].model, api.prompts) == ("m", ("s\nu",))


@pytest.mark.parametrize(
    ("path", "message_at"),
    [
        ("/v1/chat/completions", ("error", "message")),
        ("/v1/messages", ("error", "message")),
        ("/v1beta/models/m:generateContent", ("error", "message")),
        ("/api/chat", ("error",)),
    ],
)
def test_each_api_says_errors_in_its_own_shape(path: str, message_at: tuple[str, ...]) -> None:
    with FakeAPI() as api:
        api.script([failure(503, "too busy")])
        status, found = asked(api, "x", path)
        for key in message_at:
            found = found[key]

    assert (status, found) == (503, "too busy")


def test_what_an_answer_function_raises_is_raised_where_the_block_ends() -> None:
    def broken(request: FakeRequest) -> str:
        raise KeyError("no such case")

    def use() -> None:
        with FakeAPI() as api:
            api.answer(broken)
            assert asked(api, "x")[0] == 500

    with pytest.raises(KeyError, match="no such case"):
        use()


def test_a_taken_port_is_said() -> None:
    with FakeAPI() as api, pytest.raises(OSError, match="cannot listen"):
        FakeAPI(port=int(api.origin.rpartition(":")[2])).__enter__()


def test_requests_need_not_be_kept() -> None:
    with FakeAPI(keep_requests=False) as api:
        asked(api, "x")

        assert (api.count, api.requests) == (1, ())


def test_two_servers_do_not_know_of_each_other() -> None:
    with FakeAPI() as one, FakeAPI() as other:
        one.reply("one")
        asked(one, "x")

        assert (one.count, other.count) == (1, 0)


def test_it_runs_in_a_process_of_its_own_too() -> None:
    with FakeAPIProcess(text="from afar", cost_usd=0.5) as process:
        request = urllib.request.Request(f"{process.base_url}/chat/completions", data=b"{}", method="POST")
        with urllib.request.urlopen(request) as response:
            body = json.load(response)

    assert body["choices"][0]["message"]["content"] == "from afar"
    assert body["usage"]["cost"] == 0.5


def test_clients_that_connect_at_the_last_moment_leave_no_socket_open() -> None:
    for _ in range(20):
        with FakeAPI() as api:
            clients = [socket.create_connection(("127.0.0.1", int(api.origin.rpartition(":")[2]))) for _ in range(3)]
        for client in clients:
            client.close()

    # What is still open says so when it is collected, and that is an error here.
    gc.collect()
