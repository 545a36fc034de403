"""Records that somebody edited: what in them cannot be is not counted, and every command says so."""

from __future__ import annotations

import json
import re

import pytest

M = ("openai/gpt-4o-mini", "v1")
A = "2026-06-08_101500_b"
B = "2026-06-10_143205_b"


@pytest.fixture(params=["in our layout", "laid out anew"])
def edit(desk, request):
    """Change a stored record by what its text is to be, so that its layout stays, or with another layout as well."""

    def edit_record(run_id, pattern, text, count=1):
        path = desk.folder / "results" / f"{run_id}.json"
        found, times = re.subn(pattern, text, path.read_text("utf-8"), count=count, flags=re.DOTALL)
        assert times
        if request.param == "laid out anew":
            found = json.dumps(json.loads(found), indent=1).replace("Infinity", "1e400")
        path.write_text(found, "utf-8")
        return f"warning: {path}: "

    return edit_record


@pytest.mark.parametrize("score", ["1e300", "-0.5", "1.5", "1e99", "1e400", "7"])
@pytest.mark.parametrize("command", ["compare", "diff", "report", "suggest", "history"])
def test_a_score_that_cannot_be_is_unknown_and_no_command_breaks_on_it(desk, keep, edit, command, score):
    keep(A, {M: "PPPP"})
    keep(B, {M: "PFPP"})
    where = edit(B, r'("id":"c3".*?"match_score":)1\.0', rf"\g<1>{score}")

    done = desk(command, *{"compare": (A, B), "diff": (A, B), "history": ()}.get(command, (B,)))

    assert done.returncode == (command == "diff"), done.stderr
    if command != "history":
        assert f"{where}1 score(s) that are not from 0 to 1 are taken as unknown\n" in done.stderr
        assert done.stderr.count("taken as unknown") == 1


def test_a_case_whose_score_is_unknown_still_passed(desk, keep, edit):
    keep(A, {M: "PPPP"})
    keep(B, {M: "PPPP"})
    edit(B, r'("id":"c3".*?"match_score":)1\.0', r"\g<1>1e300")

    done = desk("compare", A, B, "--fail-on-regression", "0", "--scores")

    assert done.returncode == 0, done.stdout
    assert "100.0% → 100.0%" in done.stdout


def test_totals_that_contradict_the_cases_are_told_once_and_the_cases_count(desk, keep, edit):
    keep(A, {M: "PPPF"})
    keep(B, {M: "PPPF"})
    where = edit(A, r'"success": 3,\s*"failed": 1', '"success": 0, "failed": 4')

    done = desk("compare", A, B)

    assert done.stderr == f"{where}totals contradict the cases ({' / '.join(M)}); the cases count\n"
    assert "75.0% → 75.0%" in done.stdout
    assert desk("history", "--format", "json").stdout.count('"score": 75.0') == 2
    desk("report", A)
    assert "3/4" in (desk.folder / "results" / f"{A}.md").read_text("utf-8")


def test_a_score_that_is_not_that_of_the_cases_contradicts_them_too(desk, keep, edit):
    keep(A, {M: "PPPF"})
    edit(A, r'"score": 75\.0', '"score": 12.5')

    done = desk("compare", A, A)

    assert "totals contradict the cases" in done.stderr
    assert "75.0% → 75.0%" in done.stdout


def test_a_verdict_on_totals_that_were_never_so_is_not_told_again(desk, keep, edit):
    keep(A, {M: "FFFF"}, quality_threshold=50.0)
    edit(A, r'"success": 0,\s*"failed": 4', '"success": 4, "failed": 0')

    (listed,) = json.loads(desk("history", "--format", "json").stdout)

    assert (listed["passed"], listed["best"]["score"]) == (False, 0.0)


def test_a_case_that_is_there_twice_is_told_of(desk, keep, edit):
    keep(A, {M: "PPF"})
    keep(B, {M: "PPF"})
    where = edit(B, r'"id":"c[23]"', '"id":"c1"', count=2)

    done = desk("compare", A, B)

    assert done.stderr.startswith(
        f"{where}{' / '.join(M)}: the case 'c1' is there 3 times; each of them counts, and a comparison pairs them in "
        "their order\n"
    )


def test_a_combo_that_is_there_twice_is_told_of(desk, keep, edit):
    keep(A, {M: "P", ("other", "v1"): "F"})
    where = edit(A, r'"model": "other"', f'"model": "{M[0]}"')

    done = desk("suggest", A)

    assert f"{where}the combo {' / '.join(M)} is there 2 times; a comparison takes the last one\n" in done.stderr


def test_a_record_of_a_newer_schema_is_told_of(desk, keep, edit):
    keep(A, {M: "P"})
    keep(B, {M: "P"})
    where = edit(B, r'"schema_version": \d+', '"schema_version": 99')

    done = desk("compare")

    assert (done.returncode, done.stderr) == (
        0,
        f"{where}schema_version 99 is newer than 2; what is new is left out\n",
    )


def test_what_costs_less_than_nothing_has_an_unknown_cost(desk, keep, edit):
    keep(A, {M: "PP"})
    where = edit(A, r'"total_cost": 0\.002', '"total_cost": -31.57')
    edit(A, r'("id": ?"c1".*?"prompt_tokens": ?)\d+', r"\g<1>-5")

    done = desk("report", A, "--reporter", "rich")

    assert "31.57" not in done.stdout
    assert f"{where}2 cost(s), token count(s) or latencies that are not 0 or more are taken as unknown\n" in done.stderr
    (listed,) = json.loads(desk("history", "--format", "json").stdout)
    assert listed["total_cost"] is None


def test_a_record_of_ours_gives_no_doubts(desk, keep):
    keep(A, {M: "PFE", ("other", "v1"): "EE"})
    keep(B, {M: "PFP", ("other", "v1"): "FP"})

    assert desk("compare").stderr == ""
