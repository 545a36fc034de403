"""A run in progress, from its journal while it grows."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta

import pytest

from steelyard.api import Status
from steelyard.records import encode_case

RUN = "2026-06-10_143205_support"
LIVE = f"/live/{RUN}"


class Journal:
    """Writes a journal in the form that a run does."""

    def __init__(self, path, **about):
        self.path = path
        head = {
            "steelyard_journal": 1,
            "digest": "d",
            "benchmark": "Support",
            "started": "2026-06-10T14:32:05+02:00",
            "combos": [["gpt", "v1"], ["claude", "v1"]],
            "cases": 3,
            "repeat": 1,
        }
        path.write_bytes(json.dumps({**head, **about}).encode() + b"\n")

    def add(self, combo, number, case):
        self.append(b'{"combo":%d,"case":%d,"result":%b}\n' % (combo, number, encode_case(case)))

    def append(self, data):
        with self.path.open("ab") as file:
            file.write(data)


@pytest.fixture
def journal(results):
    return Journal(results / f"{RUN}.journal.jsonl")


@pytest.fixture
def state(dashboard):
    """How far the run is, by the API."""

    def read_state():
        found = dashboard(f"/api{LIVE}").json
        return {key: found[key] for key in ("done", "total", "success", "failed", "errors")}

    return read_state


def test_a_run_is_followed_as_its_cases_finish(journal, state, make_case):
    assert state() == {"done": 0, "total": 6, "success": 0, "failed": 0, "errors": 0}

    journal.add(0, 0, make_case("a"))
    journal.add(1, 0, make_case("a", passed=False))
    assert state() == {"done": 2, "total": 6, "success": 1, "failed": 1, "errors": 0}

    journal.add(0, 1, make_case("b", status=Status.API_ERROR, run={"error": "HTTP 503"}))
    assert state() == {"done": 3, "total": 6, "success": 1, "failed": 1, "errors": 1}


def test_a_case_that_was_run_again_counts_once_and_as_the_last(journal, state, dashboard, make_case):
    journal.add(0, 0, make_case("a", status=Status.API_ERROR, run={"error": "HTTP 503"}))
    journal.add(0, 1, make_case("b"))
    assert state()["errors"] == 1

    journal.add(0, 0, make_case("a"))

    assert state() == {"done": 2, "total": 6, "success": 2, "failed": 0, "errors": 0}
    assert [row["id"] for row in dashboard(f"/api{LIVE}").json["latest"]] == ["a", "b"]


def test_the_page_shows_progress_by_combo_and_what_finished_last(journal, dashboard, make_case, read):
    journal.add(0, 0, make_case("first"))
    journal.add(1, 2, make_case("second", passed=False))

    reply = dashboard(LIVE)
    page = read(reply)

    assert "2 of 6 cases: 1 passed, 1 failed, 0 errors" in reply.text
    assert page.tables["How far each combo is"][1:] == [
        ["gpt / v1", "1 of 3", "1", "0", "0", "100.0%", "400 ms"],
        ["claude / v1", "1 of 3", "0", "1", "0", "0.0%", "400 ms"],
    ]
    assert [row[:3] for row in page.tables["The cases that finished last"][1:]] == [
        ["second", "failed", "claude / v1"],
        ["first", "passed", "gpt / v1"],
    ]


def test_a_finished_case_can_be_opened_while_the_run_goes_on(journal, dashboard, make_case, read):
    journal.add(0, 0, make_case("other"))
    journal.add(1, 2, make_case("deep", run={"response": "the whole answer"}))

    page = read(dashboard(f"{LIVE}/cases/1/2"))

    assert page.headings[0].startswith("deep")
    assert "the whole answer" in page.blocks
    assert dashboard(f"/api{LIVE}/cases/1/2").json["model"] == "claude"
    assert dashboard(f"{LIVE}/cases/1/1").status == 404


def test_a_torn_line_waits_until_it_is_whole(journal, state, make_case):
    line = b'{"combo":0,"case":0,"result":%b}\n' % encode_case(make_case("a"))
    journal.append(line[:-30])
    assert state()["done"] == 0

    journal.append(line[-30:])

    assert state()["done"] == 1


def test_a_run_that_is_done_leads_to_its_record(journal, dashboard, put, make_case, results):
    dashboard(LIVE)
    put(make_case("a"), run_id=RUN)

    with_both = dashboard(LIVE)
    journal.path.unlink()
    afterwards = dashboard(LIVE)

    for reply in (with_both, afterwards):
        assert (reply.status, reply.headers["Location"]) == (303, f"/runs/{RUN}")
    assert dashboard(f"/api{LIVE}").json == {"id": RUN, "finished": True}
    assert dashboard("/api/live").json["live"] == []


def test_runs_in_progress_are_on_the_first_page_and_on_their_own(journal, dashboard, read, make_case):
    journal.add(0, 0, make_case("a"))

    for path in ("/", "/live"):
        reply = dashboard(path)
        assert read(reply).links["Support"] == LIVE
        assert "1 of 6 cases: 1 passed, 0 failed, 0 errors" in reply.text


def test_a_run_that_has_just_been_claimed_is_shown_before_its_journal_begins(results, dashboard):
    (results / f"{RUN}.journal.jsonl").touch()

    assert dashboard(LIVE).status == 200
    assert dashboard(f"/api{LIVE}").json["done"] == 0


def test_a_run_whose_cases_nobody_has_counted_has_no_total(results, dashboard, make_case):
    Journal(results / f"{RUN}.journal.jsonl", cases=None).add(0, 0, make_case("a"))

    reply = dashboard(LIVE)

    assert "1 case: 1 passed, 0 failed, 0 errors" in reply.text
    assert dashboard(f"/api{LIVE}").json["total"] is None


def test_a_journal_that_says_nothing_of_its_run_is_shown_by_numbers(results, dashboard, make_case, read):
    path = results / f"{RUN}.journal.jsonl"
    Journal(path).append(b"")
    path.write_bytes(b'{"steelyard_journal": 1}\n{"combo":1,"case":0,"result":%b}\n' % encode_case(make_case("a")))

    assert read(dashboard(LIVE)).tables["How far each combo is"][1][0] == "combo 2"


def test_another_run_of_the_same_name_is_followed_from_its_start(journal, state, make_case, results):
    for number in range(3):
        journal.add(0, number, make_case(f"c{number}"))
    assert state()["done"] == 3

    Journal(journal.path).add(0, 0, make_case("anew", passed=False))

    assert state() == {"done": 1, "total": 6, "success": 0, "failed": 1, "errors": 0}


def test_a_damaged_journal_is_listed_with_its_reason(results, dashboard, read):
    (results / f"{RUN}.journal.jsonl").write_bytes(b"{}\n")

    for path in ("/", "/live"):
        (listed,) = read(dashboard(path)).tables["Files that cannot be read, with the reason"][1:]
        assert listed == [f"{RUN}.journal.jsonl", "not a journal of this version"]
    assert dashboard(LIVE).status == 422


def test_damaged_lines_are_counted_and_cost_no_other_case(journal, dashboard, state, make_case):
    journal.append(b"\x00\x00\n")
    journal.add(0, 0, make_case("a"))

    assert state()["done"] == 1
    assert "1 line of the journal cannot be read." in dashboard(LIVE).text


def test_what_was_spent_is_summed_and_unknown_costs_are_told(journal, dashboard, make_case):
    journal.add(0, 0, make_case("a", run={"spent_usd": 0.25}))
    journal.add(0, 1, make_case("b", run={"spent_usd": 0.5}))
    assert "<dd>$0.750</dd>" in dashboard(LIVE).text

    journal.add(0, 2, make_case("c", run={"spent_usd": None}))

    assert "<dd>$0.750 and unknown costs</dd>" in dashboard(LIVE).text


def test_the_rest_is_estimated_from_the_pace_so_far(results, dashboard, make_case):
    started = datetime.now(UTC) - timedelta(seconds=60)
    journal = Journal(results / f"{RUN}.journal.jsonl", started=started.isoformat())
    for number in range(3):
        journal.add(0, number, make_case(f"c{number}"))

    # 3 of 6 took a minute, so the others take another; a second or two may pass in between.
    assert dashboard(f"/api{LIVE}").json["remaining_s"] == pytest.approx(60, abs=10)


def test_a_journal_that_does_not_grow_is_taken_for_a_run_that_was_cut_off(journal, dashboard, make_case):
    journal.add(0, 0, make_case("a"))
    assert "--resume" not in dashboard(LIVE).text

    long_ago = time.time() - 3600
    os.utime(journal.path, (long_ago, long_ago))

    assert "Nothing has finished for 1 h 0 min. If the run was cut off" in dashboard(LIVE).text
    assert dashboard(f"/api{LIVE}").json["remaining_s"] is None


def test_a_page_without_script_loads_itself_again(journal, dashboard):
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in dashboard(LIVE).text


def test_a_run_that_is_not_in_progress_is_not_found(dashboard):
    assert dashboard(LIVE).status == 404
    assert dashboard(f"/api{LIVE}").json == {"error": f"no run '{RUN}' is in progress in {dashboard.folder}"}
