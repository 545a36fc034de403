"""One run from its plan to its record.

The order is a promise: the results folder is proved before the first call, every finished case is in the journal before
anybody hears of it, and the record is on disk before any reporter hears the end.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from .._engine.gate import decide
from .._engine.insights import insights
from .._engine.journal import Journal
from .._engine.plan import Plan
from .._engine.runner import Outcome, execute
from .._engine.threads import Threads
from .._store import Claim, Store
from ..api import CaseResult, JsonMapping, PlannedModel, PluginUsed, RunOptions, RunPlan, RunRecord, Verdict
from ..records import decode_case, encode_case, read_record, write_record
from .closing import close_all
from .components import Made
from .manifest import manifest
from .planning import Planned
from .redaction import Redactor
from .reporters import Reporting, ReportingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything that one run needs, resolved."""

    planned: Planned
    options: RunOptions
    store: Store
    reporting: Reporting
    redactor: Redactor
    warn: Callable[[str], None]
    components: Callable[[], Sequence[Made]]
    """Everything that was created for the run and may want to be closed."""
    threads: Threads
    version: str


async def carry_out(run: Run, started: datetime) -> RunRecord:
    """Run the plan, store the record, and tell the reporters.

    Raises ``KeyboardInterrupt`` when the run was cancelled: the journal then holds what was finished.
    Raises the first reporter's failure after everything else is done.
    """
    claim = run.store.claim(run.planned.plan.benchmark.name, started)
    try:
        record = await _with_journal(run, claim, started)
    finally:
        run.store.release(claim)
        run.reporting.close()
        # An interruption from here on comes too late to stop anything: what there is to keep is kept.
        with contextlib.suppress(asyncio.CancelledError):
            await close_all(run.components(), run.threads, run.warn)
    if run.reporting.failures:
        raise ReportingError(run.reporting.failures, record)
    return record


async def _with_journal(run: Run, claim: Claim, started: datetime) -> RunRecord:
    plan = run.planned.plan
    labels = tuple((combo.model.id, combo.prompt.id) for combo in plan.combos)

    def decode(line: bytes, combo: int) -> CaseResult:
        return decode_case(line, *labels[combo])

    journal = _journal(run, claim, encode_case, decode, _about(plan, labels, started))
    try:
        run.reporting.started(_run_plan(run, claim, labels))
        outcome = await execute(
            plan,
            journal=journal,
            on_case=run.reporting.case,
            on_progress=run.reporting.progress,
            warn=run.warn,
        )
        if outcome.interrupted:
            if not run.options.resumable:
                journal.close()
                run.store.finish(claim)
            raise KeyboardInterrupt
        if outcome.failure is not None:
            raise outcome.failure
        for note in outcome.notes:
            run.warn(run.redactor(note))
        record = _record(run, claim, started, outcome)
        if run.options.store:
            write_record(claim.record_path, record, lambda combo: journal.cases(combo).raw())
            run.store.finish(claim)
            # The cases are read from the record from here on: the journal is gone.
            record = replace(record, results=read_record(claim.record_path).results)
        else:
            record = replace(record, results=tuple(replace(one, cases=tuple(one.cases)) for one in record.results))
        run.reporting.finished(record)
        return record
    finally:
        journal.close()


def _journal(run: Run, claim: Claim, encode: Any, decode: Any, about: JsonMapping) -> Journal:
    digest = run.planned.digest
    if run.options.resume:
        for path in reversed(run.store.unfinished()):
            if path == claim.journal_path:
                continue
            found = Journal.take_over(path, claim.journal_path, digest=digest, encode=encode, decode=decode)
            if found is not None:
                return found
        run.warn("no interrupted run of this benchmark with these options was found; starting afresh")
    return Journal.create(claim.journal_path, digest=digest, encode=encode, decode=decode, about=about)


def _about(plan: Plan, labels: tuple[tuple[str, str], ...], started: datetime) -> JsonMapping:
    """Return what a journal says of its run to those who watch it: what :class:`JournalHead` reads."""
    return {
        "benchmark": plan.benchmark.name,
        "started": started.isoformat(timespec="milliseconds"),
        "combos": labels,
        "cases": plan.case_count,
        "repeat": plan.repeat,
    }


def _run_plan(run: Run, claim: Claim, labels: tuple[tuple[str, str], ...]) -> RunPlan:
    plan = run.planned.plan
    return RunPlan(
        run_id=claim.run_id,
        benchmark=plan.benchmark.name,
        combos=labels,
        cases=plan.case_count,
        repeat=plan.repeat,
        concurrency=plan.concurrency,
        results_dir=run.store.folder,
        record_path=claim.record_path if run.options.store else None,
        judge_model=plan.benchmark.judge_model,
        quality_threshold=plan.benchmark.gate.quality_threshold,
        verbose=run.options.verbose,
        quiet=run.options.quiet,
        stdout_taken=run.reporting.stdout_taken,
        models=tuple(
            PlannedModel(id=model.id, provider=model.provider, model=model.model)
            for model in dict.fromkeys(combo.model for combo in plan.combos)
        ),
    )


def _record(run: Run, claim: Claim, started: datetime, outcome: Outcome) -> RunRecord:
    plan = run.planned.plan
    benchmark = plan.benchmark
    decision = decide(benchmark.gate, outcome.combos)
    if decision.note:
        run.warn(decision.note)
    return RunRecord(
        run_id=claim.run_id,
        benchmark=benchmark.name,
        timestamp=started.isoformat(timespec="milliseconds"),
        steelyard_version=run.version,
        format=benchmark.format,
        judge_model=benchmark.judge_model,
        temperature=benchmark.inference.temperature,
        max_tokens=benchmark.inference.max_tokens,
        quality_threshold=benchmark.gate.quality_threshold,
        concurrency=plan.concurrency,
        repeat=plan.repeat,
        seed=plan.seed,
        filters=run.planned.selection.filters,
        manifest=manifest(benchmark, run.version),
        plugins=_plugins_used(run),
        duration_s=round(outcome.duration_s, 3),
        results=outcome.combos,
        insights=insights(
            outcome.combos,
            _verdict(decision.verdict, outcome),
            benchmark.gate.quality_threshold,
            paired=outcome.differences,
        ),
    )


def _verdict(decided: Verdict, outcome: Outcome) -> Verdict:
    """Return the gate's verdict, unless the budget ended the run: what was not run can neither pass nor be left out."""
    left_out = sum(combo.not_run for combo in outcome.combos)
    if not decided.passed or not outcome.over_budget or not left_out:
        return decided
    return Verdict(passed=False, message=f"FAIL: over budget: max_cost_usd left out {left_out} case(s).")


def _plugins_used(run: Run) -> tuple[PluginUsed, ...]:
    """Name the plugins that took part, so that a record says what judged it."""
    origins = {made.offer.origin for made in run.components()}
    used = [PluginUsed(name=one.plugin, distribution=one.distribution, version=one.version) for one in origins]
    return tuple(sorted(used, key=lambda one: (one.name, one.distribution)))
