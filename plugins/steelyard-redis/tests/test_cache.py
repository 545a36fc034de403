from __future__ import annotations

import socket
import time
from types import SimpleNamespace
from urllib.parse import quote

import pytest
import steelyard_redis as plugin
from steelyard_redis import RedisSettings

from steelyard.testing import make_context

(SPEC,) = plugin.steelyard_register_caches()
KEY, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def cache_of():
    """Make caches, and close them."""
    made = []

    def make(url, environ=None, **settings):
        cache = SPEC.create(RedisSettings(url=url, **settings), make_context(environ=environ or {}))
        made.append(cache)
        return cache

    yield make
    for cache in made:
        cache.close()


def test_a_reply_is_forgotten_when_its_time_is_over(cache_of, server):
    cache = cache_of(server.url, ttl_s=0.2)
    cache.put(KEY, b"value")

    deadline = time.monotonic() + 60
    while cache.get(KEY) is not None:
        assert time.monotonic() < deadline, "it is still there after a minute"
        time.sleep(0.05)
    assert cache.stats().entries == 0


def test_the_time_of_a_reply_is_counted_from_when_it_was_put_last(cache_of, server):
    cache = cache_of(server.url, ttl_s=3600)
    with server.client() as client:
        cache.put(KEY, b"value")
        client.pexpire(f"steelyard:{KEY}", 60_000)  # as if 59 minutes had passed
        cache.get(KEY)
        assert client.pttl(f"steelyard:{KEY}") <= 60_000

        cache.put(KEY, b"value")

        assert 3_500_000 < client.pttl(f"steelyard:{KEY}") <= 3_600_000


def test_without_a_time_a_reply_stays(cache_of, server):
    cache_of(server.url).put(KEY, b"value")

    with server.client() as client:
        assert client.ttl(f"steelyard:{KEY}") == -1  # what Redis answers for a key without an end


# Characters that mean something to SCAN, and a prefix that is the beginning of another.
@pytest.mark.parametrize("prefix", ["steelyard:", "we*ird[1-2]?^\\:", "é 🎯:", "team"])
def test_clear_and_stats_and_prune_leave_the_keys_of_others_alone(cache_of, server, prefix):
    others = {
        "session:1": b"x",
        f"{prefix}settings": b"x",
        f"{prefix}{'g' * 64}": b"x",  # no hexadecimal digits
        f"{prefix}b:{KEY}": b"x",  # another cache's, whose prefix begins like this one
        f"weXird1X:{KEY}": b"x",
        KEY: b"x",
    }
    with server.client() as client, server.client(1) as other_database:
        client.mset(others)
        other_database.set(f"{prefix}{KEY}", b"x")
        cache = cache_of(server.url, prefix=prefix)
        cache.put(KEY, b"value")
        cache.put(OTHER, b"value")

        assert cache.stats().entries == 2
        assert cache.prune(-60) == 2  # put more than minus one minute ago: all
        cache.put(KEY, b"value")
        assert cache.clear() == 1

        assert {name: client.get(name) for name in others} == others
        assert client.dbsize() == len(others)
        assert other_database.dbsize() == 1


def test_thousands_of_entries_are_counted_and_cleared_exactly(cache_of, server):
    cache = cache_of(server.url)
    with server.client() as client:
        client.mset({f"steelyard:{number:064x}": b"x" for number in range(5000)})
        client.mset({f"other:{number}": b"x" for number in range(5000)})

        assert cache.stats().entries == 5000
        assert cache.clear() == 5000
        assert client.dbsize() == 5000


@pytest.mark.parametrize(
    "put",
    [
        lambda client, name: client.set(name, b"not an entry, but long enough for one"),
        lambda client, name: client.set(name, b"short"),
        lambda client, name: client.rpush(name, b"of another type"),
    ],
    ids=["foreign", "short", "another type"],
)
def test_what_something_else_put_there_counts_as_absent_and_is_replaced(cache_of, server, put):
    cache = cache_of(server.url)
    with server.client() as client:
        put(client, f"steelyard:{KEY}")
    cache.put(OTHER, b"other")

    assert cache.get(KEY) is None
    assert cache.get_many([KEY, OTHER]) == {OTHER: b"other"}
    assert cache.prune(-60) == 1  # its age is not known, so it stays
    cache.put(KEY, b"value")
    assert cache.get(KEY) == b"value"


