from __future__ import annotations

import pytest
import steelyard_redis as plugin
from steelyard_redis import RedisSettings

from steelyard.testing import cache_checks

(SPEC,) = plugin.steelyard_register_caches()


def checks(server=None):
    """The kit's checks; each is made anew for the server that it is to use."""

    def damage(_folder):
        with server.client() as client:
            for name in client.keys("steelyard:*"):
                client.set(name, b"not an entry")

    settings = RedisSettings(url=server.url) if server else RedisSettings()
    return {str(check): check for check in cache_checks(SPEC, settings=settings, damage=damage)}


@pytest.mark.parametrize("promise", checks())
def test_the_cache_keeps_the_contract(server, promise):
    checks(server)[promise]()


@pytest.mark.parametrize(
    "promise", ["another process sees the entries", "several come back together as they would alone"]
)
def test_the_cache_keeps_the_contract_behind_a_password(locked_server, promise):
    settings = RedisSettings(url=locked_server.url.replace("%", "%25").replace("/1@", "%2F1@"))
    (check,) = [check for check in cache_checks(SPEC, settings=settings) if str(check) == promise]

    check()
