"""Whether to try a failed call again, and after how long.

Pure functions of the attempt and the error, so that the waiting itself, which is the caller's, can be tested without
a clock. The numbers are promises to users: 1, 2, 4 s for a failure that may pass; 5, 10, 20 s and up to 1 s of jitter
for a rate limit, or what the server asks for, up to 60 s.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..errors import ProviderError
from .plan import CallPolicy

RATE_LIMITED = 429
RATE_LIMIT_FACTOR = 5
LONGEST_WAIT_S = 60.0
"""A server may ask for a day; nobody waits for that."""

Random = Callable[[], float]
"""Gives numbers from 0 to 1, like ``random.random``."""


def wait_before(attempt: int, error: ProviderError, policy: CallPolicy, random: Random) -> float | None:
    """Return the seconds to wait before the next attempt, or ``None`` when there is to be none.

    Args:
        attempt: How many attempts were made, the failed one included; at least 1.
        error: What the last one failed with.
        policy: How patient to be.
        random: Where the jitter comes from.
    """
    if error.exhausted or not error.retryable or attempt > policy.retries:
        return None
    return pause_after(attempt, error, policy, random)


def pause_after(attempt: int, error: ProviderError, policy: CallPolicy, random: Random) -> float:
    """Return the seconds for which a server that failed like this should be left alone. Never negative."""
    asked = asked_wait(error)
    # Beyond the 30th doubling every wait is at its cap; the bound keeps the power from overflowing.
    wait = policy.backoff_s * 2.0 ** min(attempt - 1, 30)
    if error.status == RATE_LIMITED:
        jitter = policy.backoff_s * random()
        return _capped(RATE_LIMIT_FACTOR * wait + jitter if asked is None else asked)
    return _capped(wait if asked is None else max(wait, asked))


def asked_wait(error: ProviderError) -> float | None:
    """Return the seconds that the server asked to wait; ``None`` for nothing, or for what makes no sense."""
    wait = error.retry_after_s
    if wait is None or isinstance(wait, bool) or not math.isfinite(wait) or wait < 0:
        return None
    return float(wait)


def final_message(error: ProviderError, attempts: int) -> str:
    """Say what a call failed with in the end, how often it was tried, and what helps against a rate limit."""
    if not error.retryable or error.exhausted:
        return error.message
    if error.status == RATE_LIMITED:
        return (
            f"{error.message}; still rate-limited after {attempts} attempt(s): retry later, lower the concurrency "
            "or add a paid model"
        )
    return f"{error.message}; gave up after {attempts} attempt(s)"


def _capped(wait: float) -> float:
    return min(max(wait, 0.0), LONGEST_WAIT_S)