def test_two_prefixes_are_two_caches(cache_of, server):
    one, two = cache_of(server.url, prefix="one:"), cache_of(server.url, prefix="two:")

    one.put(KEY, b"value")

    assert two.get(KEY) is None
    assert two.clear() == 0
    assert one.get(KEY) == b"value"


def test_nothing_is_connected_before_it_is_needed(cache_of, nobody):
    cache_of(nobody)


def test_a_server_that_is_away_is_told_at_once_and_in_one_line(cache_of, nobody):
    cache = cache_of(nobody, restart_s=3600)

    with pytest.raises(ConnectionError) as raised:
        cache.get(KEY)

    assert str(raised.value) == (f"{nobody}: connection refused; start the server, or correct caches.redis: url")


def test_a_server_that_does_not_answer_is_given_up_in_time(cache_of):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cache = cache_of(f"redis://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.2)

        with pytest.raises(TimeoutError, match=r"no answer within 0\.2 s; check caches\.redis: url"):
            cache.put(KEY, b"value")


def test_a_server_that_restarts_is_waited_for(cache_of, own_server):
    cache = cache_of(own_server.url, restart_s=60)
    cache.put(KEY, b"value")

    own_server.stop()
    own_server.start()

    assert cache.get(KEY) == b"value"


def test_a_server_that_stays_away_is_waited_for_once(cache_of, own_server, monkeypatch):
    waits = []
    clock = SimpleNamespace(monotonic=lambda: sum(waits), sleep=waits.append, time=time.time)
    monkeypatch.setattr("steelyard_redis.server.time", clock)
    cache = cache_of(own_server.url, restart_s=2)
    cache.put(KEY, b"value")
    own_server.stop()

    for _call in range(2):
        with pytest.raises(ConnectionError):
            cache.get(KEY)

    # Twice as long each time; another 1 s would make 2.55 s. The second call waits for nothing.
    assert waits == [0.05, 0.1, 0.2, 0.4, 0.8]


def test_a_cache_that_was_closed_can_be_used_again(cache_of, server):
    cache = cache_of(server.url)
    cache.put(KEY, b"value")

    cache.close()

    assert cache.get(KEY) == b"value"


def test_a_server_without_room_says_so(cache_of, own_server):
    cache = cache_of(own_server.url)
    with own_server.client() as client:
        client.config_set("maxmemory", "1")

    with pytest.raises(OSError, match="command not allowed when used memory"):
        cache.put(KEY, b"value")


@pytest.mark.parametrize("wrong", [None, "wrong-guess"])
def test_a_server_that_lets_nobody_in_is_not_waited_for(cache_of, locked_server, wrong):
    user = f":{wrong}@" if wrong else ""
    cache = cache_of(f"redis://{user}127.0.0.1:{locked_server.port}/0", restart_s=3600)

    with pytest.raises(PermissionError) as raised:
        cache.get(KEY)

    assert str(raised.value).startswith(f"{locked_server.shown}: the server lets nobody in like this (")
    assert "wrong-guess" not in str(raised.value)


def test_a_server_that_no_longer_lets_us_in_is_not_waited_for_either(cache_of, own_server, monkeypatch):
    waits = []
    clock = SimpleNamespace(monotonic=lambda: sum(waits), sleep=waits.append, time=time.time)
    monkeypatch.setattr("steelyard_redis.server.time", clock)
    cache = cache_of(own_server.url, restart_s=3600)
    cache.put(KEY, b"value")
    with own_server.client() as client:
        client.config_set("requirepass", "a new one")
        client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    with pytest.raises(PermissionError, match="lets nobody in"):
        cache.get(KEY)

    assert len(waits) <= 1  # for the connection that was cut, which may be found out while it is used


def test_the_password_may_stand_in_the_address_or_in_a_variable_of_its_own(cache_of, locked_server):
    in_address = cache_of(f"redis://:{quote(locked_server.password, safe='')}@127.0.0.1:{locked_server.port}")
    in_variable = cache_of(
        locked_server.shown, {"CACHE_PASSWORD": locked_server.password}, password_env="CACHE_PASSWORD"
    )

    in_address.put(KEY, b"value")

    assert in_variable.get(KEY) == b"value"
    for cache in (in_address, in_variable):
        assert cache.stats().place == f"{locked_server.shown}, keys steelyard:*"
