"""The text of a JUnit file, line by line.

A run of one combo is one ``testsuite``, as in evalkit; several stand in ``testsuites``. Failures and errors are counted
from what the file shows, so that the numbers of a CI system agree with it.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping

from steelyard.api import CaseResult, CaseRun, ComboResult, RunRecord, Status
from steelyard.text import one_line, shorten, xml_text

from .wording import combo_label, latency_ms, reason

_MESSAGE_LENGTH = 500
_OUTPUT_LENGTH = 2000


def junit_chunks(record: RunRecord) -> Iterator[bytes]:
    """Yield the file line by line, so that a long one is never held whole."""
    return (f"{line}\n".encode() for line in _lines(record))


def _lines(record: RunRecord) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    combos = record.results
    if len(combos) == 1:
        yield from _suite(record, combos[0], record.benchmark)
        return
    root = {
        "name": record.benchmark,
        "tests": str(sum(combo.total for combo in combos)),
        "failures": str(sum(combo.failed for combo in combos)),
        "errors": str(sum(combo.errors for combo in combos)),
        "skipped": str(sum(combo.not_run for combo in combos)),
        "time": _seconds(record.duration_s),
    }
    yield _tag("testsuites", root)
    for combo in combos:
        yield from _suite(record, combo, f"{record.benchmark}: {combo_label(combo.model, combo.prompt_id)}")
    yield "</testsuites>"


def _suite(record: RunRecord, combo: ComboResult, name: str) -> Iterator[str]:
    only = len(record.results) == 1
    attributes = {
        "name": name,
        "tests": str(combo.total),
        "failures": str(combo.failed),
        "errors": str(combo.errors),
        "skipped": str(combo.not_run),
        # Combos run side by side: what each took by itself is what its calls took.
        "time": _seconds(record.duration_s if only else sum(_case_seconds(case) for case in combo.cases)),
        "timestamp": record.timestamp,
    }
    yield _tag("testsuite", attributes)
    yield "  <properties>"
    properties = {
        "target": combo.model,
        "prompt": combo.prompt_id,
        "repeat": str(record.repeat),
        "seed": "" if record.seed is None else str(record.seed),
        "planned": str(combo.total),
        "not_run": str(combo.not_run),
    }
    for key, value in properties.items():
        yield f"    {_tag('property', {'name': key, 'value': value}, closed=True)}"
    yield "  </properties>"
    for case in combo.cases:
        yield from _case(case, name)
    yield from _not_run(record, combo, name)
    yield "</testsuite>"


def _not_run(record: RunRecord, combo: ComboResult, suite: str) -> Iterator[str]:
    """Yield the cases that were not run, by the names that they have where another combo was asked."""
    if not combo.not_run:
        return
    seen = {case.id for case in combo.cases}
    elsewhere = (case.id for other in record.results for case in other.cases)
    names = [name for name in dict.fromkeys(elsewhere) if name not in seen][: combo.not_run]
    names += [f"not run {number}" for number in range(1, combo.not_run - len(names) + 1)]
    message = "interrupted" if record.interrupted else "not run"
    for name in names:
        yield f"  {_tag('testcase', {'classname': suite, 'name': name, 'time': _seconds(None)})}"
        yield f"    {_tag('skipped', {'message': message}, closed=True)}"
        yield "  </testcase>"


def _case(case: CaseResult, suite: str) -> Iterator[str]:
    attributes = {"classname": suite, "name": case.id, "time": _seconds(_case_seconds(case))}
    if case.passed:
        yield f"  {_tag('testcase', attributes, closed=True)}"
        return
    yield f"  {_tag('testcase', attributes)}"
    errored = case.status is not Status.SCORED
    element = "error" if errored else "failure"
    kind = case.status.value if errored else "flaky" if case.flaky else "fail"
    body = html.escape(
        xml_text("\n".join(line for run in case.runs for line in _run(run, numbered=len(case.runs) > 1))), quote=False
    )
    opening = _tag(element, {"message": one_line(reason(case), _MESSAGE_LENGTH), "type": kind})
    yield f"    {opening}{body}</{element}>"
    yield "  </testcase>"


def _run(run: CaseRun, *, numbered: bool) -> Iterator[str]:
    indent = "  " if numbered else ""
    if numbered:
        verdict = run.status.value if run.status is not Status.SCORED else "pass" if run.passed else "fail"
        yield f"run {run.repeat + 1}: {verdict}"
    if run.error is not None:
        yield f"{indent}error: {run.error}"
    for score in run.scores:
        word = "error" if score.passed is None else "pass" if score.passed else "fail"
        yield f"{indent}{score.name}: {word} {score.reason}".rstrip()
    if run.response:
        yield f"{indent}output: {shorten(run.response, _OUTPUT_LENGTH)}"


def _case_seconds(case: CaseResult) -> float:
    return (latency_ms(case) or 0.0) / 1000


def _tag(element: str, attributes: Mapping[str, str], *, closed: bool = False) -> str:
    listed = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{element}{listed}{' /' if closed else ''}>"


def _attribute(text: str) -> str:
    # What html.escape writes is XML as well; a parser turns plain white space in an attribute into spaces.
    return html.escape(xml_text(text)).replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


def _seconds(value: float | None) -> str:
    return f"{value or 0.0:.3f}"
