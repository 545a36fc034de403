"""Stand-ins for models, caches and reporters that do as they are told and remember what they were asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ..api import (
    NO_PARAMETERS,
    CacheStats,
    CaseResult,
    Completion,
    Message,
    Parameters,
    Progress,
    Request,
    RunPlan,
    RunRecord,
    Usage,
)

Reply = str | Completion | BaseException
"""What a fake model does: say a text, return a completion, or raise."""

Script = Reply | Sequence[Reply] | Callable[[Request], Reply]
"""One reply for every question, replies to be given in turn, or a function that decides."""

USAGE = Usage(prompt_tokens=10, completion_tokens=5)
COST_USD = 0.001


class ScriptedProvider:
    """A provider that answers as scripted. Replies given in turn must not run out.

    ::

        provider = ScriptedProvider([ProviderError("busy", retryable=True), "billing"])
    """

    def __init__(self, script: Script = "ok") -> None:
        self._answers = Answers(script)

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far."""
        return self._answers.requests

    @property
    def calls(self) -> int:
        """How many requests came."""
        return len(self._answers.requests)

    def complete(self, request: Request) -> Completion:
        """Answer the next request."""
        return self._answers.next(request)


class FakeAsk:
    """A scorer's way to ask models, answered as scripted. Counts nothing, caches nothing, waits for nothing."""

    def __init__(self, script: Script = ()) -> None:
        self._answers = Answers(script)

    @property
    def questions(self) -> tuple[Request, ...]:
        """Every question so far; ``request.model`` is the name that the scorer asked by."""
        return self._answers.requests

    async def complete(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        parameters: Parameters = NO_PARAMETERS,
        timeout_s: float | None = None,
    ) -> Completion:
        """Answer the next question."""
        return self.complete_blocking(model=model, messages=messages, parameters=parameters, timeout_s=timeout_s)

    def complete_blocking(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        parameters: Parameters = NO_PARAMETERS,
        timeout_s: float | None = None,
    ) -> Completion:
        """Answer the next question."""
        return self._answers.next(
            Request(model=model, messages=tuple(messages), parameters=parameters, timeout_s=timeout_s or 120.0)
        )


class Answers:
    """A script that is gone through, by several threads if need be."""

    def __init__(self, script: Script) -> None:
        if callable(script):
            self._decide: Callable[[Request], Reply] | None = script
            self._rest: list[Reply] = []
        elif isinstance(script, (str, Completion, BaseException)):
            reply = script
            self._decide, self._rest = (lambda _request: reply), []
        else:
            self._decide, self._rest = None, list(script)
        self._requests: list[Request] = []
        self._lock = threading.Lock()

    @property
    def requests(self) -> tuple[Request, ...]:
        """What was asked so far."""
        return tuple(self._requests)

    def next(self, request: Request) -> Completion:
        """Return or raise what comes next. ``AssertionError`` when the script has come to its end."""
        with self._lock:
            self._requests.append(request)
            if self._decide is None and not self._rest:
                raise AssertionError(f"call {len(self._requests)} came, which the script does not foresee: {request}")
            reply = self._decide(request) if self._decide is not None else self._rest.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, str):
            return Completion(text=reply, usage=USAGE, finish_reason="stop", cost_usd=COST_USD, model=request.model)
        return reply


@dataclass
class RecordingReporter:
    """A reporter that keeps what it hears."""

    plans: list[RunPlan] = field(default_factory=list)
    results: list[CaseResult] = field(default_factory=list)
    records: list[RunRecord] = field(default_factory=list)
    steps: list[Progress] = field(default_factory=list)
    closed: int = 0
    fails_with: BaseException | None = None
    """Raised at the end of the run, after it was kept."""

    def run_started(self, plan: RunPlan) -> None:
        """Keep the plan."""
        self.plans.append(plan)

    def case_finished(self, result: CaseResult) -> None:
        """Keep the result."""
        self.results.append(result)

    def progress(self, progress: Progress) -> None:
        """Keep the step."""
        self.steps.append(progress)

    def run_finished(self, record: RunRecord) -> None:
        """Keep the record, and fail if that is wanted."""
        self.records.append(record)
        if self.fails_with is not None:
            raise self.fails_with

    def close(self) -> None:
        """Count how often it was closed."""
        self.closed += 1


class DictCache:
    """A cache that is a dictionary, open to the test as ``entries``."""

    def __init__(self, entries: Iterable[tuple[str, bytes]] = (), fails_with: BaseException | None = None) -> None:
        self.entries = dict(entries)
        self.fails_with = fails_with
        """Raised by every ``get`` and ``put``."""

    def get(self, key: str) -> bytes | None:
        """Return what was put, or ``None``."""
        if self.fails_with is not None:
            raise self.fails_with
        return self.entries.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep ``value``."""
        if self.fails_with is not None:
            raise self.fails_with
        self.entries[key] = value

    def clear(self) -> int:
        """Forget everything."""
        count = len(self.entries)
        self.entries.clear()
        return count

    def stats(self) -> CacheStats:
        """Count."""
        size = sum(map(len, self.entries.values()))
        return CacheStats(entries=len(self.entries), size_bytes=size, place="a test's dictionary")
