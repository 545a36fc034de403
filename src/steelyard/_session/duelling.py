"""Outputs of past runs compared two by two: who takes part, what a judge is asked, and what comes of it.

The comparisons are carried out by the engine like any run: answers are taken from the records, and a judge that gave
its verdict once is not paid for it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._engine.duels import Duel, Duels, Winner, judged_duels
from .._engine.plan import BoundCache, BoundModel, BoundScorer, Combo, Plan
from .._engine.threads import settle
from .._store import StoredRun
from ..api import (
    NO_PARAMETERS,
    Ask,
    Benchmark,
    Case,
    CaseResult,
    Completion,
    Message,
    Output,
    Preference,
    Request,
    Score,
    ScorerUse,
    Status,
)
from ..errors import ScorerError, UsageError
from .binding import ModelBinder
from .checking import judge_use
from .closing import close_all
from .executing import executed
from .pairings import Contestant, DuelWish, Pairing, contestants, pairings
from .parts import Parts
from .planning import make_cache

_NAME = "pairs"
_WINNERS: dict[str, Winner] = {"output": "first", "other": "second", "tie": "tie"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelReport:
    """What came of it."""

    contestants: tuple[Contestant, ...]
    judge: str
    duels: Duels
    cost_usd: float | None
    """What the verdicts cost; ``None`` when a part is unknown."""
    spent_usd: float | None
    """What was paid for them now."""
    not_asked: int = 0
    """Comparisons that a spent budget left out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Duelling:
    """Carries out comparisons."""

    benchmark: Benchmark
    """Where criteria, references and judges are named; an empty one when no file is at hand."""
    parts: Parts
    binder: ModelBinder
    warn: Callable[[str], None]

    async def carry_out(
        self, runs: Sequence[StoredRun], wish: DuelWish, told: Callable[[str], None] = lambda _line: None
    ) -> DuelReport:
        """Compare every two combos of these runs on every case that both answered.

        Args:
            runs: One or several.
            wish: What is to be compared, and by whom.
            told: Hears how much is going to be asked.

        Raises ``UsageError`` when there is nothing to compare, or no judge to ask.
        """
        found = contestants(runs, wish.choice)
        compared = pairings([cases for _, cases in found], self.benchmark, wish)
        if not compared:
            names = ", ".join(contestant.label for contestant, _ in found)
            raise UsageError(f"no two of these combos answered the same cases: {names}")
        judge = wish.judge or self.benchmark.judge_model or runs[0].record.judge_model
        if judge is None:
            raise UsageError("no judge is named; name one with --judge PROVIDER:MODEL")
        try:
            plan = self._plan(compared, judge, wish)
            told(f"{len(found)} combos, {len(compared)} comparison(s) in both orders: {2 * len(compared)} questions")
            outcome = await executed(plan, _NAME, self.warn)
        finally:
            await close_all(self.parts.workshop.made, self.parts.threads, self.warn)
        for note in outcome.notes:
            self.warn(note)
        (combo,) = outcome.combos
        results = {result.id: result for result in combo.cases}
        duels = [
            _duel(pairing, results[case.id])
            for case, pairing in zip(_numbered(compared), compared, strict=True)
            if case.id in results
        ]
        return DuelReport(
            contestants=tuple(contestant for contestant, _ in found),
            judge=judge,
            duels=judged_duels(duels, len(found)),
            cost_usd=combo.judge_cost_usd,
            spent_usd=outcome.spent_usd if combo.spent_usd is None else combo.spent_usd,
            not_asked=len(compared) - len(duels),
        )

    def _plan(self, compared: Sequence[Pairing], judge: str, wish: DuelWish) -> Plan:
        scorer = self._scorer(compared, judge, wish.choice.scorer)
        bound = {judge: self._judge(judge)}
        cases = _numbered(compared)
        return Plan(
            benchmark=Benchmark(name=_NAME, models=(), prompts=(), cases=cases),
            combos=(Combo(model=_recorded(compared), prompt=_Shown(compared)),),
            cases=cases,
            case_count=len(cases),
            scorers_of=lambda _case: (scorer,),
            judge_of=lambda name: bound.get(name) or self._judge(name),
            cache=self._cache() if wish.cache else None,
            concurrency=wish.concurrency or self.parts.settings.concurrency_for(self.benchmark.concurrency),
            max_cost_usd=wish.max_cost_usd,
            hide=self.binder.redactor.in_bytes,
        )

    def _scorer(self, compared: Sequence[Pairing], judge: str, named: str | None) -> BoundScorer:
        name = named or self._only_scorer()
        if not self.parts.registry.get("scorer", name).spec.pairs:
            able = [offer.name for offer in self.parts.registry.specs("scorer") if offer.spec.pairs]
            raise UsageError(f"scorer {name!r} compares no outputs; those that do: {', '.join(able) or 'none'}")
        made = self.parts.scorers.made(ScorerUse(type=name, options={"model": judge}), "pairs")
        prefer = settle(made.component.prefer, inline=False, threads=self.parts.threads)

        async def judged(case: Case, _output: Output, ask: Ask) -> Score:
            pairing = compared[int(case.id)]
            found = await prefer(pairing.case, *pairing.outputs, ask)
            if not isinstance(found, Preference) or found.winner not in _WINNERS:
                raise ScorerError(f"{made.blame}: prefer returned {type(found).__name__} instead of a Preference")
            details = {
                "winner": found.winner,
                "flipped": found.flipped,
                "first_wins": found.first_wins,
                "decided": found.decided,
            }
            return Score(value=float(found.winner == "output"), passed=True, reason=found.reason, details=details)

        return BoundScorer(type=name, name=name, judge=judged, timeout_s=made.offer.spec.timeout_s, blame=made.blame)

    def _only_scorer(self) -> str:
        able = [offer.name for offer in self.parts.registry.wanted("scorer", lambda offer: offer.spec.pairs)]
        if len(able) != 1:
            found = ", ".join(able) or "none"
            raise UsageError(f"scorers in use that compare outputs: {found}; choose one with --scorer NAME")
        return able[0]

    def _judge(self, name: str) -> BoundModel:
        plan = self.parts.models.plan(judge_use(self.benchmark, name), "judge")
        credentials = self.binder.credentials(plan)
        if credentials is not None and credentials.problem:
            raise UsageError(f"provider {plan.offer.name!r}: {credentials.problem}")
        return self.binder.bind(plan, NO_PARAMETERS)

    def _cache(self) -> BoundCache | None:
        settings = self.parts.settings
        name = settings.cache_for(self.benchmark.cache)
        made = make_cache(name, settings, self.parts.registry, self.parts.workshop)
        if made is None:
            return None
        inline, threads = made.offer.spec.inline, self.parts.threads
        return BoundCache(
            get=settle(made.component.get, inline=inline, threads=threads),
            put=settle(made.component.put, inline=inline, threads=threads),
            blame=made.blame,
        )


