"""What a run found out: from one scorer's verdict up to the whole record.

Verdicts are pass, fail or error, and nothing turns an error into a pass. Everywhere
``total = passed + failed + errors + not_run``. Unknown counts and costs are ``None``, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from .measures import LabelsResult, PanelResult, PassAtResult
from .values import NOTHING, JsonMapping, JsonValue, Message


class Status(StrEnum):
    """Whether a case could be judged, and if not, what stood in the way."""

    SCORED = "scored"
    API_ERROR = "api_error"
    """The model could not be asked, or its reply holds nothing to grade."""
    JUDGE_API_ERROR = "judge_api_error"
    """A model that a scorer asked did not answer."""
    JUDGE_ERROR = "judge_error"
    """The scorer could not judge: a judge's reply without a usable verdict."""
    INTERNAL_ERROR = "internal_error"
    """Rendering or scoring failed in an unforeseen way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreResult:
    """One scorer's verdict on one output, with ``negate`` and ``threshold`` applied."""

    scorer: str
    name: str
    """The label: the file's ``name``, or the scorer's."""
    passed: bool | None
    """``None`` when the scorer could not judge."""
    score: float | None
    """From 0 to 1; ``None`` when the scorer could not judge."""
    reason: str = ""
    """Why; the error message when the scorer could not judge."""
    weight: float = 1.0
    status: Status = Status.SCORED
    details: JsonMapping = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """One run of one case: asked once, judged once."""

    repeat: int
    """Which run it is, from 0."""
    status: Status
    passed: bool
    """False for every status but ``scored``."""
    score: float | None
    """The weighted mean of the scores, 0 to 1; ``None`` for every status but ``scored``."""
    messages: tuple[Message, ...] = ()
    """The rendered prompt."""
    transcript: tuple[Message, ...] = ()
    """For several turns: the whole conversation with the model's answers; empty otherwise."""
    response: str = ""
    reasoning: str | None = None
    """A judge's reasoning, when a judge gave one."""
    error: str | None = None
    """One line; ``None`` when ``status`` is ``scored``."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    """What the answer costs; for a cached answer what it cost when it was bought."""
    judge_prompt_tokens: int | None = None
    judge_completion_tokens: int | None = None
    judge_cost_usd: float | None = None
    """``None`` when unknown; 0.0 when no judge was asked."""
    spent_usd: float | None = None
    """What this run paid now: 0.0 when everything came from the cache, ``None`` when a paid part is unknown."""
    latency_ms: float | None = None
    """Milliseconds of the call that brought the answer; for a cached answer those of the original call."""
    cached: bool = False
    """Whether the answer came from the cache."""
    attempts: int = 0
    """Calls made for the answer, failed ones included; 0 when it came from the cache."""
    finish_reason: str | None = None
    scores: tuple[ScoreResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What became of one case under one combo; with ``repeat`` the verdict over its runs."""

    model: str
    """The label of the model."""
    prompt_id: str
    id: str
    status: Status
    passed: bool
    score: float | None
    """The mean over the runs that were scored; ``None`` unless ``status`` is ``scored``."""
    runs: tuple[CaseRun, ...]
    """At least one."""
    tags: tuple[str, ...] = ()
    evaluation: str = ""
    expected: JsonValue = None
    metadata: JsonMapping = field(default_factory=lambda: NOTHING)
    human_score: float | None = None
    flaky: bool = False
    """Whether some runs passed and others did not."""
    cluster: str | None = None
    """What the case shares with others; ``None`` when it stands for itself."""

    @property
    def error(self) -> str | None:
        """The first run's error message, or ``None``."""
        return next((run.error for run in self.runs if run.error is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagResult:
    """What became of the cases that carry one tag, under one combo."""

    tag: str
    total: int
    passed: int
    failed: int
    errors: int
    not_run: int = 0
    score: float | None = None
    """Per cent passed of those scored; ``None`` when none was."""
    score_low: float | None = None
    score_high: float | None = None
    warn: bool = False
    """Whether the score is below 70."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComboResult:
    """What became of one combo (a model with a prompt)."""

    model: str
    prompt_id: str
    total: int
    """Cases planned: ``passed + failed + errors + not_run``."""
    passed: int
    failed: int
    errors: int
    not_run: int = 0
    """Cases that an interruption or a spent budget left out."""
    score: float | None = None
    """Per cent passed of those scored, 0 to 100; ``None`` when none was."""
    score_low: float | None = None
    """The lower bound of the 95 % interval of ``score``: Wilson's, over cases, or over clusters where there are any.
    ``None`` also when all cases belong to one cluster, which says nothing about how others would do."""
    score_high: float | None = None
    clusters: int | None = None
    """How many clusters the scored cases belong to, each case without one counted as its own; ``None`` when no two
    cases share one."""
    effective_cases: float | None = None
    """How many unrelated cases would tell the score as well as these clusters do; ``None`` without clusters."""
    run_score: float | None = None
    """Per cent passed of the runs that were scored; ``None`` when no case was run more than once."""
    run_score_low: float | None = None
    """The lower bound of the 95 % interval of ``run_score``, in which the runs of a case never count as cases."""
    run_score_high: float | None = None
    scored_runs: int | None = None
    """How many runs ``run_score`` is of; ``None`` when no case was run more than once."""
    pass_at: tuple[PassAtResult, ...] = ()
    """How likely some or all of k runs of a case pass, for several k; empty when no case was run more than once."""
    mean_score: float | None = None
    """The mean of the case scores, 0 to 1, over those scored."""
    flaky: int = 0
    truncated: int = 0
    """Answers that were graded although the token limit cut them off."""
    cached: int = 0
    """Runs whose answer came from the cache."""
    runs: int = 0
    """Runs of cases; more than the cases when they are repeated."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    """What the answers and their judging cost; ``None`` when any part is unknown."""
    judge_cost_usd: float | None = None
    spent_usd: float | None = None
    """What this run paid now."""
    unknown_costs: int = 0
    """Calls whose cost is unknown."""
    latency_p50_ms: float | None = None
    latency_p95_ms: float | None = None
    tags: tuple[TagResult, ...] = ()
    labels: LabelsResult | None = None
    """How well labels were told apart; ``None`` when the answers are no choice among labels."""
    panel: PanelResult | None = None
    """What several judges of the same answers came to; ``None`` when none had several."""
    cases: Sequence[CaseResult] = ()
    """In file order. May read them from disk as they are asked for."""

    @property
    def scored(self) -> int:
        """How many cases could be judged."""
        return self.passed + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """A combo that a recommendation names."""

    model: str
    prompt_id: str
    score: float
    """Per cent passed of those scored."""
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerUp:
    """The next best combo, and whether the best one is really better than it."""

    model: str
    prompt_id: str
    score: float
    """Per cent passed of those scored."""
    cases: int
    """How many cases both could score: what the following figures are of."""
    lead: float
    """By how many points the best combo is ahead on those cases; of passed runs, where cases were repeated."""
    lead_low: float | None = None
    """The lower bound of the 95 % interval of ``lead``."""
    lead_high: float | None = None
    p_value: float | None = None
    """Of the paired test; ``None`` when there is nothing to test."""
    told_apart: bool = False
    """Whether the lead is more than chance."""
    more_cases: int | None = None
    """About how many further cases would settle a difference of this size in four of five runs; ``None`` when there is
    nothing to settle."""
    message: str = ""
    """The sentence that says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the run passes its gate, and the sentence that says why."""

    passed: bool
    message: str
    """As printed: ``PASS: best score meets quality_threshold (85).``"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """What the results come to."""

    passed: bool
    """Whether the exit code is 0."""
    verdict: str = ""
    """The PASS or FAIL line; empty when there is no gate and the run is fine."""
    best_quality: Best | None = None
    best_value: Best | None = None
    runner_up: RunnerUp | None = None
    """What comes after the best quality, and how sure that is; ``None`` with one combo."""
    tags: tuple[TagResult, ...] = ()
    """Of the best combo: those that warn first, then by name."""
    warnings: tuple[str, ...] = ()
    errors: int = 0
    total: int = 0
    quality_threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginUsed:
    """A plugin that took part in a run."""

    name: str
    distribution: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """Everything about one run: what the JSON file in ``results/`` holds."""

    run_id: str
    benchmark: str
    timestamp: str
    """When the run started: ISO 8601 with offset."""
    schema_version: int = 2
    """1 is evalblink's; 2 adds what this page describes."""
    steelyard_version: str = ""
    format: str = ""
    judge_model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    quality_threshold: float | None = None
    concurrency: int | None = None
    repeat: int = 1
    seed: int | None = None
    filters: JsonMapping = field(default_factory=lambda: NOTHING)
    """Which part was run: ``models``, ``prompts``, ``tags``, ``text``, ``limit``; empty for all of it."""
    manifest: JsonMapping = field(default_factory=lambda: NOTHING)
    """What it takes to do the run again: file hash, versions, git commit."""
    plugins: tuple[PluginUsed, ...] = ()
    interrupted: bool = False
    duration_s: float | None = None
    results: tuple[ComboResult, ...] = ()
    """Model by model, prompt by prompt, in the order of the file."""
    insights: Insights = field(default_factory=lambda: Insights(passed=False))
