"""One question to a provider under test, and what must come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..api import Message, Request, Usage
from .scorer_trial import LONGEST_NAME

MODEL = "a-model"
TIMEOUT_S = 30.0
SHORT_TIMEOUT_S = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request and what must come of it."""

    request: Request
    """What is asked."""
    text: str | None
    """The answer; ``None`` when there is none: the provider raises ``ProviderError``, or the answer has a problem."""
    says: str
    """What the error's message, or the problem, must hold."""
    retryable: bool
    """Whether the error says that the same call may succeed a little later."""
    usage: Usage | None
    """What it must say that the answer took; ``None`` when it does not matter."""
    hangs: bool
    """Whether no answer comes in time, and the call has to be given up."""
    settings: Any
    """The provider's settings for this one; ``None`` for those of the whole list."""
    cost_usd: float | None = None
    """What the answer must say that it cost; ``None`` when it does not matter."""
    status: int | None = None
    """The HTTP status that the error must name; ``None`` when it does not matter."""
    retry_after_s: float | None = None
    """The seconds that the error must say the server asked to wait; ``None`` when it does not matter."""
    exhausted: bool | None = None
    """Whether the error says that no further call can succeed; ``None`` when it does not matter."""

    @property
    def short(self) -> str:
        """The question, cut to the width of a test's name."""
        text = self.request.messages[-1].content
        return repr(text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…")


def asked(  # noqa: PLR0913 - each is one thing that a test may want, given by its name
    prompt: str | Sequence[Message],
    *,
    text: str | None = None,
    says: str = "",
    retryable: bool = False,
    usage: Usage | None = None,
    hangs: bool = False,
    settings: Any = None,
    cost_usd: float | None = None,
    status: int | None = None,
    retry_after_s: float | None = None,
    exhausted: bool | None = None,
    **fields: Any,
) -> Asked:
    """State what a question must get: ``text``, or without one a failure that ``says`` why.

    ``hangs`` is for a question that is not answered in time. ``usage`` and ``cost_usd`` are of an answer; the others
    (``retryable``, ``status``, ``retry_after_s``, ``exhausted``) of the ``ProviderError`` that tells of a failure.
    ``fields`` are those of :class:`~steelyard.api.Request`.
    """
    messages = (Message(role="user", content=prompt),) if isinstance(prompt, str) else tuple(prompt)
    request = Request(**{"model": MODEL, "messages": messages, "timeout_s": TIMEOUT_S, **fields})
    return Asked(
        request=replace(request, timeout_s=SHORT_TIMEOUT_S) if hangs else request,
        text=text,
        says=says,
        retryable=retryable,
        usage=usage,
        hangs=hangs,
        settings=settings,
        cost_usd=cost_usd,
        status=status,
        retry_after_s=retry_after_s,
        exhausted=exhausted,
    )
