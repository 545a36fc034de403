"""What a test that did not pass says: the prompt, the output, and each scorer's reason. Never a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steelyard.api import CaseResult, CaseRun, Message, Status
from steelyard.text import one_line, printable

LONGEST = 2000
"""Characters of a text that are shown without ``-vv``."""


def described(result: CaseResult, place: str, *, whole: bool = False) -> str:
    """Return what there is to say about a case that failed or could not be judged.

    Args:
        result: The case.
        place: Where it stands.
        whole: Whether to show long texts to their end.
    """
    run = next((run for run in result.runs if not run.passed), result.runs[0])
    return "\n".join([one_line(_head(result, run, place)), *_body(result, run, None if whole else LONGEST)])


def _head(result: CaseResult, run: CaseRun, place: str) -> str:
    """Say in one line what is wrong: pytest's short summary shows no more."""
    where = f"{place}: " if place else ""
    if result.status is not Status.SCORED:
        return f"{where}{result.status}: {result.error}"
    failed = [f"{score.name}: {score.reason or 'not passed'}" for score in run.scores if not score.passed]
    return where + "; ".join(failed or ["not passed"])


def _body(result: CaseResult, run: CaseRun, limit: int | None) -> Iterator[str]:
    if len(result.runs) > 1:
        passed = sum(run.passed for run in result.runs)
        yield f"{passed} of {len(result.runs)} runs passed; this is run {run.repeat + 1}"
    yield from _part("prompt", _conversation(run.transcript or run.messages), limit)
    if run.response or result.status is Status.SCORED:
        cached = ", from the cache" if run.cached else ""
        yield from _part(f"output of {result.model}{cached}", run.response, limit)
    if result.expected is not None:
        yield from _part("expected", str(result.expected), limit)
    if run.scores:
        yield from _part("scores", "\n".join(_score_lines(run)), None)


def _part(title: str, text: str, limit: int | None) -> Iterator[str]:
    yield f"--- {one_line(title)} ---"
    rest = 0 if limit is None else max(len(text) - limit, 0)
    yield printable(text[: len(text) - rest] if rest else text, newlines=True)
    if rest:
        yield f"… {rest} more characters; -vv shows them"


def _conversation(messages: Iterable[Message]) -> str:
    return "\n".join(f"[{message.role}] {message.content}" for message in messages)


def _score_lines(run: CaseRun) -> Iterator[str]:
    names = [one_line(score.name) for score in run.scores]
    width = max(map(len, names))
    for name, score in zip(names, run.scores, strict=True):
        outcome = {True: "passed", False: "failed", None: "error "}[score.passed]
        value = "   -" if score.score is None else f"{score.score:.2f}"
        yield f"{outcome}  {name:{width}}  {value}  {one_line(score.reason)}".rstrip()
