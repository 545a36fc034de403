"""A stored run, told to reporters once more: what ``steelyard report`` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .._host.kinds import Offer
from .._host.registry import Registry
from .._store import StoredRun
from ..api import PluginContext, ReporterSpec, RunPlan
from ..errors import UsageError
from .output_files import must_spare
from .reporters import Output, Reporting, ReportingError, chosen_outputs, made_reporters, takes_stdout

_Offer = Offer[ReporterSpec[object]]


def show_again(
    run: StoredRun, *, names: Sequence[str], outputs: Sequence[str], registry: Registry, context: PluginContext
) -> tuple[Path, ...]:
    """Let reporters tell a stored run, and return the files that they wrote.

    Args:
        run: The run; reports without a file of their own go beside its record.
        names: Reporters by name.
        outputs: Files, as ``FILE`` or ``REPORTER:FILE``. Without names and outputs, every reporter that takes part in
            each run and writes files tells it.
        registry: Where reporters are found.
        context: What they may know of the world.

    Raises ``UsageError`` when there is no such reporter or a report would replace the record, and ``SteelyardError``
    when one fails.
    """
    chosen = chosen_outputs(outputs, registry, context.work_dir)
    must_spare([output.path for output in chosen], [run.path])
    offers = [registry.get("reporter", name) for name in names]
    if not offers and not chosen:
        offers = list(registry.wanted("reporter", lambda one: one.spec.automatic and bool(one.spec.extensions)))
        if not offers:
            raise UsageError("no plugin in use writes a report without being asked; name one with -o REPORTER:FILE")
    reporters = made_reporters(offers, chosen, context)
    reporting = Reporting(reporters, stdout_taken=takes_stdout(reporters, chosen))
    try:
        reporting.started(_plan(run, stdout_taken=reporting.stdout_taken))
        for combo in run.record.results if reporting.hears_cases else ():
            for case in combo.cases:
                reporting.case(case)
        reporting.finished(run.record)
    finally:
        reporting.close()
    if reporting.failures:
        raise ReportingError(reporting.failures, run.record)
    return _written(run, offers, chosen)


def _plan(run: StoredRun, *, stdout_taken: bool) -> RunPlan:
    record = run.record
    return RunPlan(
        run_id=record.run_id,
        benchmark=record.benchmark,
        combos=tuple((combo.model, combo.prompt_id) for combo in record.results),
        cases=max((combo.total for combo in record.results), default=0),
        repeat=record.repeat,
        concurrency=record.concurrency or 1,
        results_dir=run.path.parent,
        record_path=run.path,
        judge_model=record.judge_model,
        quality_threshold=record.quality_threshold,
        stdout_taken=stdout_taken,
    )


def _written(run: StoredRun, offers: Sequence[_Offer], chosen: Sequence[Output]) -> tuple[Path, ...]:
    beside = [run.path.with_suffix(ending) for offer in offers for ending in offer.spec.extensions[:1]]
    files = [path for path in beside if path != run.path and path.is_file()]
    return (*files, *(output.path for output in chosen if output.path.is_file()))
