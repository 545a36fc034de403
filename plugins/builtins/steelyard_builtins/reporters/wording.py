"""What every report says about a run in words: how cases were counted, what it cost, what is recommended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from steelyard.api import Best, CaseResult, CaseRun, RunRecord, ScoreResult, Status

from .figures import money, percent

ERROR_LABELS = {
    Status.API_ERROR: "API error",
    Status.JUDGE_API_ERROR: "judge API error",
    Status.JUDGE_ERROR: "judge error",
    Status.INTERNAL_ERROR: "internal error",
}

_SAME_MONEY_USD = 5e-7
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The counts of a run over all combos: ``planned = passed + failed + errors + not_run``."""

    planned: int
    passed: int
    failed: int
    errors: int
    not_run: int
    cost_usd: float | None
    spent_usd: float | None
    unknown_costs: int
    runs: int
    cached: int
    """Runs whose answer came from the cache."""

    @classmethod
    def of(cls, record: RunRecord) -> Totals:
        """Add up the combos of a record."""
        combos = record.results
        return cls(
            planned=sum(combo.total for combo in combos),
            passed=sum(combo.passed for combo in combos),
            failed=sum(combo.failed for combo in combos),
            errors=sum(combo.errors for combo in combos),
            not_run=sum(combo.not_run for combo in combos),
            cost_usd=total(combo.cost_usd for combo in combos),
            spent_usd=total(combo.spent_usd for combo in combos),
            unknown_costs=sum(combo.unknown_costs for combo in combos),
            runs=sum(combo.runs for combo in combos),
            cached=sum(combo.cached for combo in combos),
        )

    def accounting(self) -> str:
        """Return where every planned case went."""
        return (
            f"Cases planned: {self.planned} = {self.passed} passed + {self.failed} failed"
            f" + {self.errors} errors + {self.not_run} not run"
        )

    def cost(self) -> str:
        """Return what the answers cost, what was paid now where that differs, and how many came from the cache."""
        unknown = f" ({self.unknown_costs} call(s) of unknown cost)" if self.unknown_costs else ""
        spent = "" if self._paid_it_all() else f", spent now {money(self.spent_usd)}"
        cached = f"; {self.cached} of {self.runs} answer(s) from the cache" if self.cached else ""
        return f"Cost: {money(self.cost_usd)}{unknown}{spent}{cached}"

    def _paid_it_all(self) -> bool:
        if self.spent_usd is None or self.cost_usd is None:
            # An unknown part of the cost is an unknown part of what was paid, unless that came from the cache.
            return self.spent_usd is None
        return abs(self.spent_usd - self.cost_usd) < _SAME_MONEY_USD

    def pipeline_errors(self) -> str:
        """Return the closing warning about cases that could not be scored."""
        return (
            f"{self.errors} of {self.planned} case(s) hit a pipeline error (API / judge failure)"
            " and are excluded from scores."
        )

    def left_out(self, *, interrupted: bool) -> str:
        """Return the closing warning about cases that were not run."""
        why = "Interrupted: " if interrupted else ""
        return f"{why}{self.not_run} of {self.planned} case(s) were not run; scores cover the others."


def recommendation(record: RunRecord) -> Iterator[tuple[str, str]]:
    """Yield what is recommended as labels and texts."""
    insights = record.insights
    gate = insights.quality_threshold
    if insights.best_quality is not None:
        best = insights.best_quality
        yield "Best quality", f"{combo_label(best.model, best.prompt_id)} ({percent(best.score, threshold=gate)})"
    if insights.best_value is not None:
        value = insights.best_value
        price = f" · {money(value.cost_usd, 4)}/run" if value.cost_usd is not None else ""
        score = percent(value.score, threshold=gate)
        short = f", below quality_threshold ({gate:g})" if gate is not None and value.score < gate else ""
        yield "Best value", f"{combo_label(value.model, value.prompt_id)} ({score}{price}){short}"
    if insights.best_quality is not None and (alike := _as_good(record, insights.best_quality)):
        yield "Same score", alike
    if insights.runner_up is not None and insights.runner_up.message:
        yield "How sure", insights.runner_up.message


def _as_good(record: RunRecord, best: Best) -> str:
    """Return which other combos reach the best score; empty when none does."""
    others = [
        combo_label(combo.model, combo.prompt_id)
        for combo in record.results
        if combo.score == best.score and (combo.model, combo.prompt_id) != (best.model, best.prompt_id)
    ]
    more = len(others) - _MOST_NAMED
    return ", ".join(others[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def combo_label(model: str, prompt_id: str) -> str:
    """Return the name of a combo: ``openai/gpt-4o-mini / v1``."""
    return f"{model} / {prompt_id}"


def verdict_word(result: CaseResult) -> str:
    """Return what became of a case in a word or two."""
    if result.status is not Status.SCORED:
        return ERROR_LABELS[result.status]
    return "flaky" if result.flaky and not result.passed else "passed" if result.passed else "failed"


def error_label(result: CaseResult) -> str:
    """Return what kind of error a case ended in; a scorer that asked no model is called by its name, not a judge."""
    if result.status is Status.JUDGE_ERROR:
        for run in result.runs:
            broken = next((score for score in run.scores if score.status is not Status.SCORED), None)
            if broken is not None and not _asked(run):
                return f"{broken.name} error"
    return ERROR_LABELS[result.status]


def reason(result: CaseResult) -> str:
    """Return why a case did not pass: the error, or what the first scorer that failed says; empty when it passed."""
    if result.status is not Status.SCORED:
        return result.error or ""
    if result.passed:
        return ""
    failed = (score for run in result.runs for score in run.scores if score.passed is False)
    first = next(failed, None)
    return "" if first is None else f"{first.name}: {first.reason}" if first.reason else f"{first.name} failed"


def plain_reason(result: CaseResult) -> str:
    """Return the same without the words of a judge, which stay in the record: of those, that it failed the case."""
    if result.status is not Status.SCORED or result.passed:
        return reason(result)
    for run in result.runs:
        for score in run.scores:
            if score.passed is False:
                said = "" if _is_judged(score, run) else score.reason
                return f"{score.name}: {said}" if said else f"{score.name} failed"
    return ""


def _is_judged(score: ScoreResult, run: CaseRun) -> bool:
    """Whether a model stands behind a score; in doubt, where one was asked and no score says so, it does."""
    if any("reasoning" in each.details for each in run.scores):
        return "reasoning" in score.details
    return _asked(run) or run.reasoning is not None


def _asked(run: CaseRun) -> bool:
    """Whether any model was asked about an answer, as far as its cost and tokens tell."""
    return run.judge_cost_usd != 0 if run.judge_prompt_tokens is None else run.judge_prompt_tokens > 0


def shown_run(result: CaseResult) -> CaseRun:
    """Return the run whose answer stands for the case: the first one with the case's own verdict."""
    alike = (run for run in result.runs if run.status is result.status and run.passed == result.passed)
    return next(alike, result.runs[0])


def total_cost(result: CaseResult) -> float | None:
    """Return what the answers and the judging of a case cost; ``None`` when a part is unknown."""
    return total(part for run in result.runs for part in (run.cost_usd, run.judge_cost_usd))


def latency_ms(result: CaseResult) -> float | None:
    """Return how long the answers of a case took on average; ``None`` when none is known."""
    known = [run.latency_ms for run in result.runs if run.latency_ms is not None]
    return sum(known) / len(known) if known else None


def total(values: Iterable[float | None]) -> float | None:
    """Return a sum; one unknown part makes it unknown."""
    known = []
    for value in values:
        if value is None:
            return None
        known.append(value)
    return sum(known)
