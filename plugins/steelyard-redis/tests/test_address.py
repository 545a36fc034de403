from __future__ import annotations

import pytest
import steelyard_redis as plugin
from steelyard_redis import RedisSettings
from steelyard_redis.address import DEFAULT, address_of

from steelyard.errors import UsageError
from steelyard.testing import make_context

(SPEC,) = plugin.steelyard_register_caches()


def test_the_settings_come_before_the_environment_and_both_before_the_default():
    environ = {"REDIS_URL": "redis://from-environment", "OTHER_URL": "redis://other"}

    assert address_of("redis://said", "REDIS_URL", None, environ).shown == "redis://said:6379/0"
    assert address_of(None, "REDIS_URL", None, environ).shown == "redis://from-environment:6379/0"
    assert address_of(None, "OTHER_URL", None, environ).shown == "redis://other:6379/0"
    assert address_of(None, "REDIS_URL", None, {"REDIS_URL": " "}).shown == DEFAULT


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://cache.example.org", "redis://cache.example.org:6379/0"),
        ("rediss://u:p@cache.example.org:7000/3?ssl_cert_reqs=none", "rediss://cache.example.org:7000/3"),
        ("redis://h?db=4", "redis://h:6379/4"),
        ("redis://[::1]:7000", "redis://[::1]:7000/0"),
        ("unix://:p@/run/redis.sock?db=1", "unix:///run/redis.sock"),
    ],
)
def test_what_is_shown_is_where_the_server_is_and_not_how_to_get_in(url, shown):
    assert address_of(url, "REDIS_URL", None, {}).shown == shown


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("cache.example.org:6379", "must begin with redis://, rediss:// or unix://"),
        ("http://s3cret@cache", "must begin with redis://, rediss:// or unix://"),
        ("redis://:s3cret/1@cache", "not an address; write redis://HOST:PORT/DB, special characters as %.."),
        ("redis://cache/s3cret", "what follows the host must be a database's number, as in 'redis://127.0.0.1:6379/0'"),
        ("redis://cache?password=s3cret", "'password' may not follow the '?'"),
        ("redis://cache?decode_responses=true", "'decode_responses' may not follow the '?'"),
        ("unix://", "must name the socket"),
    ],
)
def test_what_is_no_address_is_refused_without_being_quoted(url, message):
    with pytest.raises(UsageError) as raised:
        SPEC.create(RedisSettings(url=url), make_context())

    assert str(raised.value).startswith("caches.redis: url: ")
    assert message in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_the_variable_that_holds_a_wrong_address_is_named():
    with pytest.raises(UsageError, match=r"^REDIS_URL: must begin with"):
        SPEC.create(RedisSettings(), make_context(environ={"REDIS_URL": "cache:6379"}))


def test_a_password_that_is_to_be_in_the_environment_must_be_there():
    with pytest.raises(UsageError, match="CACHE_PASSWORD is not set; 'password_env' says that it holds the password"):
        SPEC.create(RedisSettings(password_env="CACHE_PASSWORD"), make_context())


def test_an_empty_prefix_is_refused():
    with pytest.raises(UsageError, match="'prefix' must not be empty"):
        SPEC.create(RedisSettings(prefix=""), make_context())


def test_the_password_is_hidden_from_all_that_the_host_shows():
    hidden = []

    SPEC.create(RedisSettings(url="redis://:p%40ss-word@cache"), make_context(hide=hidden.append))

    assert hidden == ["p@ss-word"]
