"""How long a server asks to wait: every legal form, every broken one, and which is believed first."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from steelyard_builtins.providers._waiting import asked_wait_s, seconds_of_retry_after


def in_20_s(form: str) -> str:
    moment = datetime.now(UTC) + timedelta(seconds=20)
    return {
        "http": moment.strftime("%a, %d %b %Y %H:%M:%S GMT"),
        "offset": format_datetime(moment.astimezone(UTC)),
        "no zone": moment.strftime("%a, %d %b %Y %H:%M:%S -0000"),
        "other zone": (moment + timedelta(hours=2)).strftime("%a, %d %b %Y %H:%M:%S +0200"),
        "rfc 850": moment.strftime("%A, %d-%b-%y %H:%M:%S GMT"),
        "asctime": moment.strftime("%a %b %d %H:%M:%S %Y"),
    }[form]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), (" 7 ", 7), ("0.5", 0.5), (".5", 0.5), ("7.", 7), ("86400", 86400), ("007", 7)],
)
def test_seconds_are_read_with_or_without_a_fraction(value: str, seconds: float) -> None:
    assert seconds_of_retry_after(value) == seconds


@pytest.mark.parametrize("form", ["http", "offset", "no zone", "other zone", "rfc 850", "asctime"])
def test_a_date_is_the_seconds_until_then(form: str) -> None:
    assert seconds_of_retry_after(in_20_s(form)) == pytest.approx(20, abs=2)


def test_a_date_without_a_zone_is_that_of_greenwich_wherever_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(time, "tzset"):
        pytest.skip("the zone of a process cannot be changed here")
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        seconds = seconds_of_retry_after(in_20_s("no zone"))
    time.tzset()

    assert seconds == pytest.approx(20, abs=2)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "  ",
        "soon",
        "-5",
        "0",
        "0.0",
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "Wed, 21 Oct 2015 07:28:00 -0000",
        "Wed, 99 Oct 2999 07:28:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 -1400",
        "nan",
        "inf",
        "1e5",
        "1_000",
        "7, 7",
        "9" * 400,
        "\u0667",
        "Wed,",
        "\x00",
    ],
)
def test_the_past_and_nonsense_ask_for_nothing(value: str | None) -> None:
    assert seconds_of_retry_after(value) is None


def test_milliseconds_are_believed_before_seconds() -> None:
    assert asked_wait_s({"retry-after-ms": "1500", "retry-after": "3"}, {}) == 1.5


@pytest.mark.parametrize("value", ["", "soon", "-1", "0", "nan"])
def test_seconds_are_read_where_milliseconds_are_nonsense(value: str) -> None:
    assert asked_wait_s({"retry-after-ms": value, "retry-after": "3"}, {}) == 3


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"availability": {"retry_after": 40}}, 40),
        ({"metadata": {"retry_after": 2.5}}, 2.5),
        ({"retry_after": "12"}, 12),
        ({"availability": {"retry_after": -1}, "retry_after": 4}, 4),
    ],
)
def test_a_wait_in_the_body_counts_where_no_header_asks(error: Any, seconds: float) -> None:
    assert asked_wait_s({}, error) == seconds
    assert asked_wait_s({"retry-after": "9"}, error) == 9


@pytest.mark.parametrize("where", ["header", "metadata"])
def test_a_reset_in_milliseconds_since_1970_is_the_seconds_until_then(where: str) -> None:
    reset = str(int((time.time() + 20) * 1000))
    headers = {"x-ratelimit-reset": reset} if where == "header" else {}
    error = {"metadata": {"headers": {"X-RateLimit-Reset": reset}}} if where == "metadata" else {}

    assert asked_wait_s(headers, error) == pytest.approx(20, abs=2)


@pytest.mark.parametrize("value", ["120", "1700000000", "1000000000000", "6m0s", "", "-1", "9" * 400])
def test_a_reset_that_is_past_or_means_something_else_asks_for_nothing(value: str) -> None:
    assert asked_wait_s({"x-ratelimit-reset": value}, {}) is None


@pytest.mark.parametrize("error", [None, [], "x", 5, {"retry_after": True}, {"retry_after": {}}, {"metadata": []}])
def test_any_error_object_may_say_nothing(error: Any) -> None:
    assert asked_wait_s({}, error) is None
