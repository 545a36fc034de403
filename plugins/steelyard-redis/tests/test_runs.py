"""Runs that share a server: of the command where the machine matters, of a session where the moment does."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
import steelyard_redis as plugin

from steelyard.api import Score
from steelyard.testing import FakeAPI, ScriptedProvider, make_benchmark, session_with


@pytest.fixture
def api():
    with FakeAPI() as running:
        yield running


class Content:
    def score(self, case, output, ask):
        return Score(value=1.0, passed=True, reason="content")


def test_two_machines_share_what_was_paid_for(machine, server, api):
    first, second = (machine(n, REDIS_URL=server.url, OPENAI_BASE_URL=api.base_url) for n in ("first", "second"))

    done = first("run", "b.yaml", "-o", "record.json")
    assert done.returncode == 0, done.stderr
    assert api.count == 3
    assert second("cache", "stats").stdout.startswith(f"{server.shown}, keys steelyard:*: 3 cached responses, ")

    again = second("run", "b.yaml", "-o", "record.json")

    assert again.returncode == 0, again.stderr
    assert api.count == 3
    record = json.loads((second.folder / "record.json").read_text("utf-8"))
    assert [case["cached"] for case in record["results"][0]["test_cases"]] == [True, True, True]


def test_what_one_machine_clears_is_cleared_for_all(machine, server):
    with server.client() as client:
        client.mset({f"steelyard:{number:064x}": b"x" for number in range(3)} | {"another": b"x"})
    first, second = (machine(name, REDIS_URL=server.url) for name in ("first", "second"))

    assert second("cache", "clear", "--yes").stdout == "deleted 3 cached responses\n"

    assert "0 cached responses" in first("cache", "stats").stdout
    with server.client() as client:
        assert client.keys() == [b"another"]


def test_a_project_gives_the_server_in_its_settings(machine, server, api):
    here = machine("here", OPENAI_BASE_URL=api.base_url)
    (here.folder / "steelyard.yaml").write_text(
        f"cache: redis\ncaches:\n  redis: {{url: '{server.url}', prefix: 'team-a:', ttl_s: 3600}}\n", encoding="utf-8"
    )

    done = here("run", "b.yaml")

    assert done.returncode == 0, done.stderr
    assert here("cache", "stats").stdout.startswith(f"{server.shown}, keys team-a:*: 3 cached responses, ")
    with server.client() as client:
        assert client.dbsize() == 3
        assert all(0 < client.ttl(name) <= 3600 for name in client.keys("team-a:*"))


def test_a_wrong_option_is_told_with_its_place(machine):
    here = machine("here")
    (here.folder / "steelyard.yaml").write_text("caches:\n  redis: {tll_s: 60}\n", encoding="utf-8")

    done = here("cache", "stats")

    assert done.returncode == 1
    assert "steelyard.yaml:2:3: error: caches.redis.tll_s: unknown key 'tll_s'; did you mean 'ttl_s'?" in done.stderr


def test_a_run_goes_on_without_a_server_and_names_the_package_once(machine, nobody, api):
    here = machine("here", REDIS_URL=nobody, OPENAI_BASE_URL=api.base_url)

    done = here("run", "b.yaml")

    assert done.returncode == 0, done.stderr
    assert api.count == 3
    (line,) = [line for line in done.stderr.splitlines() if "cache" in line]
    assert line == (
        "warning: Could not read the response cache (cache 'redis' of plugin 'redis' (steelyard-redis 0.1.0): "
        f"ConnectionError: {nobody}: connection refused; start the server, or correct REDIS_URL); continuing."
    )


@pytest.mark.parametrize("command", [("stats",), ("clear", "--yes"), ("prune", "--older-than", "1d")])
def test_looking_after_a_cache_without_a_server_is_a_failure_in_one_line(machine, nobody, command):
    done = machine("here", REDIS_URL=nobody)("cache", *command)

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "plugin 'redis' (steelyard-redis 0.1.0)" in line
    assert line.endswith(f"{nobody}: connection refused; start the server, or correct REDIS_URL")


def test_a_password_is_nowhere_to_be_seen(machine, locked_server, api):
    secret = quote(locked_server.password, safe="")
    right = machine(
        "right", REDIS_URL=f"redis://:{secret}@127.0.0.1:{locked_server.port}", OPENAI_BASE_URL=api.base_url
    )
    wrong = machine(
        "wrong", REDIS_URL=f"redis://:x{secret}@127.0.0.1:{locked_server.port}", OPENAI_BASE_URL=api.base_url
    )
    spoilt = machine("spoilt", REDIS_URL=f"redis://:{locked_server.password}@127.0.0.1:{locked_server.port}")

    commands = (("run", "b.yaml", "-v"), ("--debug", "cache", "stats"))
    said = [machine_of(*arguments) for machine_of in (right, wrong) for arguments in commands]
    said.append(spoilt("--debug", "cache", "stats"))

    assert said[0].returncode == 0, said[0].stderr
    assert "3 cached responses" in said[1].stdout
    assert "lets nobody in" in said[2].stderr
    assert "lets nobody in" in said[3].stderr
    assert "REDIS_URL: not an address" in said[4].stderr
    texts = [done.stdout + done.stderr for done in said]
    texts += [
        p.read_bytes().decode("utf-8", "replace") for m in (right, wrong) for p in m.folder.rglob("*") if p.is_file()
    ]
    for text in texts:
        assert secret not in text
        assert locked_server.password not in text


def test_a_run_from_the_cache_asks_the_server_for_many_replies_at_once(server, tmp_path):
    settings = {"cache": "redis", "caches": {"redis": {"url": server.url}}}
    benchmark = make_benchmark(50, scorers=["fake_scorer"], concurrency=50)
    for _run in range(2):
        with server.client() as client:
            client.config_resetstat()
        session = session_with(ScriptedProvider(), Content(), plugin, cwd=tmp_path, settings=settings)
        cases = session.run(benchmark).results[0].cases

    assert [run.cached for case in cases for run in case.runs] == [True] * 50
    with server.client() as client:
        assert client.info("commandstats")["cmdstat_mget"]["calls"] <= 10


def test_a_server_that_restarts_in_the_middle_of_a_run_costs_nothing(own_server, tmp_path):
    asked = []

    def answer(request):
        asked.append(request)
        if len(asked) == 5:
            own_server.stop()
            own_server.start()
        return "ok"

    said = []
    settings = {"cache": "redis", "caches": {"redis": {"url": own_server.url, "restart_s": 60}}}
    parts = (Content(), plugin)
    session = session_with(ScriptedProvider(answer), *parts, cwd=tmp_path, settings=settings, warn=said.append)

    record = session.run(make_benchmark(10, scorers=["fake_scorer"], concurrency=1))

    assert [case.status for case in record.results[0].cases] == ["scored"] * 10
    assert said == []
    assert session.cache().stats().entries == 10
    again = session_with(ScriptedProvider("not asked"), *parts, cwd=tmp_path, settings=settings, warn=said.append)
    cases = again.run(make_benchmark(10, scorers=["fake_scorer"])).results[0].cases
    assert [run.cached for case in cases for run in case.runs] == [True] * 10


def test_a_server_that_goes_for_good_in_the_middle_of_a_run_loses_no_result(own_server, tmp_path):
    asked = []

    def answer(request):
        asked.append(request)
        if len(asked) == 5:
            own_server.stop()
        return "ok"

    said = []
    settings = {"cache": "redis", "caches": {"redis": {"url": own_server.url, "restart_s": 0.1}}}
    session = session_with(
        ScriptedProvider(answer), Content(), plugin, cwd=tmp_path, settings=settings, warn=said.append
    )

    record = session.run(make_benchmark(10, scorers=["fake_scorer"], concurrency=1))

    assert [case.status for case in record.results[0].cases] == ["scored"] * 10
    assert len(asked) == 10
    (line,) = [line for line in said if "cache" in line]
    assert line.startswith("Could not write the response cache (cache 'redis' of plugin ")
    assert line.endswith("; continuing.")
