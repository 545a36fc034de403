"""Records that are hard to report: with hostile text in every place, with nothing in them, with much unknown."""

from __future__ import annotations

from collections.abc import Mapping

from ..api import CaseResult, Message, RunRecord, ScoreResult, Status
from .run_builders import SCORER, make_case_result, make_case_run, make_combo, make_record

HOSTILE_TEXTS = (
    "[bold]mark0[/bold] [/INST] a[/] [link=http://x]y[/link] :smile:",
    "mark1 \x1b[31mred\x1b[0m \x1b[2J\x1b]0;title\x07 \x00 \x08\x7f \x9b31m",
    "mark2 | cell `code` *bold* _em_ # head\n---\n- item\n\n@everyone <!-- x -->",
    "mark3 <script>alert(1)</script> & &amp; \"quoted\" 'single' ]]> <img src=x>",
    "mark4 half \ud83d pair \ufffe \uffff \u2028 \u2029 \x85",
    "mark5 \u202eright to left\u202c \u200b\u2066hidden\u2069 \ufeff",
    "=mark6 cmd|' /C calc'!A0",
    "mark7 测试 é 🎯 👩‍👩‍👧 \u0301",
    "mark8 " + "long " * 2000,
    "mark9\r\nline\tend\\ C:\\path {{ braces }} %s {0} $x",
)
"""Texts that drive terminals, break tables and documents, or hide; each holds a word ``markN`` that must survive."""


def hostile_record() -> RunRecord:
    """Make a record with hostile text wherever text can be."""
    cases = [_hostile_case(number, text) for number, text in enumerate(HOSTILE_TEXTS)]
    combo = make_combo(cases, model="mark0 [/] \x1b[2J", prompt_id="mark2 | `p`")
    return make_record([combo], benchmark="mark3 <b> | \x1b[2J \ud83d", judge_model="vendor/\x1b[2Jjudge")


def records() -> Mapping[str, RunRecord]:
    """Make a record of each kind that a reporter has to cope with, by what is special about it."""
    passed, failed = make_case_result("passes"), make_case_result("fails", passed=False)
    error = make_case_result("errs", status=Status.API_ERROR)
    unknown = make_case_run(
        cost_usd=None, spent_usd=None, prompt_tokens=None, completion_tokens=None, latency_ms=None, judge_cost_usd=None
    )
    runs = [make_case_run(repeat=0), make_case_run(repeat=1, passed=False), make_case_run(repeat=2)]
    several = [
        make_case_result("a", model=model, prompt_id=prompt) for model in ("m1", "m2") for prompt in ("p1", "p2")
    ]
    interrupted = make_combo([passed], total=5, not_run=4)
    return {
        "a pass, a failure and an error": make_record([passed, failed, error]),
        "several models and prompts": make_record(several),
        "no combo": make_record(),
        "a combo without cases": make_record([make_combo()]),
        "nothing but errors": make_record([make_case_result(str(status), status=status) for status in ERRORS]),
        "unknown costs and tokens": make_record([make_case_result("unknown", runs=[unknown])]),
        "repeats that disagree": make_record([make_case_result("flaky", passed=False, runs=runs)], repeat=3),
        "an interrupted run": make_record([interrupted], interrupted=True),
        "tags and a judge": make_record([make_case_result("tagged", tags=("easy",), reasoning="Because.", score=0.75)]),
        "hostile text": hostile_record(),
    }


ERRORS = (Status.API_ERROR, Status.JUDGE_API_ERROR, Status.JUDGE_ERROR, Status.INTERNAL_ERROR)


def _hostile_case(number: int, text: str) -> CaseResult:
    status = (Status.SCORED, Status.SCORED, Status.API_ERROR)[number % 3]
    passed = number % 3 == 0
    scored = status is Status.SCORED
    score = ScoreResult(
        scorer=SCORER,
        name=text,
        passed=passed if scored else None,
        score=float(passed) if scored else None,
        reason=text,
        status=status,
        details={"reasoning": text},
    )
    return make_case_result(
        text,
        passed=passed,
        status=status,
        tags=(text,),
        expected=text,
        evaluation=text,
        metadata={text: text},
        messages=(Message(role="user", content=text),),
        response=text if scored else "",
        reasoning=text,
        error=None if scored else text,
        finish_reason=text,
        scores=(score,),
    )
