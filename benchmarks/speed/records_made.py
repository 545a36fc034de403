"""Records of any size, made without a run: answers of 2 kB, one case in twenty differing between two seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from steelyard.api import CaseResult, CaseRun, ComboResult, Insights, Message, RunRecord, ScoreResult, Status
from steelyard.records import encode_case, write_record

ANSWER = 'An answer of some length, with "quotes" and a line end.\n' * 36
FAILING = 20


def write_run(path: Path, cases: int, seed: int) -> None:
    """Write the record of a run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    failing = set(random.Random(seed).sample(range(cases), cases // FAILING))
    failed = len(failing)
    combo = ComboResult(
        model="m",
        prompt_id="v1",
        total=cases,
        passed=cases - failed,
        failed=failed,
        errors=0,
        score=100 * (cases - failed) / cases,
        score_low=90.0,
        score_high=99.0,
        runs=cases,
        cost_usd=0.01,
        cases=(),
    )
    record = RunRecord(
        run_id=path.stem,
        benchmark="speed",
        timestamp=f"2026-01-0{seed}T00:00:00+00:00",
        results=(combo,),
        insights=Insights(passed=True, total=cases),
    )
    write_record(path, record, lambda _combo: _lines(cases, failing))


def _lines(cases: int, failing: set[int]) -> Iterator[bytes]:
    verdict = ScoreResult(scorer="exact_match", name="exact_match", passed=True, score=1.0, reason="")
    run = CaseRun(
        repeat=0,
        status=Status.SCORED,
        passed=True,
        score=1.0,
        messages=(Message(role="user", content="Classify this conversation: …"),),
        response=ANSWER,
        prompt_tokens=12,
        completion_tokens=500,
        cost_usd=0.000_001,
        latency_ms=812.5,
        scores=(verdict,),
    )
    case = CaseResult(
        model="m", prompt_id="v1", id="", status=Status.SCORED, passed=True, score=1.0, runs=(run,), tags=("a",)
    )
    bad = replace(run, passed=False, score=0.0, scores=(replace(verdict, passed=False, score=0.0),))
    for number in range(cases):
        one = replace(case, id=f"case-{number}")
        yield encode_case(replace(one, passed=False, score=0.0, runs=(bad,)) if number in failing else one)
