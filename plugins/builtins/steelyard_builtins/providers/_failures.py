"""What a failed HTTP reply means: its message, and whether asking again can help.

Servers put their errors in many places (an ``error`` object or text, ``detail``, a flat object, a list of one) and
their codes too (the status line, a number or digits in the body, a word). This module finds them and applies the rules
that all APIs share; what is particular to one of them is a subclass of :class:`Rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from steelyard.errors import ProviderError

from ._http import HttpReply
from ._json import EMPTY, BadJsonError, at, list_of, mapping_of, read_json, text_of
from ._secrets import presentable
from ._waiting import asked_wait_s

RETRYABLE = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Statuses that mean "not now" rather than "not like this"."""

UNAUTHORIZED = 401
RATE_LIMITED = 429
GOOD = range(200, 300)

STATUS_OF_WORD: Mapping[str, int] = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "timeout": 504,
    "timeout_error": 504,
    "server": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "api_error": 500,
    "unmapped": 500,
    "provider_unavailable": 502,
    "provider_overloaded": 503,
    "overloaded": 503,
    "unavailable_error": 503,
    "overloaded_error": 529,
    "authentication": 401,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "payment_required": 402,
    "billing_error": 402,
    "insufficient_quota": 429,
    "permission_denied": 403,
    "permission_error": 403,
    "not_found": 404,
    "not_found_error": 404,
    "invalid_request": 400,
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
}
"""The status that a word in ``code`` or ``type`` stands for, where no number says it."""

ADVICE: Mapping[int, str] = {
    402: "add credits, or lower max_tokens",
    404: "check the model's name and the base_url",
    413: "shorten the prompt",
}
"""What to do about a status, where that is always the same."""

_STATUSES = range(400, 600)
_STATUS_DIGITS = frozenset(str(status) for status in _STATUSES)
_DEEPEST_MESSAGE = 4


@dataclass(frozen=True, slots=True)
class Said:
    """What a server said about a failure."""

    message: str = ""
    status: int | None = None
    """What the body calls the status; ``None`` when it names none that is known."""
    code: str = ""
    """``error.code`` where it is a word."""
    kind: str = ""
    """``error.type``, or ``error_type``."""
    error: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    """The error object itself, empty when it is a plain text."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the failures of an API mean. The methods are what an API may see otherwise than the shared rules."""

    name: str
    """The provider's name, for messages."""
    secrets: tuple[str, ...] = ()
    """What must not be shown."""
    key_variable: str | None = None
    """Where the key comes from, for the advice when it is refused."""
    key_advice: str = "this server wants a key: set api_key_env"
    """The advice when no key was sent."""

    def is_spent(self, said: Said, status: int | None, reply: HttpReply) -> bool:
        """Whether quota or credit is used up, so that no further call can succeed today."""
        del said, reply
        return status == HTTPStatus.PAYMENT_REQUIRED

    def is_key_refused(self, said: Said, status: int | None) -> bool:
        """Whether it is the key that is refused."""
        del said
        return status == UNAUTHORIZED

    def is_retryable(self, said: Said, status: int | None) -> bool | None:
        """Return the API's own word on trying again; ``None`` when it has none."""
        del said, status
        return None

    def wait_s(self, said: Said) -> float | None:
        """Return a wait that the body asks for in the API's own way."""
        del said
        return None

    def message(self, said: Said) -> str:
        """Return the words to show for a failure."""
        return said.message

    def advice(self, said: Said, status: int | None) -> str:
        """Return what to do about a failure; empty when nothing but trying again would help."""
        del said
        return ADVICE.get(status or 0, "")

    def failure(self, reply: HttpReply, said: Said) -> ProviderError:
        """Make the error for a reply that says that it failed, whatever its status."""
        status = said.status if reply.status in GOOD else reply.status
        refused = self.is_key_refused(said, status)
        exhausted = refused or self.is_spent(said, status, reply)
        retryable = not exhausted and self._may_go_better(reply, said, status)
        wait_s = (self.wait_s(said) or asked_wait_s(reply.headers, said.error)) if retryable else None
        message = self._full_message(said, status, refused=refused)
        return ProviderError(message, retryable=retryable, retry_after_s=wait_s, status=status, exhausted=exhausted)

    def unreadable(self, reply: HttpReply, problem: str) -> ProviderError:
        """Make the error for a body that is no JSON: a proxy's page, or a server that stumbled while it wrote."""
        if reply.status in GOOD:
            return ProviderError(f"{self.name}: the answer is not JSON: {self._shown(problem)}", retryable=True)
        return self.failure(reply, Said(f"the answer is not JSON: {problem}"))

    def _may_go_better(self, reply: HttpReply, said: Said, status: int | None) -> bool:
        own = self.is_retryable(said, status)
        if own is not None:
            return own
        told = reply.headers.get("x-should-retry", "").strip().lower()
        if told in ("true", "false"):
            return told == "true"
        return status in RETRYABLE

    def _full_message(self, said: Said, status: int | None, *, refused: bool) -> str:
        what = "the server reports an error"
        advice = self.advice(said, status)
        if refused:
            what = "the API key was refused"
            advice = f"check {self.key_variable}" if self.key_variable else self.key_advice
        elif status == RATE_LIMITED:
            what = "rate-limited"
        where = "" if status is None else f" (HTTP {status})"
        shown = self._shown(self.message(said)) or "no reason given"
        return f"{self.name}: {what}{where}: {shown}" + (f"; {advice}" if advice else "")

    def _shown(self, text: str) -> str:
        return presentable(text, self.secrets).rstrip(".")


