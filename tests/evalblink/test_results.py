"""What a run leaves behind, what it prints literally, and how it is stopped."""

from __future__ import annotations

import datetime
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, failure, silence

posix = pytest.mark.skipif(os.name == "nt", reason="signals are the system's own on Windows")
RUN_ID = re.compile(r"\d{4}-\d\d-\d\d_\d{6}_[a-z0-9-]+")
HOSTILE = ("[bold]x", "[/INST]", "a[/]", "[link=http://x]y", ":smile:")


def asked(api: FakeAPI) -> int:
    return sum(request.method == "POST" for request in api.requests)


def stems(desk: Any) -> list[str]:
    return sorted(path.stem for path in (desk.folder / "results").glob("*.json"))


# Files


def test_a_run_leaves_its_record_and_its_report_under_one_name(online, make):
    online.write("b.json", make(name="Customer Support (v2)!"))
    online("run", "b.json")
    (stem,) = stems(online)
    assert RUN_ID.fullmatch(stem)
    assert stem.endswith("_customer-support-v2")
    assert sorted(path.name for path in (online.folder / "results").iterdir()) == [f"{stem}.json", f"{stem}.md"]
    record = online.record()
    assert (record["run_id"], record["benchmark"]) == (stem, "Customer Support (v2)!")
    assert record["schema_version"] == 2
    assert datetime.datetime.fromisoformat(record["timestamp"]).utcoffset() is not None


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Äpfel & Birnen", "pfel-birnen"),
        ("日本語", "benchmark"),
        ("…", "benchmark"),
        ("n" * 300, "n" * 60),
        ("../../etc/x", "etc-x"),
    ],
)
def test_the_name_becomes_a_slug_of_at_most_60_characters(online, make, name, slug):
    online.write("b.json", make(name=name))
    assert online("run", "b.json").returncode == 0
    (stem,) = stems(online)
    assert stem.partition("_")[2].partition("_")[2] == slug
    assert online.record()["benchmark"] == name


def test_a_second_run_in_the_same_second_gets_a_number(online, make):
    online.write("b.json", make())
    for _ in range(4):
        online("run", "b.json")
    found = stems(online)
    # Four quick runs share at least one second, unless the machine was busy: then each has its own.
    seconds = {stem[:17] for stem in found}
    assert len(found) == 4
    for second in seconds:
        same = [stem.partition("_three-cases")[2] for stem in found if stem.startswith(second)]
        assert sorted(same) == ["", *(f"-{number}" for number in range(2, len(same) + 1))]


def test_the_report_shows_what_went_wrong_in_the_place_of_a_score(online, api, make, a_case):
    def answer(request: FakeRequest) -> Reply | str:
        if request.model == "other/judge":
            return failure(400, "no") if "<judge_api>" in request.prompt else "no verdict"
        return failure(400, "no") if "<api>" in request.prompt else "ok"

    api.answer(answer)
    judge = {"evaluation": "llm_judge", "criteria": "good", "expected_output": None}
    cases = [a_case("api"), a_case("judge_api", **judge), a_case("judge", **judge), a_case("scored")]
    online.write("b.json", make(evaluation={"judge_model": "other/judge"}, test_cases=cases))
    online("run", "b.json")
    report = online.report()
    assert "| api | exact_match | – | API error |" in report
    assert "| judge_api | llm_judge | – | judge API error |" in report
    assert "| judge | llm_judge | – | judge error |" in report
    assert "| scored | exact_match | True | 1.0000 |" in report


# Text that comes from others


def test_names_ids_tags_messages_and_outputs_are_printed_literally(online, api, make, a_case):
    api.answer(lambda request: failure(400, "[/data/out] :x:") if "lost" in request.prompt else "[red]done[/red]")
    cases = [a_case(identity, tags=[identity], variables={"text": "x"}) for identity in HOSTILE]
    lost = a_case("lost", variables={"text": "lost"})
    online.write("b.json", make(name="[bold]n[/bold] :rocket:", models=["m/x[/red]"], test_cases=[*cases, lost]))
    done = online("run", "b.json", "-v")
    for text in (*HOSTILE, "[bold]n[/bold] :rocket:", "m/x[/red]"):
        assert text in done.stdout
        assert text in done.stderr or text.startswith("[bold]n")
    assert "got '[red]done[/red]'" in done.stderr
    assert "[/data/out] :x:" in done.stderr


