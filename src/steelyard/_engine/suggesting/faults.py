"""What is wrong with answers that failed, as far as it can be seen without knowing what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ...api import CaseResult, CaseRun, Status
from .shares import share_of

FaultKind = Literal["empty", "truncated", "fenced", "wordy_label", "decorated_label", "refusal", "not_json", "flaky"]

_FENCE = re.compile(r"\s*```")
_EDGES = " \t\r\n\"'`*_.,:;!?()[]{}«»“”\u2018’"
_REFUSES = re.compile(
    r"\b(i['’]?m sorry|i am sorry|i can(?:no|['’])t|i am unable|i['’]?m unable|as an ai|cannot help|can['’]t help)\b",
    re.IGNORECASE,
)
_LOOKS_LIKE_JSON = re.compile(r"\s*[{\[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault that answers share."""

    kind: FaultKind
    cases: tuple[str, ...]
    count: int
    of: int
    """Failed cases; for flaky ones all that were scored."""
    low: float
    """The lower bound of the 95 % interval of the share, from 0 to 1."""
    high: float


def faults(cases: Sequence[CaseResult]) -> list[Fault]:
    """Return the faults of a combo's answers, the most frequent first."""
    scored = [case for case in cases if case.status is Status.SCORED]
    failed = [case for case in scored if not case.passed]
    found: dict[FaultKind, list[CaseResult]] = {}
    for case in failed:
        for kind in dict.fromkeys(kind for run in case.runs if not run.passed for kind in _faults(case, run)):
            found.setdefault(kind, []).append(case)
    result = [_fault(kind, some, failed) for kind, some in found.items()]
    flaky = [case for case in scored if case.flaky]
    if flaky:
        result.append(_fault("flaky", flaky, scored))
    return sorted(result, key=lambda fault: (-fault.count, fault.kind))


def _fault(kind: FaultKind, some: Sequence[CaseResult], among: Sequence[CaseResult]) -> Fault:
    low, high = share_of(some, among)
    ids = tuple(case.id for case in some)
    return Fault(kind=kind, cases=ids, count=len(ids), of=len(among), low=low, high=high)


def _faults(case: CaseResult, run: CaseRun) -> Iterator[FaultKind]:
    answer = run.response
    if not answer.strip():
        yield "empty"
        return
    if run.finish_reason == "length":
        yield "truncated"
    if _FENCE.match(answer):
        yield "fenced"
    elif isinstance(case.expected, str) and case.expected.strip():
        yield from _label_faults(case.expected, answer)
    if _REFUSES.search(answer[:300]):
        yield "refusal"
    if isinstance(case.expected, list | dict) and not _LOOKS_LIKE_JSON.match(answer):
        yield "not_json"


def _label_faults(expected: str, answer: str) -> Iterator[FaultKind]:
    wanted, given = expected.strip().casefold(), answer.strip().casefold()
    if given == wanted:
        return
    if given.strip(_EDGES) == wanted.strip(_EDGES):
        yield "decorated_label"
    elif re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", given):
        yield "wordy_label"
