"""``steelyard run --failed``: which cases did not pass in the latest run of a benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..api import ComboResult, RunOptions
from ..errors import UsageError

if TYPE_CHECKING:
    from ..session import Session


def only_failed(session: Session, path: Path, options: RunOptions) -> RunOptions | str:
    """Return the options narrowed to what failed or could not be scored, or why there is nothing to run.

    A case counts when it did not pass under one of the chosen models and prompts. Raises ``UsageError`` when there is
    no earlier run.
    """
    checked = session.check(path, options)
    benchmark = checked.benchmark
    if benchmark is None or not checked.ok:
        return options  # the run itself says what is wrong with the file
    history = session.history(options.results_dir)
    latest = history.latest_of(benchmark.name)
    if latest is None:
        raise UsageError(
            f"{path}: no run of {benchmark.name!r} is stored in {history.folder}; run it without --failed first"
        )
    chosen = _chosen(latest.record.results, checked.wanted_models(options), options.prompts)
    ids = tuple(dict.fromkeys(_failed(chosen)))
    if not ids:
        return f"{path}: every case passed in {latest.record.run_id}; nothing to run again"
    return replace(options, ids=ids)


def _chosen(combos: Iterable[ComboResult], models: Collection[str], prompts: Collection[str]) -> Iterator[ComboResult]:
    for combo in combos:
        if (not models or combo.model in models) and (not prompts or combo.prompt_id in prompts):
            yield combo


def _failed(combos: Iterable[ComboResult]) -> Iterator[str]:
    return (case.id for combo in combos for case in combo.cases if not case.passed)
