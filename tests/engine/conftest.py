"""Builders for engine tests: models and scorers that are plain coroutine functions, and runs with a journal on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from steelyard._engine.caller import Caller
from steelyard._engine.journal import Journal
from steelyard._engine.keeping import Keeping
from steelyard._engine.ledger import Ledger
from steelyard._engine.limits import Limits
from steelyard._engine.plan import BoundCache, BoundModel, BoundScorer, CallPolicy, Combo, Plan
from steelyard._engine.prices import Prices
from steelyard._engine.runner import Outcome, execute
from steelyard.api import (
    Ask,
    Benchmark,
    Case,
    CaseResult,
    Completion,
    Message,
    Output,
    Progress,
    Request,
    Score,
    Usage,
)
from steelyard.errors import UnknownNameError
from steelyard.records import decode_case, encode_case

QUICK = CallPolicy(retries=3, backoff_s=0.001, timeout_s=5.0)
TEN = Usage(prompt_tokens=10, completion_tokens=2)


@dataclass
class Prompted:
    """A prompt that asks with the case's id, or as it is told to."""

    id: str = "v1"
    text: Callable[[Case], str] = lambda case: f"Q {case.id}"

    def render(self, case: Case) -> Sequence[Message]:
        return (Message(role="user", content=self.text(case)),)


@dataclass
class Scripted:
    """A model that answers what it is told, in turn, and remembers what it was asked.

    An exception in the script is raised; what comes last is repeated.
    """

    script: Sequence[object] = ("good",)
    requests: list[Request] = field(default_factory=list)
    usage: Usage = TEN
    cost_usd: float | None = 0.001

    async def complete(self, request: Request) -> Any:
        step = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(request)
        await asyncio.sleep(0)
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, str):
            return Completion(text=step, usage=self.usage, cost_usd=self.cost_usd, finish_reason="stop")
        return step

    @property
    def calls(self) -> int:
        return len(self.requests)

    def prompts(self) -> list[str]:
        return [request.messages[-1].content for request in self.requests]


