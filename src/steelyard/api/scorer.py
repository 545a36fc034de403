"""Scorers: what judges an output."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol

from ..errors import Problem
from .benchmark import Benchmark, Case
from .plugin import PluginContext, S
from .provider import Completion
from .values import NO_PARAMETERS, NO_USAGE, NOTHING, JsonMapping, Message, Parameters, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a model answered to a case, as a scorer sees it."""

    text: str
    """The answer that is judged: of several turns the last one, unless the scorer is set to another."""
    messages: tuple[Message, ...] = ()
    """The rendered prompt that led to it, earlier turns included, without the answer itself."""
    finish_reason: str | None = None
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    latency_ms: float | None = None
    repeat: int = 0
    """Which run of the case this is, from 0."""
    seed: int | None = None
    model: str = ""
    """The label of the model that answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One scorer's verdict."""

    value: float
    """From 0 (worst) to 1 (best); finite."""
    passed: bool
    reason: str = ""
    """Why, in one line, for a person: what was found and what was wanted."""
    details: JsonMapping = field(default_factory=lambda: NOTHING)
    """Further facts for the record, such as a judge's own score and reasoning. Reports make more of some of them:
    ``judge_score`` says that a model scored; ``label``, an object with ``expected`` and ``output``, that the output is
    a choice among labels; ``judges``, a list of objects with ``model``, ``score``, ``passed`` and ``cost``, that
    several judges scored it."""


class Ask(Protocol):
    """A scorer's way to ask a model: through the host's cache, retries, limits and cost account."""

    async def complete(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        parameters: Parameters = NO_PARAMETERS,
        timeout_s: float | None = None,
    ) -> Completion:
        """Ask ``model`` (``PROVIDER:MODEL``, or the id of a model the benchmark names).

        Raises ``ProviderError`` when the call failed for good, also for a reply with nothing to grade; let it pass, the
        host records ``judge_api_error``. Tokens and cost are booked on the case that is being judged.
        """

    def complete_blocking(
        self,
        *,
        model: str,
        messages: Sequence[Message],
        parameters: Parameters = NO_PARAMETERS,
        timeout_s: float | None = None,
    ) -> Completion:
        """Do the same from a scorer that is a plain function."""


class Scorer(Protocol):
    """Judges outputs. The least a scorer must do."""

    def score(self, case: Case, output: Output, ask: Ask) -> Score | Awaitable[Score]:
        """Judge one output.

        May be ``async def``. A plain function runs in worker threads, several at once, so keep no state between calls.

        ``ask`` calls a model through the host's cache, retries and cost account; use it rather than a client of your
        own. Raise ``ScorerError`` when the output cannot be judged: the case is counted as an error, not as a zero. Any
        other exception is treated the same way and blamed on your plugin. ``negate``, ``weight`` and ``threshold`` are
        applied by the host.
        """


class SupportsCheck(Protocol):
    """A scorer that can tell, before any call, that a case does not suit it."""

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Look at one case that uses the scorer. Leave ``place`` empty: the host fills it in. Never calls a model.

        A problem's ``path`` may name the key of the case that it is about (``expected_output``), so that the host can
        point at its line.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAsk:
    """A question that a scorer is going to ask, for estimates."""

    model: str
    prompt_chars: int
    """Characters of the question, apart from the output that it will hold."""
    max_tokens: int
    """The judge's own output budget, in tokens."""
    includes_output: bool = True
    """Whether the question also holds the output under judgement."""


class SupportsAsks(Protocol):
    """A scorer that asks models, and can say beforehand which and how much."""

    def asks(self, benchmark: Benchmark, case: Case, messages: Sequence[Message]) -> Iterable[PlannedAsk]:
        """List the questions that judging ``case`` takes; ``messages`` is its rendered prompt. Never calls a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Which of two outputs is better."""

    winner: Literal["output", "other", "tie"]
    flipped: bool = False
    """Whether the judge named another one when the outputs were swapped."""
    first_wins: int = 0
    """How often whatever was shown first won, over all orders that were asked."""
    decided: int = 0
    """In how many orders there was a winner."""
    reason: str = ""
    details: JsonMapping = field(default_factory=lambda: NOTHING)


class SupportsPairs(Protocol):
    """A scorer that can say which of two outputs is better, for ``steelyard pairwise``. Its spec says ``pairs``."""

    def prefer(self, case: Case, output: Output, other: Output, ask: Ask) -> Preference | Awaitable[Preference]:
        """Compare two outputs of the same case. ``case.criteria`` says what makes one better, where it is known.

        Asks in both orders, and calls it a tie unless the same one wins in both. Raise ``ScorerError`` when there is no
        verdict: the pair is counted as an error, not as a tie.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerSpec(Generic[S]):
    """How a plugin offers a scorer."""

    name: str
    """What a file writes as ``evaluation: NAME`` or ``type: NAME``."""
    summary: str
    """One line, as a statement that holds when the scorer passes: ``Output equals the expected label``."""
    settings: type[S]
    """A frozen dataclass whose fields are the options; ``NoSettings`` for none. None may be called ``name``,
    ``negate``, ``turn``, ``type`` or ``weight``: the host takes these from every entry of ``scorers``. There it takes
    ``threshold`` too, which may be an option all the same: it reaches the scorer from beside ``evaluation``."""
    create: Callable[[S, PluginContext], Scorer]
    """Makes the scorer, once per distinct settings. Import heavy libraries here. Raise ``UsageError`` for settings that
    cannot work: it is reported before any call."""
    inline: bool = False
    """True when ``score`` is a plain function, pure and quick: it is then called on the event loop itself."""
    timeout_s: float = 60.0
    """Seconds that one call of ``score`` may take, apart from waiting for models, before the host gives it up."""
    pairs: bool = False
    """True for a scorer with ``SupportsPairs``, which then takes the judge as its option ``model``."""
    deprecated: str = ""
    """For a component that is to go: what to use instead, and in which version it goes. Whoever uses it is warned."""