def test_half_a_surrogate_pair_becomes_a_question_mark_wherever_text_leaves(online, api, make, a_case):
    api.reply("math \ud835 sign")
    case = a_case("c\udc97", variables={"text": "bad \ud800 text"}, expected_output="x")
    online.write("b.json", make(name="n\ud800", test_cases=[case]))
    done = online("run", "b.json", "-v")
    assert done.returncode == 0
    assert api.prompts == ("Say ok to bad ? text.",)
    assert "n?" in done.stdout
    assert "Test case: c? " in done.stderr
    assert "# n?\n" in online.report()
    assert "| c? |" in online.report()
    assert online.record()["results"][0]["test_cases"][0]["response"] == "math ? sign"


# Before the first call


def test_a_file_in_the_place_of_the_results_stops_the_run_before_the_first_call(online, api, make):
    online.write("results", "a file")
    online.write("b.json", make())
    done = online("run", "b.json")
    assert (done.returncode, api.count) == (1, 0)
    assert "results" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root and Windows write to read-only folders")
def test_a_read_only_folder_stops_the_run_before_the_first_call(online, api, make):
    online.write("b.json", make())
    (online.folder / "results").mkdir(mode=0o500)
    done = online("run", "b.json")
    assert (done.returncode, api.count) == (1, 0)


# Ctrl-C


@posix
def test_ctrl_c_ends_a_run_at_once_with_130_one_line_and_no_results(online, api, make, a_case):
    api.reply(silence())
    online.write("b.json", make(test_cases=[a_case(f"c{number}") for number in range(20)], concurrency=4))
    process = online.apart("run", "b.json")
    assert api.wait_for(lambda server: server.in_flight == 4)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert time.monotonic() - began < 10
    last = stderr.splitlines()[-1]
    assert last.startswith("Interrupted — no results written.")
    assert "Traceback" not in stderr
    assert asked(api) == 4
    assert not list((online.folder / "results").glob("*.json"))
    assert not list((online.folder / "results").glob("*.md"))


# The record


def test_the_record_keeps_the_fields_of_evalblink(online, make):
    online.write("b.json", make(quality_threshold=50, inference={"temperature": 0, "max_tokens": 9}))
    online("run", "b.json")
    record = online.record()
    assert {
        "schema_version", "run_id", "benchmark", "judge_model", "temperature", "max_tokens", "quality_threshold",
        "timestamp", "results", "insights",
    } <= record.keys()  # fmt: skip
    (combo,) = record["results"]
    assert {
        "model", "prompt_id", "success", "scored", "errors", "total", "score", "total_prompt_tokens",
        "total_completion_tokens", "total_cost", "test_cases",
    } <= combo.keys()  # fmt: skip
    assert {
        "id", "tags", "evaluation", "status", "match_result", "match_score", "response", "reasoning", "expected",
        "error", "prompt_tokens", "completion_tokens", "cost", "judge_prompt_tokens", "judge_completion_tokens",
        "judge_cost", "total_cost",
    } <= combo["test_cases"][0].keys()  # fmt: skip
    assert {"best_quality", "best_value", "warnings", "errors", "passed", "quality_threshold"} <= record[
        "insights"
    ].keys()


def test_what_a_person_gave_an_answer_is_kept(online, make, a_case):
    online.write("b.json", make(test_cases=[a_case("graded", human_score=4), a_case("ungraded")]))
    online("run", "b.json")
    assert {name: case.get("human_score") for name, case in online.cases().items()} == {"graded": 4.0, "ungraded": None}


def test_results_are_stored_in_the_order_of_the_file_whatever_finishes_first(online, api, make, a_case):
    def answer(request: FakeRequest) -> Reply:
        return Reply("ok", latency_s=0.2 if "<slow>" in request.prompt else 0.0)

    api.answer(answer)
    online.write("b.json", make(test_cases=[a_case("slow"), a_case("a"), a_case("b")]))
    online("run", "b.json")
    assert list(online.cases()) == ["slow", "a", "b"]


def test_a_record_is_strict_json_in_utf_8_also_where_a_server_names_an_impossible_cost(online, api, make, a_case):
    usage = '{"prompt_tokens": 1, "completion_tokens": 1, "cost": NaN}'
    body = '{"choices": [{"message": {"content": "grüße"}, "finish_reason": "stop"}], "usage": ' + usage + "}"
    api.reply(Reply(body=body))
    api.catalog([])
    online.write("b.json", make(test_cases=[a_case("ä")]))
    online("run", "b.json")
    raw = Path(online.records()[0]).read_bytes().decode("utf-8")
    assert "grüße" in raw
    assert json.loads(raw)["results"][0]["total_cost"] is None
    online.record()  # refuses NaN and Infinity
