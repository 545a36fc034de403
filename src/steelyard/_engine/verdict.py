"""What the runs of a case come to. Pure: nothing turns an error into a pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..api import Case, CaseResult, CaseRun, Status


def case_result(model: str, prompt_id: str, case: Case, runs: Sequence[CaseRun], pass_rate: Fraction) -> CaseResult:
    """Bring the runs of a case together.

    The case passes when at least ``pass_rate`` of all its runs passed; a run with an error did not. If it did not pass
    only because of errors (it would have, had they passed), it is an error itself rather than a failure.

    Args:
        model: The label of the model.
        prompt_id: The label of the prompt.
        case: The case.
        runs: Its runs in order; at least one.
        pass_rate: The share that must pass, from 0 to 1.
    """
    scored = [run for run in runs if run.status is Status.SCORED]
    passed_runs = sum(run.passed for run in scored)
    errors = len(runs) - len(scored)
    # In whole numbers: exact, and quicker than to make fractions.
    wanted, of = pass_rate.numerator * len(runs), pass_rate.denominator
    passed = bool(scored) and passed_runs * of >= wanted
    decided = passed or (bool(scored) and (passed_runs + errors) * of < wanted)
    status = Status.SCORED if decided else next(run.status for run in runs if run.status is not Status.SCORED)
    return CaseResult(
        model=model,
        prompt_id=prompt_id,
        id=case.id,
        status=status,
        passed=passed,
        score=math.fsum(run.score or 0.0 for run in scored) / len(scored) if decided else None,
        runs=tuple(runs),
        tags=case.tags,
        evaluation=case.evaluation,
        expected=case.expected,
        metadata=case.metadata,
        human_score=case.human_score,
        flaky=0 < passed_runs < len(scored),
        cluster=case.cluster,
    )