class Remembering:
    """A cache in memory that can be told to fail."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.get_error: BaseException | None = None
        self.put_error: BaseException | None = None
        self.puts = 0

    async def get(self, key: str) -> bytes | None:
        if self.get_error is not None:
            raise self.get_error
        return self.kept.get(key)

    async def put(self, key: str, value: bytes) -> None:
        self.puts += 1
        if self.put_error is not None:
            raise self.put_error
        self.kept[key] = value

    def bound(self) -> BoundCache:
        return BoundCache(get=self.get, put=self.put)


async def is_good(case: Case, output: Output, ask: Ask) -> Score:
    passed = output.text == "good"
    return Score(value=float(passed), passed=passed, reason=f"got {output.text!r}")


def fingerprint(request: Request) -> str:
    return repr((request.model, [(one.role, one.content) for one in request.messages], request.parameters.temperature))


@dataclass
class Ran:
    """A run that is over."""

    outcome: Outcome
    results: list[CaseResult]
    """As ``on_case`` heard them."""
    progress: list[Progress]
    warnings: list[str]

    @property
    def combo(self) -> Any:
        (combo,) = self.outcome.combos
        return combo

    @property
    def only(self) -> Any:
        (result,) = self.results
        return result

    def by_id(self, case_id: str) -> Any:
        (result,) = (one for one in self.results if one.id == case_id)
        return result


@dataclass
class Bench:
    """What engine tests are built from."""

    folder: Path
    judges: dict[str, BoundModel] = field(default_factory=dict)
    journals: list[Journal] = field(default_factory=list)

    def model(self, complete: Any = None, **fields: Any) -> BoundModel:
        if complete is None:
            complete = Scripted().complete
        fields.setdefault("id", "m")
        fields.setdefault("provider", "fake")
        fields.setdefault("model", fields["id"])
        fields.setdefault("policy", QUICK)
        fields.setdefault("blame", "provider 'fake' of plugin 'fake' (steelyard-fake 0.1)")
        fields.setdefault("fingerprint", fingerprint)
        return BoundModel(complete=getattr(complete, "complete", complete), **fields)

    def scorer(self, judge: Callable[..., Awaitable[Any]] = is_good, **fields: Any) -> BoundScorer:
        fields.setdefault("type", "fake_score")
        fields.setdefault("name", fields["type"])
        fields.setdefault("blame", "scorer 'fake_score' of plugin 'fake' (steelyard-fake 0.1)")
        return BoundScorer(judge=judge, **fields)

    def cases(self, count: int, **fields: Any) -> tuple[Case, ...]:
        return tuple(Case(id=f"c{number}", **fields) for number in range(count))

    def plan(
        self,
        model: Any = None,
        *,
        models: Sequence[BoundModel] = (),
        prompts: Sequence[Any] = (Prompted(),),
        cases: Any = 1,
        scorers: Any = None,
        **fields: Any,
    ) -> Plan:
        models = models or (model if isinstance(model, BoundModel) else self.model(model),)
        source = self.cases(cases) if isinstance(cases, int) else cases
        used = (self.scorer(),) if scorers is None else scorers
        fields.setdefault("case_count", len(source) if hasattr(source, "__len__") else None)
        return Plan(
            benchmark=Benchmark(name="b", models=(), prompts=tuple(prompts), cases=source),
            combos=tuple(Combo(model=one, prompt=prompt) for one in models for prompt in prompts),
            cases=source,
            scorers_of=used if callable(used) else lambda _case: tuple(used),
            judge_of=self._judge_of,
            **fields,
        )

    def _judge_of(self, name: str) -> BoundModel:
        if name not in self.judges:
            raise UnknownNameError(f"no model {name!r}", kind="model", name=name)
        return self.judges[name]

    def journal(self, plan: Plan, name: str | None = None, digest: str = "d") -> Journal:
        path = self.folder / (name or f"run{len(self.journals)}.journal")
        self.journals.append(Journal.create(path, digest=digest, encode=encode_case, decode=decoder(plan)))
        return self.journals[-1]

    def reopened(self, journal: Journal, plan: Plan, digest: str = "d") -> Journal:
        """Close a journal, as the end of its process does, and go on with it."""
        journal.close()
        self.journals.append(Journal.reopen(journal.path, digest=digest, encode=encode_case, decode=decoder(plan)))
        return self.journals[-1]

    async def execute(self, plan: Plan, *, journal: Journal | None = None, **listeners: Any) -> Ran:
        results: list[CaseResult] = []
        progress: list[Progress] = []
        warnings: list[str] = []
        listeners.setdefault("on_case", results.append)
        outcome = await execute(
            plan,
            journal=journal or self.journal(plan),
            on_progress=progress.append,
            warn=warnings.append,
            **listeners,
        )
        return Ran(outcome, results, progress, warnings)

    def run(self, plan: Plan, **listeners: Any) -> Ran:
        return asyncio.run(self.execute(plan, **listeners))


def decoder(plan: Plan) -> Callable[[bytes, int], CaseResult]:
    labels = [(combo.model.id, combo.prompt.id) for combo in plan.combos]
    return lambda data, combo: decode_case(data, *labels[combo])


@dataclass
class Calling:
    """A caller with everything around it, whose waits are remembered rather than waited."""

    caller: Caller
    ledger: Ledger
    limits: Limits
    warnings: list[str]
    waits: list[float]

    async def ask(self, model: BoundModel, text: str = "hello", **fields: Any) -> Any:
        fields.setdefault("timeout_s", model.policy.timeout_s)
        request = Request(
            model=model.model,
            messages=(Message(role="user", content=text),),
            **{"parameters": model.parameters, **fields},
        )
        return await self.caller.call(model, request)

    async def ask_all(self, model: BoundModel, texts: Iterable[str]) -> list[Any]:
        return await asyncio.gather(*(self.ask(model, text) for text in texts), return_exceptions=True)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    for journal in made.journals:
        journal.close()


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture
def prompted() -> type[Prompted]:
    return Prompted


@pytest.fixture
def remembering() -> Remembering:
    return Remembering()


@pytest.fixture
def calling() -> Callable[..., Calling]:
    """Make a caller; call it inside a running loop."""

    def make(cache: BoundCache | None = None, *, concurrency: int = 10, max_cost_usd: float | None = None) -> Calling:
        warnings: list[str] = []
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)
            await asyncio.sleep(0)

        ledger, limits = Ledger(max_cost_usd), Limits(concurrency, warn=warnings.append)
        caller = Caller(
            keeping=Keeping(cache, warn=warnings.append),
            limits=limits,
            ledger=ledger,
            prices=Prices(warn=warnings.append),
            rng=lambda: 0.5,
            sleep=sleep,
        )
        return Calling(caller, ledger, limits, warnings, waits)

    return make
