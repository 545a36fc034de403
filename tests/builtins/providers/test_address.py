"""Headers and fingerprints, as far as no socket is needed to see them."""

from __future__ import annotations

import pytest
from steelyard_builtins.providers._address import fingerprint_of, merged, without_secrets


def test_of_a_header_given_twice_in_any_case_the_last_is_sent() -> None:
    assert merged({"Authorization": "Bearer a", "Accept": "x"}, {"AUTHORIZATION": "Bearer b"}) == {
        "AUTHORIZATION": "Bearer b",
        "Accept": "x",
    }


@pytest.mark.parametrize(
    "name",
    ["Authorization", "x-api-key", "X-Goog-Api-Key", "Cookie", "X-Session-Token", "Proxy-Authorization", "X-Secret"],
)
def test_a_header_that_may_hold_a_secret_is_kept_out_of_fingerprints(name: str) -> None:
    assert without_secrets({name: "hush", "X-Plain": "fine"}) == {"x-plain": "fine"}


def test_what_json_cannot_hold_still_has_a_fingerprint() -> None:
    one, other = (fingerprint_of("http://x", {}, {"top_p": value}) for value in (float("nan"), float("inf")))

    assert one != other
