"""How long a server asks to wait, in every form in which servers say it.

Headers are the first to be believed, in the order in which the makers of the APIs read them; then the body. Whatever is
no positive, finite number of seconds counts as nothing said, and then the host's own back-off applies.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from ._json import at, mapping_of

LONGEST_S = 1e9
"""A longer wait is no wait that anybody meant."""

_SECONDS = re.compile(r"\d{1,9}(\.\d*)?|\.\d+", re.ASCII)
_EPOCH_MS = re.compile(r"\d{13}", re.ASCII)


def asked_wait_s(headers: Mapping[str, str], error: object) -> float | None:
    """Return the seconds that a reply asks to wait; ``None`` when it asks for nothing usable.

    Args:
        headers: The reply's headers, names in lower case.
        error: The error object of the body, or anything.
    """
    said = (
        _of_milliseconds(headers.get("retry-after-ms")),
        seconds_of_retry_after(headers.get("retry-after")),
        _positive(at(error, "availability", "retry_after")),
        _positive(at(error, "metadata", "retry_after")),
        _positive(at(error, "retry_after")),
        _until_reset(headers),
        _until_reset({name.lower(): str(value) for name, value in _metadata_headers(error).items()}),
    )
    return next((seconds for seconds in said if seconds is not None), None)


def seconds_of_retry_after(value: str | None) -> float | None:
    """Read a ``Retry-After``: seconds, also with a fraction, or an HTTP date. ``None`` for the past and nonsense."""
    text = (value or "").strip()
    if not text:
        return None
    if _SECONDS.fullmatch(text):
        return _positive(float(text))
    return _until_date(text)


def _until_date(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
        # An offset of -0000 says "UTC, by whom is unknown" and is read without any time zone.
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return _positive(moment.timestamp() - time.time())
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return None


def _of_milliseconds(value: str | None) -> float | None:
    text = (value or "").strip()
    return _positive(float(text) / 1000) if _SECONDS.fullmatch(text) else None


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """Read ``X-RateLimit-Reset`` where it is a moment in milliseconds; elsewhere the name means other things."""
    text = headers.get("x-ratelimit-reset", "").strip()
    return _positive(int(text) / 1000 - time.time()) if _EPOCH_MS.fullmatch(text) else None


def _metadata_headers(error: object) -> Mapping[str, object]:
    return mapping_of(at(error, "metadata", "headers"))


def _positive(value: object) -> float | None:
    if isinstance(value, str) and _SECONDS.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 < value < LONGEST_S else None
