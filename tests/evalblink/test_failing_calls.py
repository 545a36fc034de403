"""Calls that fail: which are tried again, how often, and what becomes of their case. No run is lost for one of them."""

from __future__ import annotations

import time

import pytest

from steelyard.testing.fake_api import (
    Reply,
    corrupt_gzip,
    cut_off,
    dropped,
    error_in_200,
    failure,
    html,
    no_choices,
    rate_limited,
    redirect,
    silence,
)

TRANSIENT = (408, 429, 502, 503, 504)
MOST_ATTEMPTS = 4


def asked(api) -> int:
    return sum(request.method == "POST" for request in api.requests)


@pytest.mark.parametrize("status", TRANSIENT)
@pytest.mark.parametrize("where", ["on the status line", "in the body of a 200"])
def test_a_failure_that_may_pass_is_tried_again(online, api, make, a_case, status, where):
    fault = failure(status) if where == "on the status line" else error_in_200(status)
    api.script([fault, fault, fault])
    online.write("b.json", make(test_cases=[a_case("c")]))
    assert online("run", "b.json").returncode == 0
    assert asked(api) == MOST_ATTEMPTS
    assert online.cases()["c"]["attempts"] == MOST_ATTEMPTS


@pytest.mark.parametrize("fault", [dropped(), cut_off()], ids=["dropped", "cut off"])
def test_a_broken_connection_is_tried_again(online, api, make, a_case, fault):
    api.script([fault])
    online.write("b.json", make(test_cases=[a_case("c")]))
    assert online("run", "b.json").returncode == 0
    assert asked(api) == 2


def test_a_timeout_is_tried_again_up_to_four_attempts_and_then_told(online, api, make, a_case):
    api.reply(silence())
    online.write("b.json", make(test_cases=[a_case("c")], timeout=0.05))
    done = online("run", "b.json")
    assert (done.returncode, asked(api)) == (1, MOST_ATTEMPTS)
    assert "timed out after 0.05 s; gave up after 4 attempt(s)" in online.cases()["c"]["error"]


def test_a_rate_limit_that_lasts_says_what_helps(online, api, make, a_case):
    api.reply(rate_limited("0"))
    online.write("b.json", make(test_cases=[a_case("c")]))
    online("run", "b.json")
    error = online.cases()["c"]["error"]
    assert asked(api) == MOST_ATTEMPTS
    assert "rate-limited" in error
    assert "retry later, lower the concurrency or add a paid model" in error


def test_a_server_that_names_the_seconds_to_wait_is_given_them(online, api, make, a_case):
    api.script([rate_limited("0.4")])
    online.write("b.json", make(test_cases=[a_case("c")]))
    began = time.monotonic()
    online("run", "b.json")
    times = [request.time_s for request in api.requests if request.method == "POST"]
    assert times[1] - times[0] >= 0.4
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (failure(400, "x is not a valid model ID"), "x is not a valid model ID"),
        (failure(401, "User not found"), "HTTP 401"),
        (failure(404, "No such model"), "No such model"),
        (corrupt_gzip(), "openrouter: "),
        (redirect(), "HTTP 307"),
        (Reply(None), "empty reply (finish_reason: stop)"),
        (Reply(""), "empty reply (finish_reason: stop)"),
        (Reply("ok", usage="missing"), "the reply has no usage data"),
    ],
    ids=["unknown model", "bad key", "not found", "undecodable", "redirect", "null", "empty", "no usage"],
)
def test_any_other_failure_is_a_clear_error_and_not_tried_again(online, api, make, a_case, fault, message):
    api.script([fault], match="<lost>")
    online.write("b.json", make(test_cases=[a_case("kept"), a_case("lost")], concurrency=1))
    done = online("run", "b.json")
    lost = online.cases()["lost"]
    assert done.returncode == 0
    assert asked(api) == 2
    assert message in lost["error"]
    assert "\n" not in lost["error"]


@pytest.mark.parametrize("fault", [html(502), html(200), no_choices(), no_choices(None)])
def test_a_page_or_a_reply_without_choices_is_a_clear_error(online, api, make, a_case, fault):
    api.reply(fault)
    online.write("b.json", make(test_cases=[a_case("c")]))
    done = online("run", "b.json")
    only = online.cases()["c"]
    assert (done.returncode, only["status"]) == (1, "api_error")
    assert only["error"].startswith("openrouter: ")
    if fault.status != 200:
        assert "502" in only["error"]


def test_a_failed_case_has_its_status_no_score_no_answer_and_no_cost(online, api, make, a_case):
    api.script([failure(400, "bad request")], match="<lost>")
    online.write("b.json", make(test_cases=[a_case("kept"), a_case("lost")]))
    done = online("run", "b.json")
    lost = online.cases()["lost"]
    assert {key: lost[key] for key in ("status", "match_score", "match_result", "response")} == {
        "status": "api_error",
        "match_score": None,
        "match_result": False,
        "response": "",
    }
    assert "bad request" in lost["error"]
    assert (lost["prompt_tokens"], lost["completion_tokens"], lost["cost"], lost["total_cost"]) == (0, 0, 0, 0)
    assert "⚠️  API error on vendor/small / v1 / lost: " in done.stderr
    assert online.cases()["kept"]["match_result"] is True


def test_a_failed_case_is_counted_under_errors_and_left_out_of_the_score(online, api, make):
    api.script([failure(400, "bad request")], match="<c2>")
    online.write("b.json", make())
    done = online("run", "b.json")
    (combo,) = online.record()["results"]
    assert (combo["success"], combo["scored"], combo["errors"], combo["total"], combo["score"]) == (2, 2, 1, 3, 100.0)
    assert "│ 100.0% │         2/2 │      1 │" in done.stdout
    assert "⚠  1 of 3 case(s) hit a pipeline error (API / judge failure) and are excluded from scores." in done.stdout
    assert "| c2 | exact_match | – | API error |" in online.report()


def test_a_run_in_which_nothing_could_be_scored_is_written_and_exits_with_1(online, api, make):
    api.reply(failure(401, "User not found"))
    online.write("b.json", make())
    done = online("run", "b.json")
    assert done.returncode == 1
    assert online.record()["insights"]["passed"] is False
    assert {case["status"] for case in online.cases().values()} == {"api_error"}
    assert "API error" in online.report()
    assert "FAIL: nothing could be scored." in done.stdout
