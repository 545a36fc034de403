"""What a failure is called in a result: its status, and the one line that says who is to blame.

Everything that user code can raise ends here, ``SystemExit`` and ``RecursionError`` included, because no single case
may end a run. Only what means "stop" passes: ``KeyboardInterrupt``, and a cancellation that was really asked for.
"""

from __future__ import annotations

import asyncio

from .._raised import where_raised
from ..api import Status
from ..errors import ProviderError, ScorerError, SteelyardError

MESSAGE_LIMIT = 600
"""Characters of an error message that are kept: a server may answer with a whole page."""


class BlamedError(SteelyardError):
    """A plugin broke its contract: it raised something unforeseen, or returned what it must not."""

    def __init__(self, message: str, *, cost_unknown: bool = False) -> None:
        super().__init__(message)
        self.cost_unknown = cost_unknown
        """Whether a call was made for it that may have been charged."""


class TimedOutError(ProviderError):
    """An attempt that was given up. The server may have answered all the same, and charged for it."""


class NotMadeError(ProviderError):
    """A call that was not made, because the budget or the quota is spent. Nothing was asked and nothing was paid."""


class CallFailedError(ProviderError):
    """A call that failed for good, after however many attempts."""

    def __init__(self, error: ProviderError, message: str, *, attempts: int, cost_unknown: bool = False) -> None:
        super().__init__(
            message,
            retryable=error.retryable,
            retry_after_s=error.retry_after_s,
            status=error.status,
            exhausted=error.exhausted,
        )
        self.attempts = attempts
        self.cost_unknown = cost_unknown
        """Whether an attempt was given up that may have been charged."""


def must_pass(error: BaseException) -> bool:
    """Whether an exception means "stop" rather than "this failed".

    User code may raise ``CancelledError`` too; it stops nothing unless the task really was asked to stop.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, (KeyboardInterrupt, GeneratorExit))


def described(error: BaseException, blame: str, *, located: bool = False) -> str:
    """Say in one line what was raised: our own errors in their words, all others as ``blame: TypeName: message``.

    ``located`` adds the file and line that raised it, for code that its author reads these words of.
    """
    try:
        text = str(error)
    except Exception as broken:
        text = f"its message cannot be shown ({type(broken).__name__})"
    if isinstance(error, SteelyardError) and text:
        return one_line(text)
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    where = where_raised(error) if located else ""
    return one_line(f"{blame}: {said}" if blame else said, MESSAGE_LIMIT - len(where)) + where


def scoring_status(error: BaseException) -> Status:
    """Return the status of a case whose scorer raised ``error``."""
    if isinstance(error, ScorerError):
        return Status.JUDGE_ERROR
    if isinstance(error, ProviderError):
        return Status.JUDGE_API_ERROR
    return Status.INTERNAL_ERROR


def one_line(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Put a message on one line and cut it when it is long."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
