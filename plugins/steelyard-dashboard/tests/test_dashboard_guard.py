"""What holds for every request, over a real socket."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from steelyard_dashboard.guard import host_name
from steelyard_dashboard.serving import take

PLACES = ["/", "/compare", "/live", "/runs/nothing", "/api/runs", "/static/dashboard.css", "/nowhere"]


@pytest.mark.parametrize("path", PLACES)
def test_every_answer_forbids_scripts_styles_and_pictures_from_elsewhere(dashboard, path):
    headers = dashboard(path).headers

    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert (policy["script-src"], policy["style-src"], policy["img-src"]) == ("'self'", "'self'", "'self'")
    assert (policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'none'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_what_models_said_is_kept_in_no_cache(dashboard):
    assert dashboard("/").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:3000", "localhost.", "127.0.0.1:80", "127.8.8.8", "[::1]:3000"]
)
def test_this_machine_may_ask_under_any_of_its_own_names(dashboard, host):
    assert dashboard("/", headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:3000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.4",
        "[fe80::1]",
        "",
        "localhost@evil.example",
        "evil.example#localhost",
        "2130706433.evil.example",
    ],
)
def test_a_name_from_elsewhere_is_refused_so_that_no_site_can_point_its_own_here(dashboard, host):
    reply = dashboard("/api/runs", headers={"Host": host})

    assert reply.status in {400, 403}
    assert b"runs" not in reply.body


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(b"GET / HTTP/1.0\r\n\r\n", id="none"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", id="two"),
        pytest.param(b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", id="absolute"),
    ],
)
def test_a_request_that_does_not_name_one_host_is_refused(dashboard, lines):
    with socket.create_connection(("127.0.0.1", dashboard.port), timeout=10) as connection:
        connection.sendall(lines)
        status = connection.recv(100).split(b" ", 2)[1]

    assert status in {b"400", b"403"}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/api/runs"])
def test_nothing_can_be_changed_through_it(dashboard, method, path):
    reply = dashboard(path, method=method)

    assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD")


def test_head_answers_as_get_without_a_body(dashboard):
    reply = dashboard("/", method="HEAD")

    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"


def test_no_other_origin_is_allowed_to_read(dashboard):
    headers = dashboard("/api/runs", headers={"Origin": "http://evil.example"}).headers

    assert [name for name in headers if name.lower().startswith("access-control")] == []


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py",
        "/static/%2e%2e%2fguard.py",
        "/static/..%5cguard.py",
        "/static/",
        "/static/dashboard.css/..",
        "/static/live.js%00",
    ],
)
def test_only_the_files_of_a_fixed_table_are_served(dashboard, path):
    assert dashboard(path).status == 404


def test_a_file_that_the_browser_has_already_is_not_sent_again(dashboard):
    first = dashboard("/static/dashboard.css")

    again = dashboard("/static/dashboard.css", headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Content-Type"] == "text/css; charset=utf-8"
    assert (again.status, again.body) == (304, b"")


def test_a_fault_of_one_page_is_one_line_and_costs_the_others_nothing(dashboard_of, tmp_path, monkeypatch):
    running = dashboard_of(tmp_path)
    monkeypatch.setattr("steelyard_dashboard.pages.overview.trends_of", lambda *_args, **_named: 1 / 0)

    broken, other = running("/"), running("/live")

    assert broken.status == 500
    assert b"Traceback" not in broken.body
    assert broken.headers["X-Content-Type-Options"] == "nosniff"
    assert other.status == 200
    assert running.faults == ["a fault of the dashboard at '/': ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("Example.ORG:8080", "example.org"),
        ("example.org.", "example.org"),
        ("[::1]:3000", "::1"),
        ("[::1]", "::1"),
        ("::1", "::1"),
        ("", ""),
        ("[", ""),
        ("a:b:c", "a:b:c"),
    ],
)
def test_the_name_in_a_host_header_is_told_from_its_port(header, name):
    assert host_name(header) == name


def test_a_loopback_address_goes_by_localhost_alone():
    address = take("127.0.0.1", 0)
    address.socket.close()

    assert address.loopback
    assert address.names == {"localhost", "127.0.0.1"}


def test_an_address_for_everybody_goes_by_the_name_of_the_machine_too():
    address = take("0.0.0.0", 0)
    with address.socket:
        assert not address.loopback
        assert socket.gethostname().lower() in address.names
        assert address.url == f"http://127.0.0.1:{address.port}/"


def test_everything_that_is_served_is_in_the_package():
    import steelyard_dashboard

    static = Path(steelyard_dashboard.__file__).parent / "static"

    for file in static.iterdir():
        assert "http://" not in file.read_text("utf-8").replace("http://www.w3.org/2000/svg", ""), file
        assert "https://" not in file.read_text("utf-8"), file