@dataclass(frozen=True, slots=True)
class _Shown:
    """The prompt of a comparison, which only stands in the record."""

    compared: Sequence[Pairing]
    id: str = _NAME

    def render(self, case: Case) -> Sequence[Message]:
        return self.compared[int(case.id)].outputs[0].messages or (Message(role="user", content=case.id),)


def _recorded(compared: Sequence[Pairing]) -> BoundModel:
    """Return a model that answers what the record holds: nothing is asked for that was answered once."""

    async def complete(request: Request) -> Completion:
        return Completion(text=compared[int(str(request.input))].outputs[0].text, cost_usd=0.0)

    return BoundModel(
        id=_NAME,
        provider="record",
        model="",
        complete=complete,
        fingerprint=lambda request: str(request.input),
        cached=False,
    )


def _numbered(compared: Sequence[Pairing]) -> tuple[Case, ...]:
    return tuple(Case(id=str(number), input=str(number)) for number in range(len(compared)))


def _duel(pairing: Pairing, result: CaseResult) -> Duel:
    score = result.runs[0].scores[0] if result.runs[0].scores else None
    if result.status is not Status.SCORED or score is None:
        return Duel(
            case_id=pairing.case.id,
            first=pairing.first,
            second=pairing.second,
            winner=None,
            error=result.error or "no verdict",
        )
    details = score.details
    return Duel(
        case_id=pairing.case.id,
        first=pairing.first,
        second=pairing.second,
        winner=_WINNERS[str(details["winner"])],
        flipped=details["flipped"] is True,
        first_shown_wins=_whole(details["first_wins"]),
        decided=_whole(details["decided"]),
        reason=score.reason,
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
