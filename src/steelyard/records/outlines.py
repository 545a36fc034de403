"""A case of a record without its texts: what became of it, read several times as fast as the whole.

Comparing two runs asks no more of a case than that. Only what a case of ours looks like is read so; anything else is
left to the reader that takes whatever comes.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..api import CaseResult, CaseRun, Status

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

_STATUSES = {status.value: status for status in Status}


class _Run(msgspec.Struct, gc=False):
    status: str
    match_result: bool
    match_score: _Share | None


class _Case(msgspec.Struct, gc=False):
    id: str
    status: str
    match_result: bool
    match_score: _Share | None
    tags: tuple[str, ...] = ()
    runs: list[_Run] | None = None
    cluster: str | None = None


MOST_KEPT = 1000
"""Verdicts of single runs that are kept for the next case with the same one."""

_READ = msgspec.json.Decoder(_Case).decode


class Outliner:
    """Reads outlines of the cases of one combo."""

    def __init__(self, model: str, prompt_id: str) -> None:
        self._model = model
        self._prompt_id = prompt_id
        self._single: dict[tuple[str, bool, float | None], tuple[CaseRun, ...]] = {}
        """The one run of a case, by its verdict: most cases have the same few."""

    def read(self, line: bytes) -> CaseResult | None:
        """Return id, verdict, tags and cluster of a case, and the verdict of each run; ``None`` for an odd line."""
        try:
            case = _READ(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
        status = _STATUSES.get(case.status)
        runs = self._runs(case)
        if status is None or runs is None:
            return None
        scored = status is Status.SCORED
        return CaseResult(
            model=self._model,
            prompt_id=self._prompt_id,
            id=case.id,
            status=status,
            passed=scored and case.match_result,
            score=case.match_score if scored else None,
            runs=runs,
            tags=case.tags,
            cluster=case.cluster,
        )

    def _runs(self, case: _Case) -> tuple[CaseRun, ...] | None:
        if case.runs:
            runs = tuple(_run(number, run) for number, run in enumerate(case.runs))
            return None if None in runs else runs  # type: ignore[return-value] # none of them is None
        key = (case.status, case.match_result, case.match_score)
        if key not in self._single:
            run = _run(0, case)
            if run is None:
                return None
            if len(self._single) > MOST_KEPT:
                self._single.clear()
            self._single[key] = (run,)
        return self._single[key]


def _run(number: int, run: _Run | _Case) -> CaseRun | None:
    status = _STATUSES.get(run.status)
    if status is None:
        return None
    scored = status is Status.SCORED
    return CaseRun(
        repeat=number,
        status=status,
        passed=scored and run.match_result,
        score=run.match_score if scored else None,
    )
