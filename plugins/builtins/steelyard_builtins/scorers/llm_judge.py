"""LLM judge: another model reads the output and gives it a score by criteria.

The judge reasons before it scores, from 1 to 5 unless told otherwise; the score becomes a share from 0 to 1. Several
judges can be asked and brought together. A judge that gives no readable verdict has not judged: the case is an error,
never a zero, also when others of a panel have.
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
    Problem,
    Score,
    Scorer,
    ScorerSpec,
    option,
)
from steelyard.errors import ScorerError, UsageError
from steelyard.text import one_line

from ._judge_panel import Combine, Opinion, decide, panel_details, reasoning_of, share_of
from ._judge_question import question
from ._self_preference import relatives
from ._verdict import NoVerdictError, read_verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmJudgeSettings:
    """The options of the judge."""

    model: str | None = option(None, doc="The judge: PROVIDER:MODEL, or the id of a model that the benchmark names.")
    models: tuple[str, ...] = option((), doc="Several judges, each asked by itself, in place of one model.")
    combine: Combine = option(
        "mean", doc="How several judges become one: mean or median of their scores, or majority of their verdicts."
    )
    criteria: str | None = option(None, doc="What the judge looks for; by default the case's criteria.")
    rubric: str | None = option(None, doc="Another name for criteria.")
    reference: str | None = option(None, doc="A good answer to compare with; by default the case's reference.")
    scale: int = option(5, doc="The highest score; the lowest is 1.", minimum=2, maximum=100)
    threshold: float = option(
        0.70, doc="The share of the way up the scale from which on it passes.", minimum=0, maximum=1
    )
    min_score: float | None = option(
        None, doc="The score on the scale from which on it passes, in place of the threshold.", minimum=1
    )
    max_tokens: int | None = option(4096, doc="The judge's own output budget, thinking included.", minimum=1)
    temperature: float | None = option(0.0, doc="The judge's temperature; null leaves it to the server.", minimum=0)


class LlmJudge:
    """Asks a model for a verdict."""

    def __init__(self, settings: LlmJudgeSettings) -> None:
        self._settings = settings
        self._warned = False

    async def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the judge's score is high enough."""
        settings, judges = self._settings, self._judges
        criteria = self._criteria(case)
        if not judges or not criteria:
            raise ScorerError("needs a judge model and criteria")
        messages = self._question(case, criteria, output.messages, output.text)
        asked = (self._opinion(judge, messages, output, ask) for judge in judges)
        # All are waited for, also when one fails: what they cost is booked on the case either way.
        found = await asyncio.gather(*asked, return_exceptions=True)
        opinions = []
        for opinion in found:
            if isinstance(opinion, BaseException):
                raise opinion
            opinions.append(opinion)
        decision = decide(opinions, settings.combine, settings.scale, self._passes)
        reasoning = reasoning_of(opinions)
        return Score(
            value=decision.value,
            passed=decision.passed,
            reason=one_line(f"judge score {decision.score:g}/{settings.scale}: {reasoning}", 500),
            details={
                "judge_score": decision.score,
                "judge_scale": settings.scale,
                "judge_model": ", ".join(judges),
                "reasoning": reasoning,
                **(panel_details(opinions, self._passes) if len(opinions) > 1 else {}),
            },
        )

    async def _opinion(self, judge: str, messages: Sequence[Message], output: Output, ask: Ask) -> Opinion:
        settings = self._settings
        reply = await ask.complete(
            model=judge,
            messages=messages,
            parameters=Parameters(temperature=settings.temperature, max_tokens=settings.max_tokens),
        )
        cut_off = reply.finish_reason == "length"
        try:
            verdict = read_verdict(reply.text, scale=settings.scale, candidate=output.text, cut_off=cut_off)
        except NoVerdictError as error:
            hint = "; the judge's token limit cut it off, raise max_tokens" if cut_off else ""
            said = one_line(reply.text, 200) or "nothing"
            raise ScorerError(f"judge {judge!r} gave no verdict: {error}{hint}; it replied: {said}") from error
        return Opinion(judge, verdict.score, verdict.reasoning, reply.cost_usd)

    def _passes(self, score: float) -> bool:
        settings = self._settings
        if settings.min_score is not None:
            return score >= settings.min_score
        return share_of(score, settings.scale) >= settings.threshold

    @property
    def _judges(self) -> tuple[str, ...]:
        settings = self._settings
        return settings.models or ((settings.model,) if settings.model is not None else ())

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a missing judge or missing criteria, and, once, a judge that may favour the candidates."""
        if not self._judges:
            yield Problem(
                message="llm_judge: needs a judge model",
                path="evaluation.judge_model",
                hint="name one, or give the scorer a model",
            )
        if not self._criteria(case):
            yield Problem(message="llm_judge: needs criteria", path="criteria", hint="say what a good answer must have")
        for judge in () if self._warned else self._judges:
            shared = relatives(benchmark, judge)
            if shared:
                self._warned = True
                yield Problem(
                    severity="warning",
                    message=f"judge {judge!r} shares a vendor with {', '.join(map(repr, shared))}",
                    path="evaluation.judge_model",
                    hint="models favour their own kind by 10 to 25 %; take a judge of another vendor",
                )

    def asks(self, benchmark: Benchmark, case: Case, messages: Sequence[Message]) -> Iterable[PlannedAsk]:
        """Announce the question that each judge is asked."""
        del benchmark
        criteria = self._criteria(case)
        if not criteria:
            return
        asked = self._question(case, criteria, messages, "")
        for judge in self._judges:
            yield PlannedAsk(
                model=judge,
                prompt_chars=sum(len(message.content) for message in asked),
                max_tokens=self._settings.max_tokens or 0,
            )

    def _criteria(self, case: Case) -> str:
        own = self._settings.criteria or self._settings.rubric or case.criteria or ""
        return own if own.strip() else ""

    def _question(self, case: Case, criteria: str, task: Sequence[Message], answer: str) -> tuple[Message, ...]:
        reference = self._settings.reference or case.reference
        return question(task=task, criteria=criteria, reference=reference, answer=answer, scale=self._settings.scale)


def create(settings: LlmJudgeSettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` for options that contradict each other."""
    del context
    if settings.criteria is not None and settings.rubric is not None:
        raise UsageError("llm_judge: give either 'criteria' or 'rubric', they mean the same")
    if settings.min_score is not None and settings.min_score > settings.scale:
        raise UsageError(f"llm_judge: 'min_score' {settings.min_score:g} is above the scale of {settings.scale}")
    if len(set(settings.models)) < len(settings.models):
        raise UsageError("llm_judge: 'models' names a judge twice; each counts once")
    return LlmJudge(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[LlmJudgeSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="llm_judge",
            summary="A judge model finds that the output meets the criteria",
            settings=LlmJudgeSettings,
            create=create,
        )
    ]
