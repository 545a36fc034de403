"""Results that are a plain list of verdicts: a suite, a model, and for each case whether it passed.

Tools that write such files describe their layout nowhere, so names are taken as they come: in any case style, and by
any of their usual words. What is needed is the list, with an id and a verdict in each entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..api import CaseResult, CaseRun, ComboResult, Insights, Message, RunRecord, ScoreResult, Status
from ..errors import RecordError
from .strict_json import amount_of, count_of, objects_of, optional_text_of, text_of, texts_of
from .task_results import PROMPT_ID

_LISTS: Final = ("results", "cases")
_PER_CENT: Final = 100.0
_WORDS: Final = {
    "suite": ("suite", "suitename", "name"),
    "when": ("timestamp", "startedat", "createdat", "date", "ranat"),
    "id": ("id", "caseid", "name"),
    "passed": ("passed", "pass", "success", "ok"),
    "output": ("output", "response", "actual", "text"),
    "error": ("error", "errormessage"),
    "latency": ("latencyms", "latency", "durationms"),
    "cost": ("costusd", "cost", "totalcost"),
    "prompt_tokens": ("inputtokens", "prompttokens", "tokensin"),
    "completion_tokens": ("outputtokens", "completiontokens", "tokensout"),
    "grades": ("criteria", "grades", "graders", "criteriaresults", "graderesults", "gradingresults"),
    "kind": ("type", "grader", "name"),
    "reason": ("reasoning", "reason", "detail", "details", "message"),
}
"""The words for each field, without underscores and in lower case."""


def is_verdict_list(document: Mapping[str, Any]) -> bool:
    """Whether a document is such a file: no record of ours, and a list whose entries all have an id and a verdict."""
    entries = _entries(document)
    return "benchmark" not in document and bool(entries) and all(_is_verdict(entry) for entry in entries)


def record_of_verdicts(document: Mapping[str, Any], path: Path) -> RunRecord:
    """Return the record that such a file comes to: one combo. Raises ``RecordError`` when it names a case twice."""
    data = _plain(document)
    provider, model = text_of(data, "provider"), text_of(data, "model")
    label = ":".join(part for part in (provider, model) if part) or "model"
    cases: dict[str, CaseResult] = {}
    for entry in _entries(document):
        case = _case(_plain(entry), label)
        if case.id in cases:
            raise RecordError(f"{path}: not results that can be compared: the case {case.id!r} is there twice")
        cases[case.id] = case
    combo = _combo(label, tuple(cases.values()))
    return RunRecord(
        run_id=path.stem,
        benchmark=_said(data, "suite") or path.stem,
        timestamp=_said(data, "when"),
        results=(combo,),
        insights=Insights(passed=combo.passed == combo.total, errors=combo.errors, total=combo.total),
    )


def _entries(document: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = next((document[key] for key in _LISTS if isinstance(document.get(key), list)), [])
    return found


def _is_verdict(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    data = _plain(entry)
    return isinstance(_found(data, "passed"), bool) and isinstance(_found(data, "id"), str | int)


def _combo(label: str, cases: tuple[CaseResult, ...]) -> ComboResult:
    errors = sum(case.status is not Status.SCORED for case in cases)
    passed = sum(case.passed for case in cases)
    scored = len(cases) - errors
    costs = [case.runs[0].cost_usd for case in cases]
    known = [cost for cost in costs if cost is not None]
    return ComboResult(
        model=label,
        prompt_id=PROMPT_ID,
        total=len(cases),
        passed=passed,
        failed=scored - passed,
        errors=errors,
        score=_PER_CENT * passed / scored if scored else None,
        runs=len(cases),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        cases=cases,
    )


def _case(data: Mapping[str, Any], label: str) -> CaseResult:
    error = _said(data, "error")
    passed = not error and _found(data, "passed") is True
    status = Status.API_ERROR if error else Status.SCORED
    prompt = optional_text_of(data, "prompt")
    score = None if error else float(passed)
    run = CaseRun(
        repeat=0,
        status=status,
        passed=passed,
        score=score,
        messages=() if prompt is None else (Message(role="user", content=prompt),),
        response=_said(data, "output"),
        error=error or None,
        prompt_tokens=_whole(data, "prompt_tokens"),
        completion_tokens=_whole(data, "completion_tokens"),
        cost_usd=_number(data, "cost"),
        latency_ms=_number(data, "latency"),
        cached=data.get("cached") is True,
        scores=_scores(data),
    )
    return CaseResult(
        model=label,
        prompt_id=PROMPT_ID,
        id=str(_found(data, "id")),
        status=status,
        passed=passed,
        score=score,
        runs=(run,),
        tags=texts_of(data, "tags"),
    )


def _scores(data: Mapping[str, Any]) -> tuple[ScoreResult, ...]:
    key = next((word for word in _WORDS["grades"] if isinstance(data.get(word), list)), "")
    grades = [_plain(grade) for grade in objects_of(data, key)]
    return tuple(
        ScoreResult(
            scorer=_said(grade, "kind"),
            name=_said(grade, "kind"),
            passed=bool(_found(grade, "passed")),
            score=float(bool(_found(grade, "passed"))),
            reason=_said(grade, "reason"),
        )
        for grade in grades
        if isinstance(_found(grade, "passed"), bool)
    )


def _plain(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with its keys in one style: ``latencyMs`` and ``latency_ms`` are ``latencyms``."""
    return {key.replace("_", "").replace("-", "").lower(): value for key, value in entry.items()}


def _found(data: Mapping[str, Any], field: str) -> Any:
    return next((data[word] for word in _WORDS[field] if data.get(word) is not None), None)


def _said(data: Mapping[str, Any], field: str) -> str:
    return next((text_of(data, word) for word in _WORDS[field] if text_of(data, word)), "")


def _number(data: Mapping[str, Any], field: str) -> float | None:
    return next((value for word in _WORDS[field] if (value := amount_of(data, word)) is not None), None)


def _whole(data: Mapping[str, Any], field: str) -> int | None:
    return next((value for word in _WORDS[field] if (value := count_of(data, word)) is not None), None)
