"""What is read of a case when only its verdict matters."""

from __future__ import annotations

import pytest

from steelyard.api import CaseResult, CaseRun, Status
from steelyard.records import decode_case, encode_case
from steelyard.records.outlines import Outliner


def a_case(*verdicts, status=Status.SCORED, **fields):
    runs = tuple(
        CaseRun(repeat=number, status=status, passed=passed, score=score, response="a long answer")
        for number, (passed, score) in enumerate(verdicts)
    )
    first = runs[0]
    return CaseResult(
        model="m", prompt_id="p", id="c-1", status=status, passed=first.passed, score=first.score, runs=runs, **fields
    )


CASES = {
    "passed": a_case((True, 1.0), tags=("a", "b"), cluster="chat 1"),
    "failed": a_case((False, 0.25)),
    "error": a_case((False, None), status=Status.API_ERROR),
    "repeated": a_case((True, 1.0), (False, 0.0), (True, 0.5)),
}


@pytest.mark.parametrize("name", CASES)
def test_an_outline_has_the_verdicts_of_the_whole_case(name):
    line = encode_case(CASES[name])

    outline = Outliner("m", "p").read(line)
    whole = decode_case(line, "m", "p")

    assert outline is not None
    for part in ("model", "prompt_id", "id", "status", "passed", "score", "tags", "cluster"):
        assert getattr(outline, part) == getattr(whole, part)
    verdicts = [(run.repeat, run.status, run.passed, run.score) for run in outline.runs]
    assert verdicts == [(run.repeat, run.status, run.passed, run.score) for run in whole.runs]
    assert all(run.response == "" for run in outline.runs)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'{"id":"c"}',
        b'{"id":"c","status":"success","match_result":true,"match_score":1}',
        b'{"id":1,"status":"scored","match_result":true,"match_score":1}',
        b'{"id":"c","status":"scored","match_result":"yes","match_score":1}',
        b'{"id":"c","status":"scored","match_result":true,"match_score":NaN}',
        b'{"id":"c","status":"scored","match_result":true,"match_score":1,"runs":[{"status":"odd"}]}',
    ],
)
def test_a_line_that_we_would_not_write_is_left_to_the_reader_that_takes_anything(line):
    assert Outliner("m", "p").read(line) is None


def test_a_whole_number_beyond_all_floats_comes_back_as_it_was():
    case = a_case((True, 1.0), expected=12345678901234567890123, metadata={"n": -(2**70)})

    again = decode_case(encode_case(case), "m", "p")

    assert again.expected == 12345678901234567890123
    assert again.metadata == {"n": -(2**70)}


def test_what_somebody_put_into_details_is_written_as_the_standard_library_writes_it():
    case = a_case((True, 1.0), expected=b"raw", metadata={"when": {1: float("nan")}, "who": {"x"}})

    again = decode_case(encode_case(case), "m", "p")

    assert again.expected == "b'raw'"
    assert again.metadata == {"when": {"1": None}, "who": ["x"]}
