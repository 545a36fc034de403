"""Guesses at why a combo fails: each with its counts, the cases that it rests on, what could be tried, and how to test.

A guess is put so that it can be false. What could be tried is for a person to decide; nothing is changed here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...api import CaseResult, ComboResult, LabelsResult, Status
from ..labels import label_of
from .answers import SameAnswer, same_answer
from .errors import ErrorKind, error_kinds
from .faults import Fault, FaultKind, faults
from .groups import Group, failing_groups
from .shares import bounds_of

MOST_GROUPS = 5
MOST_CONFUSIONS = 3
_SURE_ENOUGH = 0.2
"""A kind whose p value is above is not even a guess."""
_FEWEST = 2
_LONGEST_ANSWER = 60

_SEEN: dict[FaultKind, str] = {
    "empty": "answer nothing at all",
    "truncated": "are cut off by the token limit",
    "fenced": "are wrapped in a code fence",
    "wordy_label": "hold the expected label among other words",
    "decorated_label": "are the expected label but for quotes, a full stop or other marks",
    "refusal": "read like a refusal",
    "not_json": "are not the JSON that is expected",
    "flaky": "pass in some runs and fail in others",
}
_TRY: dict[FaultKind, str] = {
    "empty": "look at these prompts: the model may have spent its whole budget on thinking; raise inference.max_tokens",
    "truncated": "raise inference.max_tokens, or ask for a shorter answer",
    "fenced": "say in the prompt that the answer stands alone, without a code fence",
    "wordy_label": "say in the prompt that the answer is the label alone, and show one example of it",
    "decorated_label": "say in the prompt that the label stands alone, without quotes or a full stop",
    "refusal": "read these inputs for what sounds unsafe, and say in the prompt what the task is for",
    "not_json": "say in the prompt that the answer is JSON alone, and show its form",
    "flaky": "lower inference.temperature, or make the prompt leave less open",
}
_ERRORS: dict[Status, str] = {
    Status.API_ERROR: "see the message; too many requests ask for a lower concurrency, time-outs for a longer timeout",
    Status.JUDGE_API_ERROR: "see the message; the judge's provider may need a lower --concurrency",
    Status.JUDGE_ERROR: "raise evaluation.judge_max_tokens, or take a judge that keeps to the form",
    Status.INTERNAL_ERROR: "see the message: it names the plugin or the template at fault",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """A guess at why a combo fails."""

    kind: str
    """``error``, ``format``, ``confusion``, ``answer``, ``group`` or ``flaky``."""
    claim: str
    """What is the matter, as a sentence without its full stop."""
    count: int
    """Cases that it rests on."""
    of: int
    """Out of so many."""
    low: float
    """The lower bound of the 95 % interval of the share, from 0 to 1."""
    high: float
    p_adjusted: float | None
    """For a kind of cases: the p value against the others, corrected for all kinds; ``None`` for mere counts."""
    cases: tuple[str, ...]
    """Ids, in file order."""
    advice: str
    """What could be tried."""
    test: str
    """The command that shows whether it helped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was found about one combo."""

    model: str
    prompt_id: str
    scored: int
    failed: int
    errors: int
    hypotheses: tuple[Hypothesis, ...]
    """What concerns most cases first, errors before everything else."""
    failed_low: float | None = None
    """The lower bound of the 95 % interval of the share that failed, from 0 to 1; ``None`` where it is unknown."""
    failed_high: float | None = None


def diagnose(combo: ComboResult, *, file: str | None, run_id: str) -> Diagnosis:
    """Look for what failures of a combo have in common.

    Args:
        combo: The combo; all its cases are read.
        file: The benchmark, for commands.
        run_id: The run that a new one is to be compared with.
    """
    cases = list(combo.cases)
    commands = _Commands(combo, file, run_id)
    found = [
        *(_of_error(kind, commands) for kind in error_kinds(cases)),
        *(_of_fault(fault, commands) for fault in faults(cases)),
        *_of_labels(combo.labels, cases, commands),
    ]
    found += [
        *_of_answer(same_answer(cases), found, commands),
        *(_of_group(group, commands) for group in failing_groups(cases)[:MOST_GROUPS] if group.p_value < _SURE_ENOUGH),
    ]
    return Diagnosis(
        model=combo.model,
        prompt_id=combo.prompt_id,
        scored=sum(case.status is Status.SCORED for case in cases),
        failed=sum(case.status is Status.SCORED and not case.passed for case in cases),
        errors=sum(case.status is not Status.SCORED for case in cases),
        hypotheses=tuple(found),
        failed_low=None if combo.score_high is None else 1 - combo.score_high / 100,
        failed_high=None if combo.score_low is None else 1 - combo.score_low / 100,
    )


@dataclass(frozen=True, slots=True)
class _Commands:
    """The commands that test a guess about a combo."""

    combo: ComboResult
    file: str | None
    run_id: str

    def run(self, *arguments: str) -> str:
        """Run the combo again, or a part of its cases."""
        parts = [
            "steelyard",
            "run",
            self.file or "FILE",
            "-m",
            self.combo.model,
            "-p",
            self.combo.prompt_id,
            *arguments,
        ]
        return shlex.join(parts)

    def run_and_compare(self) -> str:
        """Run all its cases again, since a change may break others, and hold them against the run."""
        return f"{self.run()} && {shlex.join(['steelyard', 'compare', self.run_id, '--detailed'])}"


def _of_error(kind: ErrorKind, commands: _Commands) -> Hypothesis:
    return Hypothesis(
        kind="error",
        claim=f"{len(kind.cases)} of {kind.of} cases could not be scored: {kind.status.value}: {kind.message}",
        count=len(kind.cases),
        of=kind.of,
        low=kind.low,
        high=kind.high,
        p_adjusted=None,
        cases=kind.cases,
        advice=_ERRORS[kind.status],
        test=commands.run("--failed"),
    )


def _of_fault(fault: Fault, commands: _Commands) -> Hypothesis:
    whose = f"{fault.of} scored cases" if fault.kind == "flaky" else f"{fault.of} failed cases"
    return Hypothesis(
        kind="flaky" if fault.kind == "flaky" else "format",
        claim=f"{fault.count} of {whose} {_SEEN[fault.kind]}",
        count=fault.count,
        of=fault.of,
        low=fault.low,
        high=fault.high,
        p_adjusted=None,
        cases=fault.cases,
        advice=_TRY[fault.kind],
        test=commands.run("--repeat", "5") if fault.kind == "flaky" else commands.run_and_compare(),
    )


def _of_labels(labels: LabelsResult | None, cases: Sequence[CaseResult], commands: _Commands) -> Iterator[Hypothesis]:
    """Yield the labels that are most often taken for each other."""
    if labels is None:
        return
    names = [label.label for label in labels.labels]
    expected = {label.label: label.expected for label in labels.labels}
    pairs = [
        (count, wanted, given)
        for wanted, row in zip(names, labels.confusion, strict=True)
        for given, count in zip(names, row, strict=True)
        # A record may have been written by anybody: a count that contradicts its total says nothing.
        if wanted != given and _FEWEST <= count <= expected[wanted]
    ]
    for count, wanted, given in sorted(pairs, key=lambda pair: (-pair[0], pair[1:]))[:MOST_CONFUSIONS]:
        low, high = bounds_of(_takings(cases, wanted, given))
        of_cases = sum(1 for _ in _takings(cases, wanted, given))
        answers = f"{expected[wanted]} answers" + (f" to {of_cases} cases" if of_cases < expected[wanted] else "")
        yield Hypothesis(
            kind="confusion",
            claim=f"{given!r} is answered where {wanted!r} is expected, in {count} of {answers}",
            count=count,
            of=expected[wanted],
            low=low,
            high=high,
            p_adjusted=None,
            cases=tuple(case.id for case, taken, _ in _takings(cases, wanted, given) if taken),
            advice=f"say in the prompt what tells {wanted!r} from {given!r}, or read these cases for a wrong label",
            test=commands.run_and_compare(),
        )


def _takings(cases: Sequence[CaseResult], wanted: str, given: str) -> Iterator[tuple[CaseResult, int, int]]:
    """Yield the cases that expect a label, each with how often the other was given, and of how many answers."""
    for case in cases:
        labels = [label for run in case.runs if (label := label_of(run)) is not None]
        answers = [output for expected, output in labels if expected == wanted]
        if answers:
            yield case, answers.count(given), len(answers)


def _of_answer(same: SameAnswer | None, others: Sequence[Hypothesis], commands: _Commands) -> Iterator[Hypothesis]:
    """Yield the answer that failed cases share, unless the labels that were taken for each other say it already."""
    if same is None or any(other.kind == "confusion" and other.cases == same.cases for other in others):
        return
    shown = same.answer if len(same.answer) <= _LONGEST_ANSWER else same.answer[:_LONGEST_ANSWER] + "…"
    wanted = "" if same.expected is None else f", where {same.expected!r} is expected"
    too = f"; so have {same.passed_too} that passed" if same.passed_too else ""
    yield Hypothesis(
        kind="answer",
        claim=f"{len(same.cases)} of {same.of} failed cases have the same answer {shown!r}{wanted}{too}",
        count=len(same.cases),
        of=same.of,
        low=same.low,
        high=same.high,
        p_adjusted=None,
        cases=same.cases,
        advice="see whether the prompt reaches the model as it is meant, and leaves more than one answer open; or "
        "whether what is expected is written as the model would write it",
        test=commands.run_and_compare(),
    )


def _of_group(group: Group, commands: _Commands) -> Hypothesis:
    rest = f"{group.others_failed} of {group.others}"
    sure = "" if group.sure else ", which may be chance"
    also = " and ".join(map(str, group.also))
    names = f"{group.trait} (the same as those {also})" if also else str(group.trait)
    test = commands.run("-t", group.trait.name) if group.trait.kind == "tag" else commands.run_and_compare()
    return Hypothesis(
        kind="group",
        claim=f"cases {names} fail more often: {group.failed} of {group.count}, the others {rest}{sure}",
        count=group.failed,
        of=group.count,
        low=group.low,
        high=group.high,
        p_adjusted=group.p_adjusted,
        cases=group.cases,
        advice="read these cases for what the prompt does not say about them, or add an example of the kind to it",
        test=test,
    )
