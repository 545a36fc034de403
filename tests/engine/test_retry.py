from __future__ import annotations

import math
from typing import Any

import pytest

from steelyard._engine.plan import CallPolicy
from steelyard._engine.retry import final_message, wait_before
from steelyard.errors import ProviderError

POLICY = CallPolicy(retries=3, backoff_s=1.0)


def failing(status: int | None = 503, **fields: Any) -> ProviderError:
    return ProviderError("it failed", **{"retryable": True, "status": status, **fields})


def waits(error: ProviderError, policy: CallPolicy = POLICY, random: float = 0.0) -> list[float | None]:
    return [wait_before(attempt, error, policy, lambda: random) for attempt in (1, 2, 3, 4)]


def test_a_passing_failure_waits_1_2_4_seconds_and_is_then_final() -> None:
    assert waits(failing()) == [1.0, 2.0, 4.0, None]


def test_a_rate_limit_waits_5_10_20_seconds() -> None:
    assert waits(failing(429)) == [5.0, 10.0, 20.0, None]


def test_a_rate_limit_adds_up_to_a_second_so_that_workers_do_not_return_in_step() -> None:
    assert waits(failing(429), random=1.0) == [6.0, 11.0, 21.0, None]


def test_all_waits_scale_with_the_backoff() -> None:
    policy = CallPolicy(retries=3, backoff_s=0.5)
    assert waits(failing(), policy) == [0.5, 1.0, 2.0, None]
    assert waits(failing(429), policy, random=1.0) == [3.0, 5.5, 10.5, None]


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (0.5, 0.5), (0.0, 0.0), (86400.0, 60.0)])
def test_a_rate_limit_waits_as_long_as_the_server_asks_up_to_a_minute(asked: float, waited: float) -> None:
    assert wait_before(1, failing(429, retry_after_s=asked), POLICY, lambda: 0.9) == waited


@pytest.mark.parametrize("nonsense", [-5.0, math.nan, math.inf, -math.inf, True])
def test_a_wait_that_makes_no_sense_is_no_wait_asked_for(nonsense: float) -> None:
    assert wait_before(1, failing(429, retry_after_s=nonsense), POLICY, lambda: 0.0) == 5.0


def test_an_overloaded_server_that_asks_for_time_gets_at_least_that() -> None:
    assert waits(failing(503, retry_after_s=3.0)) == [3.0, 3.0, 4.0, None]


def test_a_final_failure_is_not_tried_again() -> None:
    assert waits(failing(401, retryable=False)) == [None] * 4


def test_a_spent_quota_is_not_tried_again_whatever_else_the_reply_says() -> None:
    assert waits(failing(429, exhausted=True, retry_after_s=1.0)) == [None] * 4


def test_without_retries_the_first_failure_is_final() -> None:
    assert wait_before(1, failing(), CallPolicy(retries=0), lambda: 0.0) is None


def test_no_number_of_retries_makes_a_wait_longer_than_a_minute() -> None:
    assert wait_before(5000, failing(), CallPolicy(retries=10_000), lambda: 0.0) == 60.0


def test_a_rate_limit_that_lasts_tells_what_helps() -> None:
    message = final_message(failing(429), 4)
    assert message.startswith("it failed")
    for part in ("rate-limited after 4 attempt(s)", "retry later", "lower the concurrency", "add a paid model"):
        assert part in message


def test_other_failures_tell_how_often_they_were_tried() -> None:
    assert final_message(failing(), 4).endswith("after 4 attempt(s)")


def test_what_was_never_tried_again_says_only_what_was_wrong() -> None:
    assert final_message(failing(401, retryable=False), 1) == "it failed"
