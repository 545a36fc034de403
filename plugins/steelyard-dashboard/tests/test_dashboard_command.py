"""The command as users call it: in a process of its own."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from steelyard_dashboard.command import RESULTS_DIR, command
from steelyard_dashboard.serving import has_browser, take

from steelyard.errors import UsageError

STEELYARD = [sys.executable, "-m", "steelyard", "dashboard"]


@pytest.fixture
def environ(tmp_path):
    """The environment without anything of ours, and without a screen."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STEELYARD_", "DISPLAY", "WAYLAND"))}
    return {**kept, "PYTHONIOENCODING": "utf-8", "BROWSER": "/bin/false"}


@pytest.fixture
def run(tmp_path, environ):
    """Call the command and wait until it has ended."""

    def call(*arguments, **more):
        return subprocess.run(
            [*STEELYARD, *arguments],
            cwd=tmp_path,
            env={**environ, **more},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return call


@pytest.fixture
def serving(tmp_path, environ):
    """Call the command on any free port, and wait until it has said where it is."""

    @contextmanager
    def start(*arguments, **more):
        process = subprocess.Popen(
            [*STEELYARD, "--port", "0", *arguments],
            cwd=tmp_path,
            env={**environ, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        killer = threading.Timer(60, process.kill)
        killer.start()
        try:
            yield process, process.stdout.readline().strip()
        finally:
            killer.cancel()
            process.kill()
            process.communicate()

    return start


def get(url, path="/"):
    host, port = url.removeprefix("http://").rstrip("/").rsplit(":", 1)
    connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=30)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read().decode("utf-8")
    finally:
        connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_asked_to_end_and_then_ends_quietly(serving, tmp_path, ending):
    folder = tmp_path.resolve() / "results"
    with serving() as (process, url):
        assert get(url)[0] == 200

        process.send_signal(ending)
        output, errors = process.communicate(timeout=30)

    assert process.returncode in {0, 130}
    assert output == ""
    assert errors == f"showing {folder}; Ctrl-C ends it (there is no such folder yet)\n"


def test_it_ends_although_a_browser_keeps_a_connection_open(serving):
    with serving() as (process, url):
        port = int(url.rstrip("/").rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as idle:
            idle.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert idle.recv(15).startswith(b"HTTP/1.1 200")

            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)

    assert process.returncode in {0, 130}


def test_the_address_is_all_that_goes_to_standard_output(serving):
    with serving() as (_, url):
        assert url.startswith("http://127.0.0.1:")
        assert url.endswith("/")


def test_a_port_that_is_taken_is_one_line_that_says_what_to_do(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = run("--port", str(port), "--no-open")

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"error: port {port} of 127.0.0.1: is in use already; name another one: --port {port + 1}\n"


def test_a_host_that_is_not_of_this_machine_is_one_line(run):
    done = run("--host", "no.such.host.invalid", "--no-open")

    assert done.returncode == 1
    assert done.stderr == (
        "error: --host: 'no.such.host.invalid' is not an address of this machine; leave it out for 127.0.0.1\n"
    )


@pytest.mark.parametrize("port", ["x", "-1", "65536"])
def test_a_port_that_is_none_is_wrong_usage(run, port):
    assert run("--port", port).returncode == 2


def test_an_address_for_everybody_comes_with_a_warning(serving):
    with serving("--host", "0.0.0.0") as (process, url):
        assert get(url)[0] == 200
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)

    assert errors.startswith("warning: --host 0.0.0.0: everyone who can reach this machine can read the results")


def test_only_this_machine_is_answered_without_being_asked_to(serving):
    with serving() as (_, url):
        port = int(url.rstrip("/").rsplit(":", 1)[1])
        others = [info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]

        for address in {one for one in others if not one.startswith("127.")}:
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((address, port), timeout=5)


def test_the_folder_is_that_of_the_settings_unless_an_option_names_another(
    serving, tmp_path, make_record, make_combo, make_case
):
    from steelyard.records import write_record

    write_record(tmp_path / "mine" / "my-run.json", make_record(make_combo(make_case())))

    with serving("--results-dir", "mine") as (_, url):
        assert "my-run" in get(url, "/api/runs")[1]
    with serving(STEELYARD_RESULTS_DIR="mine") as (_, url):
        assert "my-run" in get(url, "/api/runs")[1]
    (tmp_path / "steelyard.yaml").write_text("results_dir: mine", "utf-8")
    with serving() as (_, url):
        assert "my-run" in get(url, "/api/runs")[1]


def test_a_file_in_place_of_the_folder_is_wrong_usage(run, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")

    done = run("--results-dir", "file", "--no-open")

    assert done.returncode == 2
    assert "is a file" in done.stderr


def test_the_folder_of_the_settings_is_used_where_the_host_tells_it(monkeypatch, tmp_path):
    shown = []
    monkeypatch.setattr("steelyard_dashboard.command.serve", lambda app, address: address.socket.close())
    monkeypatch.setattr("steelyard_dashboard.command.application", lambda folder, **_named: shown.append(folder))

    @click.group()
    @click.pass_context
    def host(context):
        context.meta[RESULTS_DIR] = lambda: tmp_path / "of-settings"

    host.add_command(command)
    told = CliRunner().invoke(host, ["dashboard", "--port", "0", "--no-open"])
    alone = CliRunner().invoke(command, ["--port", "0", "--no-open"])

    assert (told.exit_code, alone.exit_code) == (0, 0)
    assert shown == [tmp_path / "of-settings", Path("results")]


def test_help_tells_that_it_only_reads(run):
    done = run("--help")

    assert done.returncode == 0
    assert "It only reads" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "firefox"}, "linux", True),
        ({"DISPLAY": ""}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_browser_is_opened_only_where_there_is_a_screen(environ, platform, expected):
    assert has_browser(environ, platform) is expected


def test_an_address_of_the_sixth_protocol_is_written_in_brackets():
    try:
        address = take("::1", 0)
    except UsageError:
        pytest.skip("this machine has no IPv6")
    with address.socket:
        assert address.loopback
        assert address.url == f"http://[::1]:{address.port}/"


def test_a_port_that_one_may_not_have_says_so(monkeypatch):
    def refuse(*_arguments, **_named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("socket.create_server", refuse)

    with pytest.raises(UsageError, match=r"port 80 of 127.0.0.1: may not be used by you; name one above 1023"):
        take("127.0.0.1", 80)
