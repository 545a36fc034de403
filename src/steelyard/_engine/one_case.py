"""One run of one case: render, ask turn by turn, score each, and say what came of it. Nothing a plugin does escapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..api import Case, CaseRun, Message, Output, Parameters, Request, ScoreResult, Status
from ..errors import ProviderError
from .asking import Account, Judges
from .faults import BlamedError, described, must_pass
from .ledger import added
from .plan import BoundScorer, Combo
from .replies import Reply
from .scoring import score, weighted_mean
from .wording import sendable


@dataclass(slots=True, kw_only=True)
class Task:
    """A case as a combo runs it: what all its runs have in common."""

    combo: Combo
    case: Case
    parameters: Parameters
    messages: tuple[Message, ...] = ()
    """The rendered prompt."""
    scorers: tuple[BoundScorer, ...] = ()
    broken: str | None = None
    """Why it cannot be run at all."""


@dataclass(slots=True)
class Ran:
    """What one run of a case came to."""

    run: CaseRun
    asked: bool
    """Whether a request was made for it."""
    refused: bool
    """Whether a call was left out because the budget or the quota is spent."""
    unjudged_by: tuple[BoundScorer, ...] = ()
    """The scorers whose own calls were left out."""


def prepare(combo: Combo, case: Case, parameters: Parameters, scorers: Sequence[BoundScorer] | BaseException) -> Task:
    """Render a case. What goes wrong is kept in ``broken``: it is a result like any other."""
    task = Task(combo=combo, case=case, parameters=parameters)
    if isinstance(scorers, BaseException):
        task.broken = described(scorers, f"case {case.id!r}")
        return task
    task.scorers = tuple(scorers)
    if not task.scorers:
        task.broken = f"case {case.id!r}: nothing judges it; give it an evaluation"
        return task
    try:
        rendered = combo.prompt.render(case)
        task.messages = tuple(Message(role=one.role, content=sendable(one.content)) for one in rendered)
    except BaseException as error:
        if must_pass(error):
            raise
        task.broken = described(error, f"prompt {combo.prompt.id!r}, case {case.id!r}")
        return task
    if not task.messages and not case.turns:
        task.broken = f"prompt {combo.prompt.id!r}: has no message for case {case.id!r}"
    return task


async def run_once(task: Task, repeat: int, judges: Judges, *, kept_only: bool = False) -> Ran:
    """Run a case once. Never raises, except for what means "stop".

    Args:
        task: The case.
        repeat: Which run it is.
        judges: Whom to ask, and whom its scorers may ask.
        kept_only: Ask nothing that is not in the cache.
    """
    trial = _Trial(task=task, repeat=repeat, judges=judges, kept_only=kept_only, messages=list(task.messages))
    try:
        if task.broken is not None:
            raise _UnansweredError(Status.INTERNAL_ERROR, task.broken)
        await trial.converse()
        await trial.judge()
        run = trial.judged()
    except _UnansweredError as error:
        run = trial.failed(error.status, str(error))
    except BaseException as error:
        if must_pass(error):
            raise
        run = trial.failed(Status.INTERNAL_ERROR, described(error, f"case {task.case.id!r}"))
    return Ran(
        run,
        asked=trial.asking.attempts > 0 or trial.judging.attempts > 0,
        refused=trial.asking.refused or trial.judging.refused,
        unjudged_by=tuple(trial.unjudged_by),
    )


class _UnansweredError(Exception):
    """There is nothing to grade: the status of the run, and why."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True, kw_only=True)
