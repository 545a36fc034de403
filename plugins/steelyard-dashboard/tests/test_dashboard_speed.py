"""How long large results take. Counted in processor time, so that other work on the machine has no say."""

from __future__ import annotations

import time

import pytest

from steelyard.records import write_record

OPENING_S = 2.0
"""What is promised for 10,000 cases."""
CASES = 10_000


@pytest.fixture(scope="module")
def large(tmp_path_factory, many_cases, make_combo, make_record):
    """A folder with two runs of 10,000 cases, about 12 MB each."""
    folder = tmp_path_factory.mktemp("large")
    for day, seed in ((1, 7), (2, 8)):
        record = make_record(
            make_combo(*many_cases(CASES, seed)), run_id=f"run-{day}", timestamp=f"2026-01-{day:02}T00:00:00+00:00"
        )
        write_record(folder / f"run-{day}.json", record)
    return folder


def took(dashboard, path):
    """Ask once and return the reply and the seconds of processor time that this process used for it."""
    before = time.process_time()
    reply = dashboard(path)
    return reply, time.process_time() - before


def test_ten_thousand_cases_open_in_two_seconds_and_page_at_once(large, dashboard_of):
    running = dashboard_of(large)

    first, opening = took(running, "/runs/run-1")
    other, paging = took(running, "/runs/run-1?page=150")

    assert (first.status, other.status) == (200, 200)
    assert "Cases 7451 to 7500 of 10000" in other.text
    assert opening < OPENING_S
    assert paging < OPENING_S / 4


def test_ten_thousand_cases_can_be_filtered_sorted_and_searched(large, dashboard_of):
    running = dashboard_of(large)
    running("/runs/run-1")

    for path in ("/runs/run-1?verdict=failed&sort=-latency", "/runs/run-1?text=parcel&scorer=failed:greets"):
        reply, seconds = took(running, path)
        assert reply.status == 200
        assert seconds < OPENING_S, path


def test_two_runs_of_ten_thousand_cases_can_be_compared(large, dashboard_of):
    running = dashboard_of(large)

    reply, seconds = took(running, "/compare?run=run-1&run=run-2")

    assert reply.status == 200
    assert seconds < 2 * OPENING_S


def test_the_first_page_reads_no_case(large, dashboard_of, monkeypatch):
    def refuse(*_arguments):
        raise AssertionError("a case was read")

    monkeypatch.setattr("steelyard.records.layout.decode_case", refuse)
    running = dashboard_of(large)

    assert running("/").status == 200
    assert running("/api/runs").status == 200


def test_watching_a_run_costs_what_it_adds(results, dashboard, many_cases):
    import json

    from steelyard.records import encode_case

    head = {"steelyard_journal": 1, "benchmark": "b", "combos": [["gpt", "v1"]], "cases": CASES}
    path = results / "run.journal.jsonl"
    lines = [
        b'{"combo":0,"case":%d,"result":%b}\n' % (number, encode_case(case))
        for number, case in enumerate(many_cases(5_000))
    ]
    path.write_bytes(json.dumps(head).encode() + b"\n" + b"".join(lines[:-1]))
    _, all_of_it = took(dashboard, "/live/run")
    with path.open("ab") as file:
        file.write(lines[-1])

    reply, one_more = took(dashboard, "/live/run")

    assert "5\u2009000 of 10\u2009000 cases" in reply.text
    assert one_more < all_of_it / 2
