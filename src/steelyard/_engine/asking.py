"""How a scorer asks a model: through the host's cache, retries, limits and account, booked on the case it judges.

A scorer has a deadline of its own. It stands still while the scorer waits for a model: that wait has its own
deadline, its own retries, and is nobody's fault here.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

from ..api import NO_PARAMETERS, Completion, JsonMapping, Message, Parameters, Request
from ..errors import ProviderError, ScorerError
from .caller import Caller
from .faults import BlamedError, CallFailedError, NotMadeError
from .ledger import added
from .plan import BoundModel
from .replies import Reply
from .wording import sendable


@dataclass(slots=True)
class Account:
    """What some calls took, added up. Unknown stays unknown; nothing at all is 0."""

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost_usd: float | None = 0.0
    spent_usd: float | None = 0.0
    attempts: int = 0
    """Calls that were made over the wire, failed ones included."""
    refused: bool = False
    """Whether a call was not made because the budget or the quota is spent."""

    def book(self, reply: Reply) -> None:
        """Add a call that was answered."""
        usage = reply.completion.usage
        self.prompt_tokens = _more(self.prompt_tokens, usage.prompt_tokens)
        self.completion_tokens = _more(self.completion_tokens, usage.completion_tokens)
        self.cost_usd = added(self.cost_usd, reply.cost_usd)
        self.spent_usd = added(self.spent_usd, reply.spent_usd)
        self.attempts += reply.attempts

    def book_failure(self, error: BaseException) -> None:
        """Add a call that failed or was not made."""
        if isinstance(error, NotMadeError):
            self.refused = True
            return
        if isinstance(error, CallFailedError):
            self.attempts += error.attempts
        elif isinstance(error, BlamedError):
            self.attempts += 1
        if isinstance(error, CallFailedError | BlamedError) and error.cost_unknown:
            # It may have been charged: what nobody knows is not nothing.
            self.prompt_tokens = self.completion_tokens = self.cost_usd = self.spent_usd = None


def _more(total: int | None, tokens: int | None) -> int | None:
    return None if total is None or tokens is None else total + tokens


class Patience:
    """A deadline that can stand still. An async context manager, like ``asyncio.timeout``."""

    def __init__(self, seconds: float) -> None:
        self._scope = asyncio.timeout(seconds if math.isfinite(seconds) else None)
        self._held = 0
        self._left: float | None = None
        self._over = False

    @property
    def expired(self) -> bool:
        """Whether the time ran out."""
        return self._scope.expired()

    def hold(self) -> None:
        """Stand still until :meth:`go_on` was called as often."""
        self._held += 1
        when = self._scope.when()
        if self._held == 1 and when is not None and self._runs():
            self._left = max(0.0, when - asyncio.get_running_loop().time())
            self._scope.reschedule(None)

    def go_on(self) -> None:
        """Let the time run again."""
        self._held -= 1
        if self._held == 0 and self._left is not None and self._runs():
            self._scope.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None

    def _runs(self) -> bool:
        return not self._over and not self._scope.expired()

    async def __aenter__(self) -> Patience:
        await self._scope.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        await self._scope.__aexit__(kind, error, trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """Whom scorers may ask, and how; the same for a whole run."""

    caller: Caller
    judge_of: Callable[[str], BoundModel]
    seed: int | None
    loop: asyncio.AbstractEventLoop
    thread: int
    """The event loop's thread."""


class ScorerAsk:
    """The ``Ask`` of one scorer on one output.

    What it is answered goes into the cache only once the scorer has made a verdict of it: a judge's reply that decides
    nothing would otherwise be read again, and decide nothing again, in every later run.
    """

    __slots__ = ("_account", "_answered", "_judges", "_over", "_patience", "_repeat")

    def __init__(self, judges: Judges, account: Account, patience: Patience, *, repeat: int) -> None:
        self._judges = judges
        self._account = account
        self._patience = patience
        self._repeat = repeat
        self._over = False
        self._answered: list[tuple[BoundModel, Request, Reply]] = []

    async def keep(self) -> None:
        """Put every answer into the cache: they have served."""
        for bound, request, reply in self._answered:
            await self._judges.caller.keep(bound, request, reply)

    def close(self) -> None:
        """Answer no more: the verdict is in, or the scorer was given up."""
        self._over = True

    async def complete(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        parameters: Parameters = NO_PARAMETERS,
        timeout_s: float | None = None,
    ) -> Completion:
        """Ask a model. See :class:`steelyard.api.Ask`."""
        if self._over:
            raise NotMadeError("not asked: the scorer was given up, or has answered already")
        bound = self._judges.judge_of(model)
        request = Request(
            model=bound.model,
            messages=_sendable_messages(messages),
            parameters=with_seed(_merged(bound.parameters, parameters), self._judges.seed),
            timeout_s=bound.policy.timeout_s if timeout_s is None else timeout_s,
            repeat=self._repeat,
        )
        self._patience.hold()
        try:
            reply = await self._judges.caller.call(bound, request, keep=False)
        except (ProviderError, BlamedError) as error:
            self._account.book_failure(error)
            raise
        finally:
            self._patience.go_on()
        self._account.book(reply)
        if reply.completion.problem is not None:
            raise ProviderError(f"{bound.id}: {reply.completion.problem}")
        self._answered.append((bound, request, reply))
        # What the host worked out from prices is news to a scorer that tells its judges' costs apart.
        return dataclasses.replace(reply.completion, cost_usd=reply.cost_usd)

    def complete_blocking(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        parameters: Parameters = NO_PARAMETERS,
        timeout_s: float | None = None,
    ) -> Completion:
        """Ask a model from a worker thread, and wait there for the answer."""
        if threading.get_ident() == self._judges.thread:
            raise ScorerError("complete_blocking was called on the event loop, which it would block; await complete")
        asked = self.complete(model=model, messages=messages, parameters=parameters, timeout_s=timeout_s)
        try:
            return asyncio.run_coroutine_threadsafe(asked, self._judges.loop).result()
        except RuntimeError:
            # The loop is closed: the run is over.
            asked.close()
            raise NotMadeError("not asked: the run is over") from None


def with_seed(parameters: Parameters, seed: int | None) -> Parameters:
    """Return parameters with the run's seed, unless they have their own."""
    return parameters if seed is None or parameters.seed is not None else dataclasses.replace(parameters, seed=seed)


def _sendable_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    if not messages:
        raise ScorerError("a model was to be asked without any message")
    return tuple(Message(role=message.role, content=sendable(message.content)) for message in messages)


def _merged(base: Parameters, wanted: Parameters) -> Parameters:
    if wanted is NO_PARAMETERS:
        return base
    return Parameters(
        temperature=base.temperature if wanted.temperature is None else wanted.temperature,
        max_tokens=base.max_tokens if wanted.max_tokens is None else wanted.max_tokens,
        seed=base.seed if wanted.seed is None else wanted.seed,
        params=_merged_params(base.params, wanted.params),
    )


def _merged_params(base: JsonMapping, wanted: Mapping[str, object]) -> JsonMapping:
    return {**base, **wanted} if base and wanted else (wanted or base)  # type: ignore[dict-item, return-value]
