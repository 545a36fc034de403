"""What the results of a combo come to: tallies that run along, so that no result has to be kept for them.

Everywhere ``total = passed + failed + errors + not_run``. Rates are of the cases that could be scored; sums of unknown
amounts are unknown.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..api import CaseResult, CaseRun, ComboResult, Status, TagResult
from .attempts import AttemptTally
from .labels import LabelTally
from .panels import PanelTally
from .rates import RateTally
from .statistics import percentile
from .sums import Sum

WARN_BELOW = 70
"""Per cent of a tag's scored cases that must pass, or the tag warns."""


class Counts:
    """How many cases passed, failed, could not be judged and were not run."""

    __slots__ = ("_rate", "errors", "failed", "not_run", "passed")

    def __init__(self) -> None:
        self.passed = self.failed = self.errors = self.not_run = 0
        self._rate = RateTally()

    def add(self, result: CaseResult) -> None:
        """Count one case."""
        if result.status is not Status.SCORED:
            self.errors += 1
            return
        self.passed += result.passed
        self.failed += not result.passed
        self._rate.add(int(result.passed), cluster=result.cluster)

    @property
    def done(self) -> int:
        """Cases that were run."""
        return self.passed + self.failed + self.errors

    def score(self) -> Score:
        """Return the per cent passed of those scored with its 95 % interval."""
        return Score.of(self._rate)


@dataclass(frozen=True, slots=True)
class Score:
    """A rate in per cent, as results have it."""

    value: float | None = None
    """``None`` when nothing was scored."""
    low: float | None = None
    high: float | None = None
    clusters: int | None = None
    effective: float | None = None

    @classmethod
    def of(cls, tally: RateTally) -> Score:
        """Return the rate that a tally comes to."""
        rate = tally.rate()
        if rate is None:
            return cls()
        low, high = (None if bound is None else 100 * bound for bound in (rate.low, rate.high))
        if not tally.clustered:
            return cls(rate.per_cent, low, high)
        return cls(rate.per_cent, low, high, rate.units, rate.size)


class ComboTally:
    """What became of a combo so far, without the results themselves."""

    def __init__(self, model: str, prompt_id: str) -> None:
        self.model = model
        self.prompt_id = prompt_id
        self.counts = Counts()
        self.spent = Sum()
        self._tags: dict[str, Counts] = {}
        self._scores = Sum()
        self._scored = 0
        """Cases whose score is known: all that were scored, but for records that others wrote."""
        self._flaky = self._truncated = self._cached = self._runs = 0
        self._prompt_tokens, self._completion_tokens = Sum(), Sum()
        self._costs, self._judge_costs = Sum(), Sum()
        self._latencies_ms = array("d")
        self._run_rate = RateTally()
        self._repeated = False
        self._labels = LabelTally()
        self._panel = PanelTally()
        self._attempts = AttemptTally()

    def add(self, result: CaseResult) -> None:
        """Count a case that was run."""
        self.counts.add(result)
        for tag in result.tags:
            self._tag(tag).add(result)
        if result.score is not None:
            self._scores.add(result.score)
            self._scored += 1
        self._flaky += result.flaky
        for run in result.runs:
            self._add_run(run)
        self._labels.add(result.runs, result.cluster)
        self._panel.add(result.runs, result.cluster)
        self._attempts.add(result.runs, result.cluster)
        self._repeated |= len(result.runs) > 1
        scored = [run.passed for run in result.runs if run.status is Status.SCORED]
        if scored:
            self._run_rate.add(sum(scored), len(scored), result.cluster)

    def _add_run(self, run: CaseRun) -> None:
        self._runs += 1
        self._cached += run.cached
        self._truncated += run.finish_reason == "length" and run.status is not Status.API_ERROR
        self._prompt_tokens.add(run.prompt_tokens)
        self._completion_tokens.add(run.completion_tokens)
        self._costs.add(run.cost_usd)
        self._judge_costs.add(run.judge_cost_usd)
        self.spent.add(run.spent_usd)
        if run.latency_ms is not None:
            self._latencies_ms.append(run.latency_ms)

    def leave_out(self, tags: Sequence[str]) -> None:
        """Count a case that was not run."""
        self.counts.not_run += 1
        for tag in tags:
            self._tag(tag).not_run += 1

    def _tag(self, tag: str) -> Counts:
        return self._tags.setdefault(tag, Counts())

    def result(self, total: int | None, cases: Sequence[CaseResult]) -> ComboResult:
        """Return what became of the combo.

        Args:
            total: Cases planned; ``None`` when nobody could count those that were not begun.
            cases: Where the results are.
        """
        counts = self.counts
        total = max(total or 0, counts.done + counts.not_run)
        score = counts.score()
        runs = Score.of(self._run_rate) if self._repeated else Score()
        latencies = sorted(self._latencies_ms)
        costs = self._costs.known + self._judge_costs.known
        unknown_costs = self._costs.unknown + self._judge_costs.unknown
        return ComboResult(
            model=self.model,
            prompt_id=self.prompt_id,
            total=total,
            passed=counts.passed,
            failed=counts.failed,
            errors=counts.errors,
            not_run=total - counts.done,
            score=score.value,
            score_low=score.low,
            score_high=score.high,
            clusters=score.clusters,
            effective_cases=score.effective,
            run_score=runs.value,
            run_score_low=runs.low,
            run_score_high=runs.high,
            scored_runs=self._run_rate.count if self._repeated else None,
            pass_at=self._attempts.result() if self._repeated else (),
            mean_score=self._scores.known / self._scored if self._scored else None,
            flaky=self._flaky,
            truncated=self._truncated,
            cached=self._cached,
            runs=self._runs,
            prompt_tokens=self._prompt_tokens.whole,
            completion_tokens=self._completion_tokens.whole,
            cost_usd=None if unknown_costs else costs,
            judge_cost_usd=self._judge_costs.total,
            spent_usd=self.spent.total,
            unknown_costs=unknown_costs,
            latency_p50_ms=percentile(latencies, 0.50),
            latency_p95_ms=percentile(latencies, 0.95),
            tags=in_order(_tag_result(tag, of) for tag, of in self._tags.items()),
            labels=self._labels.result(),
            panel=self._panel.result(),
            cases=cases,
        )


def _tag_result(tag: str, counts: Counts) -> TagResult:
    score = counts.score()
    scored = counts.passed + counts.failed
    return TagResult(
        tag=tag,
        total=counts.done + counts.not_run,
        passed=counts.passed,
        failed=counts.failed,
        errors=counts.errors,
        not_run=counts.not_run,
        score=score.value,
        score_low=score.low,
        score_high=score.high,
        warn=100 * counts.passed < WARN_BELOW * scored,
    )


def in_order(tags: Iterable[TagResult]) -> tuple[TagResult, ...]:
    """Return tags as they are shown: those that warn first, then by name."""
    return tuple(sorted(tags, key=lambda tag: (not tag.warn, tag.tag)))
