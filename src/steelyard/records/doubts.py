"""What is doubtful about a record that somebody edited, or another program wrote: it is read for what it is worth.

A record of ours never says two things at once. One that does is not refused, since most of it can still be used, but
its cases are what counts, what cannot be is unknown, and both are said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from ..api import Status
from .runs import verdict_of
from .strict_json import ROUNDING, Fields, amount_of, number_of, objects_of, parsed, share_of, whole_of

_Share = Annotated[float, msgspec.Meta(ge=-ROUNDING, le=1 + ROUNDING)] | None
_Amount = Annotated[float, msgspec.Meta(ge=0)] | None

_AMOUNTS: Final = (
    "cost", "judge_cost", "total_cost", "spent", "latency_ms",
    "prompt_tokens", "completion_tokens", "judge_prompt_tokens", "judge_completion_tokens",
)  # fmt: skip
_AMOUNTS_OF_COMBO: Final = (
    "total_cost", "judge_cost", "spent", "latency_p50_ms", "latency_p95_ms",
    "total_prompt_tokens", "total_completion_tokens",
)  # fmt: skip
_AMOUNTS_OF_TASK: Final = ("cost_usd", "latency_ms", "input_tokens", "output_tokens")
_FROM_CASES: Final = frozenset(
    {
        "success", "failed", "errors", "total", "scored", "score", "score_low", "score_high", "clusters",
        "effective_cases", "run_score", "run_score_low", "run_score_high", "scored_runs", "pass_at", "mean_score",
        "flaky", "tags", "labels", "panel",
    }
)  # fmt: skip
"""What a combo says that follows from its cases."""
_PER_CENT_OFF: Final = 0.06
"""How far a score may be off that was rounded to one decimal."""
_STATUSES: Final = frozenset(status.value for status in Status)


class _Run(msgspec.Struct, gc=False):
    match_score: _Share = None
    cost: _Amount = None
    judge_cost: _Amount = None
    total_cost: _Amount = None
    spent: _Amount = None
    latency_ms: _Amount = None
    prompt_tokens: _Amount = None
    completion_tokens: _Amount = None
    judge_prompt_tokens: _Amount = None
    judge_completion_tokens: _Amount = None


class _Case(_Run, kw_only=True, gc=False):
    id: str
    status: str
    match_result: bool
    runs: list[_Run] | None = None


_READ = msgspec.json.Decoder(_Case).decode


class Look:
    """What the cases of one combo come to, and what is odd about them."""

    __slots__ = ("_seen", "again", "amounts", "errors", "failed", "passed", "scores")

    def __init__(self) -> None:
        self.passed = self.failed = self.errors = 0
        self.scores = self.amounts = 0
        """Scores that are no number from 0 to 1, and amounts that are none from 0 on."""
        self.again: Counter[str] = Counter()
        """How often each id was there after its first time."""
        # Hashes rather than ids, of which a million would take the room of a record's texts.
        self._seen: set[int] = set()

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return self.passed + self.failed + self.errors

    def line(self, line: bytes) -> None:
        """Look at a case as it stands in a file."""
        try:
            case = _READ(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._odd_line(line)
            return
        if case.status not in _STATUSES:
            self._odd_line(line)
            return
        self._count(case.id, scored=case.status == "scored", passed=case.match_result)

    def entry(self, data: Mapping[str, Any]) -> None:
        """Look at a case as an object."""
        status, passed, _ = verdict_of(data)
        self._count(str(data.get("id")), scored=status is Status.SCORED, passed=passed)
        for part in (data, *objects_of(data, "runs")):
            self.scores += part.get("match_score") is not None and share_of(part, "match_score") is None
            self.amounts += _impossible(part, _AMOUNTS)

    def _odd_line(self, line: bytes) -> None:
        try:
            data = parsed(line)
        except (ValueError, RecursionError):
            return  # whoever asks for the case will hear of it
        if isinstance(data, dict):
            self.entry(data)

    def _count(self, case_id: str, *, scored: bool, passed: bool) -> None:
        if not scored:
            self.errors += 1
        elif passed:
            self.passed += 1
        else:
            self.failed += 1
        key = hash(case_id)
        if key in self._seen:
            self.again[case_id] += 1
        else:
            self._seen.add(key)


def looked_at(lines: Iterable[bytes]) -> Look:
    """Look at the cases of a combo as they stand in a file."""
    look = Look()
    for line in lines:
        look.line(line)
    return look


def looked_at_entries(entries: Iterable[Mapping[str, Any]]) -> Look:
    """Look at the cases of a combo as objects."""
    look = Look()
    for entry in entries:
        look.entry(entry)
    return look


def contradicts(combo: Mapping[str, Any], look: Look) -> bool:
    """Whether the totals of a combo are not those of its cases; what they do not say contradicts nothing."""
    if not look.cases:
        return False
    scored = look.passed + look.failed
    counted = {"success": look.passed, "failed": look.failed, "errors": look.errors, "scored": scored}
    if any(whole_of(combo, key) not in (None, count) for key, count in counted.items()):
        return True
    score = number_of(combo, "score")
    return score is not None and (not scored or abs(score - 100 * look.passed / scored) > _PER_CENT_OFF)


def settled(combo: Fields, look: Look) -> Fields:
    """Return a combo with the totals of its cases, where its own contradict them."""
    if not contradicts(combo, look):
        return combo
    kept = {key: value for key, value in combo.items() if key not in _FROM_CASES}
    scored = look.passed + look.failed
    score = 100 * look.passed / scored if scored else None
    return {**kept, "success": look.passed, "failed": look.failed, "errors": look.errors, "score": score}


def doubts(path: Path, combos: Sequence[Fields], looks: Sequence[Look]) -> Iterator[str]:
    """Yield a line for each kind of thing that is doubtful about a record."""
    labels = [f"{combo.get('model')} / {combo.get('prompt_id')}" for combo in combos]
    apart = [label for label, combo, look in zip(labels, combos, looks, strict=True) if contradicts(combo, look)]
    if apart:
        yield f"{path}: totals contradict the cases ({', '.join(apart)}); the cases count"
    amounts = sum(look.amounts for look in looks) + sum(_impossible(combo, _AMOUNTS_OF_COMBO) for combo in combos)
    yield from _of_numbers(path, sum(look.scores for look in looks), amounts)
    for label, look in zip(labels, looks, strict=True):
        yield from _of_ids(path, label, look.again)
    for label, times in Counter(labels).items():
        if times > 1:
            yield f"{path}: the combo {label} is there {times} times; a comparison takes the last one"


def doubts_of_tasks(path: Path, document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the same of results of tasks, whose totals are counted anew in any case."""
    tasks = objects_of(document, "tasks")
    parts = [part for task in tasks for part in (task, *objects_of(task, "runs"))]
    scores = sum(part.get("score") is not None and share_of(part, "score") is None for part in parts)
    yield from _of_numbers(path, scores, sum(_impossible(part, _AMOUNTS_OF_TASK) for part in parts))
    ids = Counter(str(task.get("id")) for task in tasks)
    yield from _of_ids(path, str(document.get("target")), Counter({name: n - 1 for name, n in ids.items() if n > 1}))


def _of_numbers(path: Path, scores: int, amounts: int) -> Iterator[str]:
    if scores:
        yield f"{path}: {scores} score(s) that are not from 0 to 1 are taken as unknown"
    if amounts:
        yield f"{path}: {amounts} cost(s), token count(s) or latencies that are not 0 or more are taken as unknown"


def _of_ids(path: Path, label: str, again: Counter[str]) -> Iterator[str]:
    for case_id, more in again.most_common(1):
        others = f" (and {len(again) - 1} other id(s))" if len(again) > 1 else ""
        yield (
            f"{path}: {label}: the case {case_id!r} is there {more + 1} times{others}; each of them counts, and a "
            "comparison pairs them in their order"
        )


def _impossible(data: Mapping[str, Any], keys: Iterable[str]) -> int:
    return sum(data.get(key) is not None and amount_of(data, key) is None for key in keys)