def body_of(reply: HttpReply, rules: Rules) -> object:
    """Return the JSON of a good reply. Raises ``ProviderError`` for any other status and for what is no JSON."""
    try:
        body = read_json(reply.body)
    except BadJsonError as problem:
        raise rules.unreadable(reply, str(problem)) from None
    if reply.status not in GOOD:
        raise rules.failure(reply, said_in(body, failed=True) or Said())
    return body


def said_in(body: object, *, failed: bool = False) -> Said | None:
    """Find the error in a body; ``None`` when it holds none.

    Args:
        body: The parsed body.
        failed: Whether the status said already that it is an error, so that any message is its message.
    """
    # Some gateways wrap the error in a list of one.
    fields = mapping_of(body) or mapping_of(next(iter(list_of(body)), None))
    error = fields.get("error")
    if isinstance(error, dict) and any(error.values()):
        return _said(error)
    if isinstance(error, str) and error.strip():
        return Said(error)
    if fields.get("object") == "error":
        return _said(fields)
    if not failed:
        return None
    message = _first_text(fields.get("detail"), fields.get("message"), fields.get("errors"), body)
    return Said(message) if message else None


def status_in(error: Mapping[str, object]) -> int | None:
    """Return the HTTP status that an error object names: as a number, as digits, or by a word."""
    for candidate in (error.get("code"), error.get("http_status"), error.get("status")):
        if isinstance(candidate, int) and not isinstance(candidate, bool) and candidate in _STATUSES:
            return candidate
        if isinstance(candidate, str) and candidate.strip() in _STATUS_DIGITS:
            return int(candidate)
    words = (error.get("code"), at(error, "metadata", "error_type"), error.get("error_type"), error.get("type"))
    return next((STATUS_OF_WORD[word] for word in map(text_of, words) if word in STATUS_OF_WORD), None)


def _said(error: Mapping[str, object]) -> Said:
    kind = (
        text_of(error.get("type")) or text_of(at(error, "metadata", "error_type")) or text_of(error.get("error_type"))
    )
    message = _first_text(error.get("message"), error.get("detail"), error.get("code"), kind)
    return Said(message, status_in(error), text_of(error.get("code")), kind, error)


def _first_text(*values: object) -> str:
    return next((text for value in values if (text := _as_text(value))), "")


def _as_text(value: object, depth: int = 0) -> str:
    """Return the words of an error however they are wrapped: text, an object with a message, a list of such."""
    if isinstance(value, str):
        return value.strip()
    if depth == _DEEPEST_MESSAGE:
        return ""
    if isinstance(value, dict):
        texts = (_as_text(value.get(key), depth + 1) for key in ("message", "msg", "detail", "error"))
        return next((text for text in texts if text), "")
    return ", ".join(text for entry in list_of(value)[:3] if (text := _as_text(entry, depth + 1)))
