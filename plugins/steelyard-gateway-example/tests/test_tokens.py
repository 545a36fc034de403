from __future__ import annotations

import asyncio

import pytest
from steelyard_gateway_example.tokens import Token, Tokens


class Endpoint:
    """Gives a new token each time, on a clock that a test sets."""

    def __init__(self, lifetime_s=3600.0):
        self.now = 1000.0
        self.lifetime_s = lifetime_s
        self.fetched = 0
        self.failing = False

    async def fetch(self):
        self.fetched += 1
        number = self.fetched
        await asyncio.sleep(0)
        if self.failing:
            raise OSError("the endpoint is away")
        return Token(f"token-{number}", self.lifetime_s)

    def tokens(self):
        return Tokens(self.fetch, now=lambda: self.now)


def test_nothing_is_fetched_before_somebody_asks():
    endpoint = Endpoint()

    endpoint.tokens()

    assert endpoint.fetched == 0


@pytest.mark.parametrize(
    ("lifetime_s", "still_good", "renewed"),
    [
        (3600, 3539, 3541),  # a minute before its end
        (300, 269, 271),  # a tenth of a short life before its end: 30 s
        (600, 539, 541),  # where both are the same: 60 s
    ],
)
def test_a_token_is_renewed_before_it_ends(lifetime_s, still_good, renewed):
    async def run():
        endpoint = Endpoint(lifetime_s)
        tokens = endpoint.tokens()
        got = [await tokens.get()]
        for age in (still_good, renewed):
            endpoint.now = 1000.0 + age
            got.append(await tokens.get())
        return got

    assert asyncio.run(run()) == ["token-1", "token-1", "token-2"]


def test_all_who_ask_at_once_share_one_fetch():
    async def run():
        endpoint = Endpoint()
        tokens = endpoint.tokens()
        return await asyncio.gather(*(tokens.get() for _ in range(50))), endpoint.fetched

    got, fetched = asyncio.run(run())

    assert set(got) == {"token-1"}
    assert fetched == 1


def test_all_whose_token_is_refused_at_once_share_one_renewal():
    async def run():
        endpoint = Endpoint()
        tokens = endpoint.tokens()
        old = await tokens.get()
        return await asyncio.gather(*(tokens.get(refused=old) for _ in range(50))), endpoint.fetched

    got, fetched = asyncio.run(run())

    assert set(got) == {"token-2"}
    assert fetched == 2


def test_a_failed_fetch_leaves_the_next_one_free_to_succeed():
    async def run():
        endpoint = Endpoint()
        tokens = endpoint.tokens()
        endpoint.failing = True
        with pytest.raises(OSError, match="away"):
            await tokens.get()
        endpoint.failing = False
        return await tokens.get()

    assert asyncio.run(run()) == "token-2"


def test_a_token_does_not_show_itself():
    assert "token-1" not in repr(Token("token-1", 60))
