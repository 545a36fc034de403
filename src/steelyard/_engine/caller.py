"""One call to a model, through everything that the host does for it.

From the outside in: identical requests in flight are sent once; the cache; then, for each attempt, a place in the
server's lane, room in the budget and a deadline; then the next attempt if the failure may pass; at last the account
and the cache.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
import random
import time
from collections.abc import Awaitable, Callable, Sequence

from ..api import NO_USAGE, Completion, Request, Usage
from ..errors import ProviderError
from .faults import BlamedError, CallFailedError, NotMadeError, TimedOutError, described, must_pass, one_line
from .keeping import Keeping
from .ledger import Ledger, price
from .limits import Lane, Limits
from .plan import BoundModel
from .prices import Prices
from .replies import Reply, checked, key_of
from .retry import RATE_LIMITED, Random, final_message, pause_after, wait_before

SERVER_ERROR = 500
CHARS_PER_TOKEN = 4

Sleep = Callable[[float], Awaitable[None]]


class _InFlight:
    """A call that others may be waiting for."""

    __slots__ = ("_future",)

    def __init__(self) -> None:
        self._future: asyncio.Future[Reply | Exception | None] | None = None

    async def outcome(self) -> Reply | Exception | None:
        """Wait for the reply or the failure; ``None`` when the call was given up and says nothing about the request."""
        if self._future is None:
            self._future = asyncio.get_running_loop().create_future()
        # Shielded: whoever stops waiting must not take the answer from the others.
        return await asyncio.shield(self._future)

    def resolve(self, outcome: Reply | Exception | None) -> None:
        if self._future is not None and not self._future.done():
            self._future.set_result(outcome)


class Caller:
    """Asks models."""

    def __init__(
        self,
        *,
        keeping: Keeping,
        limits: Limits,
        ledger: Ledger,
        prices: Prices,
        rng: Random = random.random,
        sleep: Sleep = asyncio.sleep,
        warn: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._keeping = keeping
        self._limits = limits
        self._ledger = ledger
        self._prices = prices
        self._random = rng
        self._sleep = sleep
        self._in_flight: dict[str, _InFlight] = {}
        self._warn = warn
        self._doubted: set[tuple[str, str]] = set()
        """By provider: the fields of its answers that were found to make no sense, each told once."""
        self._stopped = False
        self.waiting = 0
        """Calls that wait for their next attempt."""
        self.on_wait: Callable[[], None] = lambda: None
        """Told when a call begins to wait."""

    def stop(self) -> None:
        """Start no request from now on."""
        self._stopped = True

    def lane_of(self, model: BoundModel) -> Lane:
        """Return the lane that calls to ``model`` share with others to the same server."""
        return self._limits.lane(model.limit_key or model.provider, model.provider)

    async def call(self, model: BoundModel, request: Request, *, kept_only: bool = False, keep: bool = True) -> Reply:
        """Ask ``model`` and return its answer, its cost and how it came about.

        Raises ``ProviderError`` when the call failed for good, its subclass ``NotMadeError`` when it was not made, and
        ``BlamedError`` when the plugin is at fault.

        Args:
            model: Who is asked.
            request: What is asked.
            kept_only: Answer from the cache or not at all.
            keep: Put a good answer into the cache. Without it that is left to :meth:`keep`.
        """
        if not self._keeping.keeps(model):
            return await self._asked(model, request, kept_only=kept_only)
        key = self._key(model, request)
        while (other := self._in_flight.get(key)) is not None:
            outcome = await other.outcome()
            if isinstance(outcome, Reply):
                return outcome.again()
            if outcome is not None:
                raise outcome
        mine = self._in_flight[key] = _InFlight()
        shared: Reply | Exception | None = None
        try:
            shared = await self._kept_or_asked(model, request, key, kept_only=kept_only, keep=keep)
        except (ProviderError, BlamedError) as error:
            shared = None if isinstance(error, NotMadeError) else error
            raise
        else:
            return shared
        finally:
            del self._in_flight[key]
            mine.resolve(shared)

    async def keep(self, model: BoundModel, request: Request, reply: Reply) -> None:
        """Put an answer into the cache that was asked for without, now that it has proved to be of use."""
        if not reply.cached and reply.completion.problem is None and self._keeping.keeps(model):
            await self._keeping.put(self._key(model, request), reply)

    def _key(self, model: BoundModel, request: Request) -> str:
        try:
            return key_of(model, request)
        except BaseException as error:
            if must_pass(error):
                raise
            raise BlamedError(described(error, model.blame, located=True)) from error

    async def _kept_or_asked(
        self, model: BoundModel, request: Request, key: str, *, kept_only: bool, keep: bool
    ) -> Reply:
        kept = await self._keeping.get(key, model)
        if kept is not None:
            return kept
        reply = await self._asked(model, request, kept_only=kept_only)
        if keep and reply.completion.problem is None:
            await self._keeping.put(key, reply)
        return reply

    async def _asked(self, model: BoundModel, request: Request, *, kept_only: bool) -> Reply:
        if kept_only:
            raise NotMadeError("not asked: its answer could not be judged")
        lane = self.lane_of(model)
        failures: list[ProviderError] = []
        while True:
            try:
                reply = await self._attempt(model, request, lane, len(failures) + 1)
            except NotMadeError:
                if not failures:
                    raise
                raise self._failed(model, failures) from failures[-1]
            except ProviderError as error:
                failures.append(error)
            else:
                # The answer's cost is known, but not what was paid until it came.
                return dataclasses.replace(reply, spent_usd=None) if _gave_up(failures) else reply
            wait = wait_before(len(failures), failures[-1], model.policy, self._random)
            if wait is None:
                raise self._failed(model, failures) from failures[-1]
            await self._pause(wait)

    async def _pause(self, wait: float) -> None:
        self.waiting += 1
        try:
            self.on_wait()
            await self._sleep(wait)
        finally:
            self.waiting -= 1

    def _failed(self, model: BoundModel, failures: Sequence[ProviderError]) -> CallFailedError:
        last, attempts = failures[-1], len(failures)
        message = one_line(model.redact(final_message(last, attempts)))
        return CallFailedError(last, message, attempts=attempts, cost_unknown=_gave_up(failures))

    async def _attempt(self, model: BoundModel, request: Request, lane: Lane, number: int) -> Reply:
        at_least = await self._prompt_cost(model, request)
        began = await self._limits.enter(lane)
        reserved = False
        try:
            try:
                await self._ledger.reserve(model, at_least)
                reserved = True
                completion, latency_ms = await self._once(model, request)
                self._limits.succeeded(lane)
            except NotMadeError:
                raise
            except ProviderError as error:
                self._heed(lane, error, model, began=began, number=number)
                if isinstance(error, TimedOutError):
                    reserved = False
                    self._ledger.settle(model, cost_usd=None)
                raise
            except BlamedError as error:
                if error.cost_unknown:
                    reserved = False
                    self._ledger.settle(model, cost_usd=None)
                raise
            finally:
                self._limits.leave(lane)
            cost = completion.cost_usd
            if cost is None:
                cost = price(completion.usage, await self._prices.of(model))
            reserved = False
            self._ledger.settle(model, cost_usd=cost)
        finally:
            if reserved:
                self._ledger.release(model)
        return Reply(completion=completion, cost_usd=cost, spent_usd=cost, latency_ms=latency_ms, attempts=number)

    async def _once(self, model: BoundModel, request: Request) -> tuple[Completion, float]:
        """Make one attempt, under its deadline, and return the answer and the milliseconds that it took."""
        if self._stopped:
            raise NotMadeError("not asked: the run was stopped")
        deadline = asyncio.timeout(request.timeout_s)
        started = time.perf_counter()
        try:
            async with deadline:
                value = await model.complete(request)
        except BaseException as error:
            if must_pass(error):
                raise
            if deadline.expired():
                raise TimedOutError(f"timed out after {request.timeout_s:g} s", retryable=True) from error
            if isinstance(error, ProviderError):
                raise
            said = model.redact(described(error, model.blame, located=True))
            raise BlamedError(said, cost_unknown=True) from error
        latency_ms = (time.perf_counter() - started) * 1000
        completion = checked(value, model, lambda field, what: self._doubt(model, field, what))
        if model.usage_required and completion.problem is None and _lacks_usage(completion.usage):
            # Final and perhaps paid for: not to be asked again, and its cost is unknown rather than nothing.
            completion = dataclasses.replace(completion, text="", problem="the reply has no usage data")
        return completion, latency_ms

    def _doubt(self, model: BoundModel, field: str, what: str) -> None:
        if (model.blame, field) not in self._doubted:
            self._doubted.add((model.blame, field))
            self._warn(one_line(model.redact(f"{model.blame}: {field} is {what}")))

    def _heed(self, lane: Lane, error: ProviderError, model: BoundModel, *, began: int, number: int) -> None:
        """Let the server's lane know what a failure says about the server."""
        if error.exhausted:
            self._limits.close(lane, one_line(model.redact(error.message)))
        elif error.status == RATE_LIMITED:
            pause = pause_after(number, error, model.policy, self._random)
            self._limits.rate_limited(lane, began=began, wait_s=pause)
        elif error.status is not None and error.status >= SERVER_ERROR:
            self._limits.stumbled(lane)

    async def _prompt_cost(self, model: BoundModel, request: Request) -> float:
        """Estimate what the prompt alone costs; only where there is a budget to keep."""
        if self._ledger.max_cost_usd is None:
            return 0.0
        chars = sum(len(message.content) for message in request.messages)
        usage = Usage(prompt_tokens=math.ceil(chars / CHARS_PER_TOKEN), completion_tokens=0)
        return price(usage, await self._prices.of(model)) or 0.0


def _gave_up(failures: Sequence[ProviderError]) -> bool:
    return any(isinstance(failure, TimedOutError) for failure in failures)


def _lacks_usage(usage: Usage) -> bool:
    return usage is NO_USAGE or usage.prompt_tokens is None or usage.completion_tokens is None