class _Trial:
    """One run of a case in progress."""

    task: Task
    repeat: int
    judges: Judges
    kept_only: bool
    messages: list[Message]
    """The conversation so far."""
    answers: list[tuple[Reply, tuple[Message, ...]]] = field(default_factory=list)
    """Each answer with what led to it."""
    asking: Account = field(default_factory=Account)
    judging: Account = field(default_factory=Account)
    scores: list[ScoreResult] = field(default_factory=list)
    unjudged_by: list[BoundScorer] = field(default_factory=list)

    async def converse(self) -> None:
        """Have the conversation: the prompt's one question, or the turns that the case prescribes."""
        turns = self.task.case.turns
        for turn in turns:
            if turn.content is None:
                await self._ask()
            else:
                self.messages.append(Message(role=turn.role, content=sendable(turn.content)))
        if not turns or turns[-1].role != "assistant":
            await self._ask()
        if not self.answers:
            raise _UnansweredError(
                Status.INTERNAL_ERROR, f"case {self.task.case.id!r}: no turn is left for the model to answer"
            )

    async def _ask(self) -> None:
        task, model = self.task, self.task.combo.model
        messages = tuple(self.messages)
        request = Request(
            model=model.model,
            messages=messages,
            parameters=task.parameters,
            timeout_s=model.policy.timeout_s,
            repeat=self.repeat,
            input=task.case.input,
            variables=task.case.variables,
            case={"id": task.case.id, "expected": task.case.expected, "metadata": task.case.metadata},
        )
        try:
            reply = await self.judges.caller.call(model, request, kept_only=self.kept_only)
        except ProviderError as error:
            self.asking.book_failure(error)
            raise _UnansweredError(Status.API_ERROR, described(error, model.blame)) from error
        except BlamedError as error:
            self.asking.book_failure(error)
            raise _UnansweredError(Status.INTERNAL_ERROR, described(error, model.blame)) from error
        self.asking.book(reply)
        self.answers.append((reply, messages))
        if reply.completion.problem is not None:
            raise _UnansweredError(Status.API_ERROR, described(ProviderError(reply.completion.problem), model.blame))
        self.messages.append(Message(role="assistant", content=sendable(reply.completion.text)))

    async def judge(self) -> None:
        """Let every scorer judge. None of them keeps the others from it."""
        for scorer in self.task.scorers:
            output = self._output_for(scorer)
            scored = await score(
                scorer, self.task.case, output, judges=self.judges, account=self.judging, repeat=self.repeat
            )
            self.scores.append(scored.result)
            if scored.refused:
                self.unjudged_by.append(scorer)

    def _output_for(self, scorer: BoundScorer) -> Output | None:
        position = -1 if scorer.turn is None else scorer.turn
        if not -len(self.answers) <= position < len(self.answers):
            return None
        reply, messages = self.answers[position]
        completion, seed = reply.completion, self.task.parameters.seed
        return Output(
            text=completion.text,
            messages=messages,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
            cost_usd=reply.cost_usd,
            latency_ms=reply.latency_ms,
            repeat=self.repeat,
            seed=self.judges.seed if seed is None else seed,
            model=self.task.combo.model.id,
        )

    def judged(self) -> CaseRun:
        """Return what the scores come to: the first error among them, or pass and fail."""
        first = next((one for one in self.scores if one.status is not Status.SCORED), None)
        if first is not None:
            # What it raised by itself comes in its own words; a provider's or a plugin's failure says whose it is.
            own = len(self.scores) > 1 or first.status is Status.JUDGE_ERROR
            named = own and first.name not in first.reason
            return self.failed(first.status, f"{first.name}: {first.reason}" if named else first.reason)
        passed = all(one.passed for one in self.scores)
        return self._run(Status.SCORED, passed=passed, score=weighted_mean(self.scores), error=None)

    def failed(self, status: Status, message: str) -> CaseRun:
        """Return the run as an error, with everything that was answered, judged and paid before."""
        return self._run(status, passed=False, score=None, error=message)

    def _run(self, status: Status, *, passed: bool, score: float | None, error: str | None) -> CaseRun:
        last = self.answers[-1][0] if self.answers else None
        return CaseRun(
            repeat=self.repeat,
            status=status,
            passed=passed,
            score=score,
            messages=self.answers[0][1] if self.answers else self.task.messages,
            transcript=tuple(self.messages) if self.task.case.turns else (),
            response="" if last is None else last.completion.text,
            reasoning=self._reasoning(),
            error=error,
            prompt_tokens=self.asking.prompt_tokens,
            completion_tokens=self.asking.completion_tokens,
            cost_usd=self.asking.cost_usd,
            judge_prompt_tokens=self.judging.prompt_tokens,
            judge_completion_tokens=self.judging.completion_tokens,
            judge_cost_usd=self.judging.cost_usd,
            spent_usd=added(self.asking.spent_usd, self.judging.spent_usd),
            latency_ms=None if last is None else last.latency_ms,
            cached=last is not None and all(reply.cached for reply, _messages in self.answers),
            attempts=self.asking.attempts,
            finish_reason=None if last is None else last.completion.finish_reason,
            scores=tuple(self.scores),
        )

    def _reasoning(self) -> str | None:
        """Return what the first judge that explained itself at length had to say."""
        for one in self.scores:
            reasoning = one.details.get("reasoning")
            if isinstance(reasoning, str):
                return reasoning
        return None
