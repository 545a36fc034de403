"""Redis servers of the tests' own: on free ports, with what they hold in a folder that goes away."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time

import pytest
import redis

PROGRAM = shutil.which("redis-server") or shutil.which("valkey-server")
PATIENCE_S = 60


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server that can be stopped and started again; what it holds outlives that."""

    def __init__(self, folder, password=None):
        self.password = password
        self._folder = folder
        self._process = None
        self.port = 0
        for _attempt in range(5):  # somebody else may be quicker to take the port
            self.port = free_port()
            try:
                self.start()
            except ConnectionError:
                continue
            return
        raise AssertionError((folder / "log").read_text("utf-8"))

    @property
    def url(self):
        user = f":{self.password}@" if self.password else ""
        return f"redis://{user}127.0.0.1:{self.port}/0"

    @property
    def shown(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self, database=0):
        return redis.Redis(port=self.port, db=database, password=self.password)

    def start(self):
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self._folder, "save": "", "appendonly": "yes"}
        if self.password:
            options["requirepass"] = self.password
        with (self._folder / "log").open("ab") as log:
            command = [PROGRAM, *(str(part) for name, value in options.items() for part in (f"--{name}", value))]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                with self.client() as client:
                    if client.info("server")["process_id"] == self._process.pid:
                        return
            except redis.RedisError:
                pass
            if self._process.poll() is not None:
                raise ConnectionError("the server ended")
            time.sleep(0.02)
        raise AssertionError(f"no server within {PATIENCE_S} s")

    def stop(self):
        """End it at once, as a power cut does."""
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="session")
def _servers(tmp_path_factory):
    if PROGRAM is None:
        pytest.skip("no redis-server is installed; apt-get install redis-server")
    started = []

    def start(password=None):
        server = Server(tmp_path_factory.mktemp("redis"), password)
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def _open_server(_servers):
    return _servers()


@pytest.fixture(scope="session")
def _locked_server(_servers):
    return _servers("open%sesame/1")


@pytest.fixture
def server(_open_server):
    """A server without a password that holds nothing."""
    with _open_server.client() as client:
        client.flushall()
    return _open_server


@pytest.fixture
def locked_server(_locked_server):
    """A server with a password that holds nothing."""
    with _locked_server.client() as client:
        client.flushall()
    return _locked_server


@pytest.fixture
def own_server(_servers):
    """A server for this test alone, which may stop it."""
    return _servers()


@pytest.fixture
def nobody():
    """The address of a port that is taken and at which nobody listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield f"redis://127.0.0.1:{holder.getsockname()[1]}/0"


BENCHMARK = """
name: Questions
models:
  - {id: m, provider: openai, model: m, pricing: {input_per_mtok: 1, output_per_mtok: 1}}  # so nobody looks for prices
prompts: [{id: p, template: "{{ question }}"}]
test_cases:
  - {id: a, variables: {question: one}, expected_output: ok, evaluation: exact_match}
  - {id: b, variables: {question: two}, expected_output: ok, evaluation: exact_match}
  - {id: c, variables: {question: three}, expected_output: ok, evaluation: exact_match}
"""


@pytest.fixture
def machine(tmp_path):
    """Make a machine: a folder with a benchmark, where the command of steelyard can be run."""

    def make(name, **environ):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "b.yaml").write_text(BENCHMARK, encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("STEELYARD_", "REDIS_"))}
        chosen = {"STEELYARD_CACHE": "redis", "STEELYARD_SETTINGS": "", "OPENAI_API_KEY": "key-of-the-test"}

        def command(*arguments):
            return subprocess.run(
                [sys.executable, "-X", "utf8", "-m", "steelyard", *arguments],
                cwd=folder,
                env={**kept, **chosen, **environ},
                capture_output=True,
                encoding="utf-8",
                timeout=PATIENCE_S,
                check=False,
            )

        command.folder = folder
        return command

    return make
