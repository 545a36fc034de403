"""Which outputs of past runs are compared with which: the combos that take part, and the cases that two answered."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .._store import StoredRun
from ..api import Benchmark, Case, CaseResult, CaseRun, Output, Status
from ..errors import UsageError
from .rating import Choice

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One combo of one run."""

    label: str
    """Model and prompt, and the run where two runs have the same combo."""
    run_id: str
    model: str
    prompt_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DuelWish:
    """What is to be compared, and by whom."""

    judge: str | None = None
    """``PROVIDER:MODEL`` or the id of a model of the benchmark; by default the judge of the first run."""
    criteria: str | None = None
    """What makes an answer better, where the benchmark does not say it for the case."""
    choice: Choice = field(default_factory=Choice)
    """Which combos take part; its ``scorer`` is the one that compares."""
    limit: int | None = None
    """At most so many cases, drawn at random."""
    seed: int = 0
    cache: bool = True
    concurrency: int | None = None
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two outputs of one case that are to be compared."""

    case: Case
    first: int
    second: int
    outputs: tuple[Output, Output]


def contestants(runs: Sequence[StoredRun], choice: Choice) -> list[tuple[Contestant, dict[str, CaseResult]]]:
    """Return the combos that take part, each with the cases that it answered, by id.

    Raises ``UsageError`` when there are not two, and for a run that is named twice: its answers are the same ones.
    """
    _must_differ(runs)
    combos = [(run, combo) for run in runs for combo in run.record.results if choice.takes(combo)]
    names = _told_apart([(run, f"{combo.model} / {combo.prompt_id}") for run, combo in combos])
    if len(combos) < _FEWEST:
        found = ", ".join(names) or "none"
        raise UsageError(f"it takes two combos to compare, but of those asked for there is {found}; name another run")
    return [
        (
            Contestant(label=name, run_id=run.record.run_id, model=combo.model, prompt_id=combo.prompt_id),
            {case.id: case for case in combo.cases if _answer(case) is not None},
        )
        for name, (run, combo) in zip(names, combos, strict=True)
    ]


def _must_differ(runs: Sequence[StoredRun]) -> None:
    seen: set[Path] = set()
    for run in runs:
        path = run.path.resolve()
        if path in seen:
            raise UsageError(f"{run.record.run_id} is named twice; answers say nothing against themselves")
        seen.add(path)


def _told_apart(named: Sequence[tuple[StoredRun, str]]) -> list[str]:
    """Return a label for each combo that no other has: with the run where it must be, with its file, or a number."""
    labels = [name for _, name in named]
    for more in (lambda run: run.record.run_id, lambda run: str(run.path)):
        labels = [
            f"{name} ({more(run)})" if labels.count(label) > 1 else label
            for (run, name), label in zip(named, labels, strict=True)
        ]
    again: Counter[str] = Counter()
    for index, label in enumerate(labels):
        again[label] += 1
        if again[label] > 1:
            labels[index] = f"{label} #{again[label]}"
    return labels


def _answer(case: CaseResult) -> CaseRun | None:
    """Return the first run that was answered; that it could not be judged then is no matter here."""
    unanswered = (Status.API_ERROR, Status.INTERNAL_ERROR)
    return next((run for run in case.runs if run.status not in unanswered), None)


def pairings(answers: Sequence[dict[str, CaseResult]], benchmark: Benchmark, wish: DuelWish) -> list[Pairing]:
    """Return what is to be compared: every two contestants on every case that both answered.

    Args:
        answers: The cases of each contestant, by id.
        benchmark: Where the cases are described.
        wish: Which of them, and what makes an answer better.
    """
    known = {case.id: case for case in benchmark.cases}
    ids = list(dict.fromkeys(case_id for cases in answers for case_id in cases))
    if wish.limit is not None and wish.limit < len(ids):
        drawn = set(random.Random(wish.seed).sample(ids, wish.limit))  # noqa: S311 - a sample, not a secret
        ids = [case_id for case_id in ids if case_id in drawn]
    return [
        Pairing(
            case=_case(case_id, answers[first][case_id], known, wish),
            first=first,
            second=second,
            outputs=(_output(answers[first][case_id]), _output(answers[second][case_id])),
        )
        for first in range(len(answers))
        for second in range(first + 1, len(answers))
        for case_id in ids
        if case_id in answers[first] and case_id in answers[second]
    ]


def _case(case_id: str, result: CaseResult, known: dict[str, Case], wish: DuelWish) -> Case:
    found = known.get(case_id) or Case(id=case_id, expected=result.expected, tags=result.tags)
    return found if found.criteria or wish.criteria is None else replace(found, criteria=wish.criteria)


def _output(case: CaseResult) -> Output:
    run = _answer(case)
    assert run is not None  # noqa: S101 - those without an answer take no part
    messages = run.transcript[:-1] or run.messages
    return Output(text=run.response, messages=messages, finish_reason=run.finish_reason, model=case.model)
