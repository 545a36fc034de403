"""Pairwise judge: another model says which of two answers is better, asked in both orders.

In a benchmark it holds the output against a reference answer. ``steelyard pairwise`` uses it to hold the outputs of
combos against each other. An answer wins only if it wins in both orders; anything else is a tie.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import (
    Ask,
    Benchmark,
    Case,
    Message,
    Output,
    Parameters,
    PlannedAsk,
    PluginContext,
    Preference,
    Problem,
    Score,
    Scorer,
    ScorerSpec,
    option,
)
from steelyard.errors import ScorerError
from steelyard.text import one_line

from ._judge_reply import NoVerdictError
from ._pair_question import USUAL_CRITERIA, pair_question
from ._pair_verdict import PairVerdict, both_orders, read_pair_verdict
from ._self_preference import relatives

_VALUES = {"output": 1.0, "tie": 0.5, "other": 0.0}
_SAID = {"output": "better than the reference", "tie": "as good as the reference", "other": "worse than the reference"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseSettings:
    """The options of the pairwise judge."""

    model: str | None = option(None, doc="The judge: PROVIDER:MODEL, or the id of a model that the benchmark names.")
    criteria: str | None = option(None, doc="What makes an answer better; by default the case's criteria.")
    reference: str | None = option(
        None, doc="The answer to hold the output against; by default the case's reference, or its expected output."
    )
    max_tokens: int | None = option(4096, doc="The judge's own output budget for each order.", minimum=1)
    temperature: float | None = option(0.0, doc="The judge's temperature; null leaves it to the server.", minimum=0)


class PairwiseJudge:
    """Asks a model which of two answers is better."""

    def __init__(self, settings: PairwiseSettings) -> None:
        self._settings = settings
        self._warned = False

    async def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the output is no worse than the reference: 1 for better, 0.5 for as good, 0 for worse."""
        reference = self._reference(case)
        if reference is None:
            raise ScorerError("needs a reference to hold the output against")
        found = await self._compare(case, output, Output(text=reference, messages=output.messages), ask, reference=None)
        value = _VALUES[found.winner]
        return Score(
            value=value,
            passed=value > 0,
            reason=one_line(f"{_SAID[found.winner]}: {found.reason}", 500),
            details={"winner": found.winner, "flipped": found.flipped, "reasoning": found.reason, **found.details},
        )

    async def prefer(self, case: Case, output: Output, other: Output, ask: Ask) -> Preference:
        """Say which of two outputs of the same case is better."""
        return await self._compare(case, output, other, ask, reference=self._reference(case))

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a missing judge or reference, and, once, a judge that may favour the candidates."""
        if self._settings.model is None:
            hint = "give the scorer a model, or name evaluation.judge_model"
            yield Problem(message="pairwise: needs a judge model", path="evaluation", hint=hint)
        if self._reference(case) is None:
            yield Problem(
                message="pairwise: needs an answer to hold the output against",
                path="reference",
                hint="give the case a reference",
            )
        shared = relatives(benchmark, self._settings.model) if self._settings.model and not self._warned else ()
        if shared:
            self._warned = True
            yield Problem(
                severity="warning",
                message=f"judge {self._settings.model!r} shares a vendor with {', '.join(map(repr, shared))}",
                path="evaluation",
                hint="models favour their own kind by 10 to 25 %; take a judge of another vendor",
            )

    def asks(self, benchmark: Benchmark, case: Case, messages: Sequence[Message]) -> Iterable[PlannedAsk]:
        """Announce the two questions that a verdict takes."""
        del benchmark
        reference = self._reference(case)
        if self._settings.model is None or reference is None:
            return
        asked = self._question(case, (messages, messages), ("", reference), None)
        for _ in range(2):
            yield PlannedAsk(
                model=self._settings.model,
                prompt_chars=sum(len(message.content) for message in asked),
                max_tokens=self._settings.max_tokens or 0,
            )

    async def _compare(
        self, case: Case, output: Output, other: Output, ask: Ask, *, reference: str | None
    ) -> Preference:
        if self._settings.model is None:
            raise ScorerError("needs a judge model")
        orders = ((output, other), (other, output))
        asked = (self._verdict(case, first, second, ask, reference) for first, second in orders)
        # Both are waited for, also when one fails: what they cost is booked on the case either way.
        found = await asyncio.gather(*asked, return_exceptions=True)
        verdicts = []
        for verdict in found:
            if isinstance(verdict, BaseException):
                raise verdict
            verdicts.append(verdict)
        forward, backward = verdicts
        together = both_orders(forward.place, backward.place)
        return Preference(
            winner=together.winner,
            flipped=together.flipped,
            first_wins=together.first_wins,
            decided=together.decided,
            reason=forward.reasoning,
            details={"judge_model": self._settings.model, "reasoning_swapped": backward.reasoning},
        )

    async def _verdict(self, case: Case, first: Output, second: Output, ask: Ask, reference: str | None) -> PairVerdict:
        settings = self._settings
        reply = await ask.complete(
            model=settings.model or "",
            messages=self._question(case, (first.messages, second.messages), (first.text, second.text), reference),
            parameters=Parameters(temperature=settings.temperature, max_tokens=settings.max_tokens),
        )
        cut_off = reply.finish_reason == "length"
        try:
            return read_pair_verdict(reply.text, candidates=(first.text, second.text), cut_off=cut_off)
        except NoVerdictError as error:
            hint = "; the judge's token limit cut it off, raise max_tokens" if cut_off else ""
            said = one_line(reply.text, 200) or "nothing"
            message = f"judge {settings.model!r} gave no verdict: {error}{hint}; it replied: {said}"
            raise ScorerError(message) from error

    def _reference(self, case: Case) -> str | None:
        expected = case.expected if isinstance(case.expected, str) else None
        found = self._settings.reference or case.reference or expected
        return found if found and found.strip() else None

    def _question(
        self,
        case: Case,
        tasks: tuple[Sequence[Message], Sequence[Message]],
        answers: tuple[str, str],
        reference: str | None,
    ) -> tuple[Message, ...]:
        criteria = self._settings.criteria or case.criteria or USUAL_CRITERIA
        return pair_question(tasks=tasks, criteria=criteria, reference=reference, answers=answers)


def create(settings: PairwiseSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    return PairwiseJudge(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[PairwiseSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="pairwise",
            summary="A judge model finds the output no worse than the reference, in both orders",
            settings=PairwiseSettings,
            create=create,
            pairs=True,
        )
    ]
