"""The JSON API: strict JSON, the record's own field names, and one line for what is wrong."""

from __future__ import annotations

import json

import pytest

from steelyard.api import Status
from steelyard.records import encode_case

RUN = "2026-06-10_143205_support"


def strict(body):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(body, parse_constant=refuse)


def test_a_run_is_told_as_its_record_has_it_without_the_cases(dashboard, put, make_case, results):
    path = put(make_case("a"), make_case("b", passed=False))
    record = json.loads(path.read_bytes())
    for combo in record["results"]:
        del combo["test_cases"]

    assert dashboard(f"/api/runs/{RUN}").json == {"id": RUN, **record}


def test_a_case_is_told_as_its_record_has_it(dashboard, put, make_case):
    case = make_case("a", metadata={"n": 1})
    put(make_case("x"), case)

    told = dashboard(f"/api/runs/{RUN}/cases/0/1").json

    assert told == {"model": "gpt", "prompt_id": "v1", **json.loads(encode_case(case))}


def test_runs_are_listed_with_their_combos(dashboard, put, make_case):
    put(make_case("a"), make_case("b", passed=False))

    (run,) = dashboard("/api/runs").json["runs"]

    assert run["id"] == RUN
    assert run["best"] == {
        "model": "gpt",
        "prompt_id": "v1",
        "score": 50.0,
        "score_low": 20.0,
        "score_high": 90.0,
        "scored": 2,
        "errors": 0,
        "total_cost": 0.004,
    }
    assert run["combos"] == [
        {
            "model": "gpt",
            "prompt_id": "v1",
            "total": 2,
            "success": 1,
            "failed": 1,
            "errors": 0,
            "not_run": 0,
            "score": 50.0,
            "score_low": 20.0,
            "score_high": 90.0,
            "total_cost": 0.004,
            "latency_p50_ms": 400.0,
        }
    ]


def test_a_row_of_a_case_has_the_names_of_the_record(dashboard, put, make_case):
    put(make_case("a", status=Status.API_ERROR, run={"cost_usd": None}))

    assert dashboard(f"/api/runs/{RUN}/cases").json["cases"] == [
        {
            "model": "gpt",
            "prompt_id": "v1",
            "combo": 0,
            "number": 0,
            "id": "a",
            "status": "api_error",
            "match_result": False,
            "match_score": None,
            "flaky": False,
            "total_cost": None,
            "latency_ms": 400.0,
            "tags": ["billing"],
            "scorers": [],
            "failed_by": [],
        }
    ]


@pytest.mark.parametrize("path", ["/api/runs/none", "/api/live/none", "/api/nothing", "/api/compare?run=none", "/api/"])
def test_what_is_not_there_is_one_line_of_json(dashboard, path):
    reply = dashboard(path)

    assert reply.status == 404
    assert reply.headers["Content-Type"] == "application/json"
    assert list(reply.json) == ["error"]
    assert "\n" not in reply.json["error"]


def test_numbers_beyond_all_are_null_and_never_infinity(dashboard, store, make_record, make_combo, make_case):
    huge = make_combo(make_case(run={"cost_usd": 1e308, "judge_cost_usd": 1e308}), cost_usd=1e308)
    store(make_record(huge, huge))

    told = strict(dashboard("/api/runs").body)

    assert told["runs"][0]["total_cost"] is None
    assert strict(dashboard(f"/api/runs/{RUN}/cases").body)["cases"][0]["total_cost"] is None


def test_a_lone_surrogate_becomes_a_question_mark(dashboard, results, put, make_case):
    path = put(make_case("a", run={"response": "half of a pair"}))
    path.write_bytes(path.read_bytes().replace(b"half of a pair", b"\\ud800"))

    assert dashboard(f"/api/runs/{RUN}/cases/0/0").json["response"] == "?"
    assert dashboard(f"/runs/{RUN}/cases/0/0").status == 200


def test_a_difference_is_told_piece_by_piece(dashboard, put, make_case):
    put(make_case("a", run={"response": "the red car"}), run_id="one", timestamp="2026-01-01T00:00:00+00:00")
    put(make_case("a", run={"response": "the blue car"}), run_id="two", timestamp="2026-01-02T00:00:00+00:00")

    told = dashboard("/api/compare/case?run=one&run=two&line=0").json

    assert [answer["side"] for answer in told["answers"]] == ["one", "two"]
    assert told["answers"][1]["difference"] == [
        {"kind": "same", "text": "the "},
        {"kind": "changed", "text": "blue "},
        {"kind": "same", "text": "car"},
    ]
    assert told["answers"][1]["case"]["response"] == "the blue car"


def test_every_page_names_its_json_and_it_is_there(dashboard, put, make_case, read, results):
    put(make_case("a"), run_id="one")
    put(make_case("a"), run_id="two")
    pages = ["/", "/runs/one?verdict=passed", "/runs/one/cases/0/0", "/compare?run=one&run=two", "/live"]
    pages.append("/compare/case?run=one&run=two&line=0&show=all")

    for path in pages:
        link = read(dashboard(path)).links["this page as JSON"]
        assert link.startswith("/api/"), path
        assert dashboard(link).status == 200, link


def test_a_page_that_cannot_be_shown_names_no_json_of_itself(dashboard, put, make_case, read):
    put(make_case())

    assert read(dashboard("/")).links["this page as JSON"] == "/api/runs"
    assert "this page as JSON" not in read(dashboard("/runs/none")).links
