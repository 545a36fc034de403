"""What a provider returned, made safe to work with, and how it is kept in the cache.

A provider may return anything. Counts and costs that make no sense become unknown, which is said; what is no answer at
all is the plugin's fault and is said to be. A cached entry may be anything, too: what does not have the right shape was
never there.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeGuard, TypeVar

from ..api import NO_USAGE, Completion, Request, Usage
from .faults import BlamedError
from .plan import BoundModel

T = TypeVar("T")

KEPT = 1
"""The version of the cached shape; another one counts as absent."""
# Made once: json.dumps makes an encoder each time, which takes longer than to encode a short value.
_SORTED = json.JSONEncoder(sort_keys=True).encode
_ENTRY = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
USAGE_FIELDS = tuple(field.name for field in dataclasses.fields(Usage))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer and what it took."""

    completion: Completion
    cost_usd: float | None
    """What the answer costs: what the provider charged, or what its price comes to. ``None`` when nobody knows."""
    spent_usd: float | None
    """What was paid for it now: 0.0 when it came from the cache."""
    latency_ms: float | None
    """Of the call that brought it, also when that was another run's."""
    attempts: int
    cached: bool = False

    def again(self) -> Reply:
        """Return the same answer as somebody gets it who pays nothing for it."""
        return dataclasses.replace(self, cached=True, attempts=0, spent_usd=0.0)


Doubt = Callable[[str, str], None]
"""Hears of a field that makes no sense: its name, and what is wrong with it."""


def checked(value: object, model: BoundModel, doubt: Doubt = lambda _field, _what: None) -> Completion:
    """Return what a provider answered, without secrets and with sane numbers; ``doubt`` hears of what is none.

    Raises ``BlamedError`` when it is no answer at all.
    """
    if not isinstance(value, Completion):
        said = f"{model.blame}: complete returned {type(value).__name__} instead of a Completion"
        raise BlamedError(said, cost_unknown=True)
    text = value.text
    if not isinstance(text, str):
        said = f"{model.blame}: complete returned a Completion whose text is {type(text).__name__}, not str"
        raise BlamedError(said, cost_unknown=True)
    return Completion(
        text=model.redact(text),
        usage=_sane_usage(value.usage, doubt),
        finish_reason=_redacted("finish_reason", value.finish_reason, model, doubt),
        cost_usd=_sane("cost_usd", value.cost_usd, amount, "amount", doubt),
        model=_redacted("model", value.model, model, doubt),
        problem=_redacted("problem", value.problem, model, doubt),
    )


def _redacted(field: str, text: object, model: BoundModel, doubt: Doubt) -> str | None:
    return _sane(field, text, lambda one: model.redact(one) if isinstance(one, str) else None, "text", doubt)


def _sane_usage(usage: object, doubt: Doubt) -> Usage:
    if not isinstance(usage, Usage):
        _sane("usage", usage, lambda _one: None, "Usage", doubt)
        return NO_USAGE
    counts = tuple(getattr(usage, name) for name in USAGE_FIELDS)
    if all(one is None or (type(one) is int and one >= 0) for one in counts):
        return usage
    fields = zip(USAGE_FIELDS, counts, strict=True)
    return Usage(**{name: _sane(name, one, count, "count", doubt) for name, one in fields})


def _sane(field: str, value: object, read: Callable[[object], T | None], kind: str, doubt: Doubt) -> T | None:
    """Return what ``read`` makes of a value, and tell of one that it makes nothing of."""
    if value is None:
        return None
    found = read(value)
    if found is None:
        doubt(field, f"{_shown(value)}, which is no {kind}; taken as unknown")
    return found


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception:
        return f"a {type(value).__name__}"


def count(value: object) -> int | None:
    """Return a number of tokens, or ``None`` for what is none."""
    if _is_count(value):
        return value
    number = None if isinstance(value, int) else amount(value)
    return None if number is None else int(number)


def amount(value: object) -> float | None:
    """Return a cost or a duration, or ``None`` for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def key_of(model: BoundModel, request: Request) -> str:
    """Return the cache key of a request: 64 hexadecimal digits, the same whatever order parameters stand in."""
    parts: dict[str, object] = {"provider": model.provider, "fingerprint": _canonical(model.fingerprint(request))}
    if request.parameters.seed is not None:
        parts["seed"] = request.parameters.seed
    if request.repeat:
        parts["repeat"] = request.repeat
    return hashlib.sha256(_SORTED(parts).encode("ascii")).hexdigest()


def _canonical(fingerprint: str) -> object:
    if not fingerprint.startswith(("{", "[")):
        return fingerprint
    try:
        return ["json", json.loads(fingerprint)]
    except (ValueError, RecursionError):
        return fingerprint


def packed(completion: Completion, *, priced_usd: float | None, latency_ms: float | None) -> bytes:
    """Return the bytes that the cache keeps of a good answer.

    Args:
        completion: The answer.
        priced_usd: What it cost when it was bought, where the provider did not say but a price list did.
        latency_ms: What the call took.
    """
    usage = {name: one for name in USAGE_FIELDS if (one := getattr(completion.usage, name)) is not None}
    entry = {
        "kept": KEPT,
        "text": completion.text,
        "finish_reason": completion.finish_reason,
        "model": completion.model,
        "usage": usage,
        "cost_usd": completion.cost_usd,
        "priced_usd": priced_usd,
        "latency_ms": latency_ms,
    }
    try:
        return _ENTRY(entry).encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair is no UTF-8; escaped it survives.
        return json.dumps(entry, allow_nan=False).encode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a cache entry holds."""

    completion: Completion
    priced_usd: float | None
    latency_ms: float | None


def unpacked(value: object) -> Kept | None:
    """Return what a cache entry holds, or ``None`` when it is damaged, foreign or empty."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        return None
    try:
        return _kept(json.loads(str(value, "utf-8")))
    except (ValueError, RecursionError):
        return None


def _kept(entry: object) -> Kept:
    """Return what an entry says. Raises ``ValueError`` when it is none."""
    if not (isinstance(entry, dict) and entry.get("kept") == KEPT and isinstance(entry.get("text"), str)):
        raise ValueError
    return Kept(
        completion=Completion(
            text=entry["text"],
            usage=_kept_usage(entry.get("usage")),
            finish_reason=_kept_text(entry.get("finish_reason")),
            cost_usd=_kept_amount(entry.get("cost_usd")),
            model=_kept_text(entry.get("model")),
        ),
        priced_usd=_kept_amount(entry.get("priced_usd")),
        latency_ms=_kept_amount(entry.get("latency_ms")),
    )


def _kept_usage(value: object) -> Usage:
    if not isinstance(value, dict):
        raise ValueError
    for name, one in value.items():
        if name not in USAGE_FIELDS or not _is_count(one):
            raise ValueError
    return Usage(**value)


def _kept_text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError
    return value


def _kept_amount(value: object) -> float | None:
    found = amount(value)
    if found is None and value is not None:
        raise ValueError
    return found


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0
