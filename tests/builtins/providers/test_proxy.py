"""Which proxy is used, and that this machine is never reached through one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from steelyard_builtins.providers._http import HttpClient
from steelyard_builtins.providers._proxy import proxy_for

from steelyard.errors import UsageError
from steelyard.testing.fake_api import FakeAPI

PROXY = "http://proxy.test:3128"


@pytest.mark.parametrize(
    ("url", "environ", "wanted"),
    [
        ("https://api.test/v1", {}, None),
        ("https://api.test/v1", {"HTTPS_PROXY": PROXY}, PROXY),
        ("https://api.test/v1", {"https_proxy": PROXY, "HTTPS_PROXY": "http://other:1"}, PROXY),
        ("https://api.test/v1", {"HTTP_PROXY": PROXY}, None),
        ("http://api.test/v1", {"HTTP_PROXY": PROXY}, PROXY),
        ("https://api.test/v1", {"ALL_PROXY": PROXY}, PROXY),
        ("https://api.test/v1", {"https_proxy": "proxy.test:3128"}, PROXY),
        ("https://api.test/v1", {"https_proxy": "  "}, None),
    ],
)
def test_the_proxy_is_the_one_that_the_environment_names_for_the_scheme(
    url: str, environ: dict[str, str], wanted: str | None
) -> None:
    assert proxy_for(url, environ) == wanted


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "api.localhost", "127.0.0.1", "127.9.9.9", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"],
)
def test_this_machine_is_never_reached_through_a_proxy(host: str) -> None:
    assert proxy_for(f"http://{host}:11434/v1", {"HTTP_PROXY": PROXY, "ALL_PROXY": PROXY}) is None


@pytest.mark.parametrize(
    ("exceptions", "is_used"),
    [
        ("*", False),
        ("api.test", False),
        ("test", False),
        (".test", False),
        ("*.test", False),
        ("other, API.TEST ", False),
        ("api.test:443", True),
        ("api.test:8443", False),
        ("pi.test", True),
        ("api.test.example", True),
        ("", True),
    ],
)
def test_no_proxy_names_hosts_and_domains(exceptions: str, is_used: bool) -> None:
    found = proxy_for("https://api.test:8443/v1", {"HTTPS_PROXY": PROXY, "NO_PROXY": exceptions})

    assert (found is not None) is is_used


@pytest.mark.parametrize(
    ("network", "is_used"), [("10.0.0.0/8", False), ("192.168.0.0/16", True), ("nonsense/8", True)]
)
def test_no_proxy_names_address_ranges(network: str, is_used: bool) -> None:
    found = proxy_for("http://10.1.2.3/v1", {"http_proxy": PROXY, "no_proxy": network})

    assert (found is not None) is is_used


def test_a_kind_of_proxy_that_is_not_supported_is_refused_without_its_password() -> None:
    with pytest.raises(UsageError, match="'socks5' proxy is not supported") as raised:
        proxy_for("https://api.test/v1", {"https_proxy": "socks5://me:secret@proxy.test"})

    assert "secret" not in str(raised.value)


def test_a_request_goes_to_the_proxy_with_the_whole_address_and_its_password(context: Any) -> None:
    with FakeAPI() as proxy:
        address = proxy.origin.replace("http://", "http://me:secret@")
        url = "http://far.test/v1/chat/completions"
        client = HttpClient("x", url, context({"http_proxy": address}))

        async def send() -> int:
            reply = await client.send("POST", url, headers={}, body=b"{}", timeout_s=5)
            await client.close()
            return reply.status

        assert asyncio.run(send()) == 200
        assert proxy.requests[0].target == url
        assert proxy.requests[0].headers["host"] == "far.test"
        assert proxy.requests[0].headers["proxy-authorization"] == "Basic bWU6c2VjcmV0"
