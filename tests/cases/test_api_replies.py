"""Kind 5: what a server says is understood by its own words; what passes is tried again, and what lasts is told."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from steelyard.testing.fake_api import (
    Reply,
    cut_off,
    dropped,
    error_in_200,
    error_in_choice,
    failure,
    html,
    rate_limited,
    redirect,
    tool_call,
)

ATTEMPTS = 4
"""The first and three more."""


def suite(names: list[str], model: Any = "vendor/small", **keys: Any) -> dict[str, Any]:
    return {
        "name": "replies",
        "retry_backoff": 0.001,
        "models": [model],
        "prompts": [{"id": "p", "template": "Case ~~{{ name }}~~"}],
        "test_cases": [
            {"id": name, "variables": {"name": name}, "expected_output": "billing", "evaluation": "exact_match"}
            for name in names
        ],
        **keys,
    }


def ask(online: Any, api: Any, replies: dict[str, list[Any]], **keys: Any) -> dict[str, dict[str, Any]]:
    """Give each case its own replies, then good ones; return the cases, each with how often it was ``asked``."""
    api.reply(Reply("billing", cost_usd=0.001))
    for name, scripted in replies.items():
        api.script(scripted, match=f"~~{name}~~")
    online.write("b.json", suite(list(replies), **keys))
    before = len(api.prompts)
    done = online("run", "b.json")
    assert online.records(), done.said
    assert "Traceback" not in done.said
    asked = [prompt.split("~~")[1] for prompt in api.prompts[before:]]
    return {name: {**case, "asked": asked.count(name)} for name, case in online.cases().items()}


# H25


def test_an_error_inside_a_200_is_judged_by_its_own_code(online: Any, api: Any) -> None:
    headers = {"metadata": {"headers": {"X-RateLimit-Remaining": "0"}}}
    faults = {
        "limited": error_in_200(429, "Rate limit exceeded: per-min", **headers),
        "limited-as-text": error_in_200("429", "Slow down"),
        "bad-gateway": error_in_200(502),
        "unavailable": error_in_200(503, "overloaded"),
        "server-error": error_in_200("server_error", "internal"),
        "no-endpoint": error_in_200(404, "No endpoints found for it"),
        "refused": error_in_200(400, "not a valid model ID"),
        "text": Reply(body={"error": "all is lost"}),
        "no-choices": Reply(body={"id": "gen-1", "choices": []}),
        "null-choices": Reply(body={"id": "gen-1", "choices": None}),
        "choices-missing": Reply(body={"id": "gen-1"}),
        "list": Reply(body=[]),
        "number": Reply(body=17),
        "null": Reply(body=b"null"),
        "no-json": Reply(body=b"OK"),
    }
    cases = ask(online, api, {name: [fault] * 10 for name, fault in faults.items()} | {"fine": []})
    assert {case["status"] for name, case in cases.items() if name != "fine"} == {"api_error"}
    assert cases["fine"]["status"] == "scored"
    retried = {"limited", "limited-as-text", "bad-gateway", "unavailable"}
    once = {"no-endpoint", "refused"}
    assert {name: cases[name]["asked"] for name in retried} == dict.fromkeys(retried, ATTEMPTS)
    assert {name: cases[name]["asked"] for name in once} == dict.fromkeys(once, 1)
    for name, words in {
        "limited": "Rate limit exceeded: per-min",
        "bad-gateway": "Provider returned error",
        "no-endpoint": "No endpoints found for it",
        "text": "all is lost",
        "no-choices": "choices",
    }.items():
        assert words in cases[name]["error"], cases[name]["error"]
    # Nothing of all this was kept: only the good answer is.
    assert online("cache", "stats").stdout.split().count("1") == 1
    api_before = len(api.prompts)
    online("run", "b.json")
    assert len(api.prompts) - api_before >= len(faults)


# H26


def gmt(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def test_a_wait_that_is_asked_for_in_words_nobody_can_use_is_the_ordinary_one(online: Any, api: Any) -> None:
    useless = [
        "Wed, 21 Oct 2015 07:28:00 GMT",
        "Wed, 21 Oct 2015 07:28:00 -0000",
        "Wed, 99 Foo 2015 07:28:00 GMT",
        "-5",
        "soon",
        "",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "٣",
        "0x10",
        "1_0",
        "0",
        "5, 6",
    ]
    began = time.monotonic()
    cases = ask(online, api, {f"w{number}": [rate_limited(value)] for number, value in enumerate(useless)})
    assert time.monotonic() - began < 55  # what is asked for in usable words waits a minute at the longest
    assert {name: (case["match_result"], case["asked"]) for name, case in cases.items()} == {
        f"w{number}": (True, 2) for number in range(len(useless))
    }


@pytest.mark.parametrize("form", ["0.6", "date", "date without a zone", "milliseconds", "in the body"])
def test_a_wait_that_is_asked_for_is_kept(online: Any, api: Any, form: str) -> None:
    fault = {
        "0.6": rate_limited("0.6"),
        "date": rate_limited(gmt(2)),
        "date without a zone": rate_limited(gmt(2).replace("GMT", "-0000")),
        "milliseconds": Reply(error="wait", status=429, headers={"retry-after-ms": "600"}),
        "in the body": failure(429, "wait", availability={"retryable": True, "retry_after": 0.6}),
    }[form]
    cases = ask(online, api, {"only": [fault]})
    times = [request.time_s for request in api.requests if request.method == "POST"]
    assert (cases["only"]["match_result"], len(times)) == (True, 2)
    assert 0.5 <= times[1] - times[0] < 20


def test_a_wait_of_a_day_is_not_waited_for(online: Any, api: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the wait is cut to would still take a minute here.
    monkeypatch.setattr("steelyard._engine.retry.LONGEST_WAIT_S", 0.3)
    cases = ask(online, api, {"only": [rate_limited("86400")] * 10}, retries=1)
    assert (cases["only"]["status"], cases["only"]["asked"]) == ("api_error", 2)
    assert "rate-limited" in cases["only"]["error"]


# H27


def test_what_passes_is_tried_again_and_costs_one_more_request(online: Any, api: Any) -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    faults: dict[str, Any] = {
        "overloaded": Reply(body=overloaded, status=529),
        "overloaded-in-other-words": failure(529, "Overloaded"),
        "closed-before-a-byte": dropped(),
        "closed-in-the-middle": cut_off(),
        "edge": failure(522, "timed out"),
        "edge-524": failure(524, "timed out"),
        "server": failure(500, "internal"),
        "timeout": failure(408, "timeout"),
    }
    cases = ask(online, api, {name: [fault] for name, fault in faults.items()})
    assert {name: (case["match_result"], case["asked"]) for name, case in cases.items()} == dict.fromkeys(
        faults, (True, 2)
    )
    assert online.record()["results"][0]["errors"] == 0


def test_connections_that_were_closed_while_idle_cost_no_case(online: Any, api: Any) -> None:
    asked = 0

    def answer(_request: Any) -> str:
        nonlocal asked
        asked += 1
        if asked == 3:
            api.drop_connections()
        return "billing"

    api.answer(answer)
    online.write("b.json", suite([f"c{number}" for number in range(8)], concurrency=2))
    online("run", "b.json")
    assert all(case["match_result"] for case in online.cases().values())


# H28


def blocks(*content: Any, stop: str = "end_turn", output: int = 20) -> Reply:
    usage = {"input_tokens": 10, "output_tokens": output}
    return Reply(body={"type": "message", "content": list(content), "stop_reason": stop, "usage": usage})


def test_blocks_of_a_reply_are_known_by_their_kind_and_not_by_their_place(online: Any, api: Any) -> None:
    thinking = {"type": "thinking", "thinking": 'hm {"score": 1}', "signature": "x"}
    hidden = {"type": "redacted_thinking", "data": "zz"}
    replies = {
        "thought-first": blocks(thinking, {"type": "text", "text": "bill"}, {"type": "text", "text": "ing"}),
        "thought-last": blocks({"type": "text", "text": "billing"}, thinking),
        "unknown-kind": blocks({"type": "hologram", "text": "no"}, {"type": "text", "text": "billing"}),
        "only-hidden": blocks(hidden, stop="max_tokens", output=200),
        "only-thought": blocks(thinking),
        "nothing": blocks(output=1),
        "empty-text": blocks({"type": "text", "text": ""}),
        "tool": blocks({"type": "tool_use", "id": "t", "name": "f", "input": {}}, stop="tool_use"),
        "refused": blocks(stop="refusal"),
    }
    cases = ask(
        online,
        api,
        {name: [reply] for name, reply in replies.items()},
        model="anthropic:maker-1",
        inference={"max_tokens": 99},
    )
    good = {"thought-first", "thought-last", "unknown-kind"}
    assert {name: case["response"] for name, case in cases.items() if name in good} == dict.fromkeys(good, "billing")
    bad = replies.keys() - good
    assert {cases[name]["status"] for name in bad} == {"api_error"}
    assert {name: cases[name]["asked"] for name in bad} == dict.fromkeys(bad, 1)
    assert "max_tokens" in cases["only-hidden"]["error"]
    assert "empty reply" in cases["nothing"]["error"]


@pytest.mark.parametrize("provider", ["openai", "gemini", "ollama", "openrouter"])
def test_other_apis_have_parts_that_are_no_answer_too(online: Any, api: Any, provider: str) -> None:
    thought = {
        "gemini": Reply([{"text": "hm", "thought": True}, {"text": "bill"}, {"text": "ing"}]),
        "ollama": Reply("billing", message={"thinking": "hm"}),
    }.get(provider, Reply([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "billing"}]))
    cases = ask(online, api, {"thought": [thought]}, model=f"{provider}:maker-1")
    assert cases["thought"]["response"] == "billing"


# H29


def test_false_and_nought_of_a_service_are_outputs_and_null_is_none(online: Any, api: Any) -> None:
    bodies = {
        "false": ('{"blocked": false}', "false"),
        "nought": ('{"blocked": 0}', "0"),
        "list": ('{"blocked": []}', "[]"),
        "object": ('{"blocked": {}}', "{}"),
        "empty": ('{"blocked": ""}', ""),
        "true": ('{"blocked": true}', "true"),
        "float": ('{"blocked": 0.0}', "0.0"),
        "null": ('{"blocked": null}', None),
        "missing": ('{"other": 1}', None),
    }
    api.route("/bot", lambda request: Reply(body=bodies[request.json["input"]][0]))
    online.write(
        "b.json",
        {
            "name": "service",
            "models": [{"id": "bot", "provider": "http", "url": f"{api.origin}/bot", "output_path": "blocked"}],
            "prompts": [{"id": "p", "template": "{{ name }}"}],
            "test_cases": [
                {"id": name, "variables": {"name": name}, "expected_output": "false", "evaluation": "exact_match"}
                for name in bodies
            ],
        },
    )
    online("run", "b.json")
    cases = online.cases()
    found = {name: case["response"] if case["status"] == "scored" else None for name, case in cases.items()}
    assert found == {name: output for name, (_, output) in bodies.items()}
    assert cases["false"]["match_result"] is True
    assert not any(case["match_result"] for name, case in cases.items() if name != "false")
    for name in ("null", "missing"):
        assert "blocked" in cases[name]["error"]


# H30


def counted(reply: Reply, prompt: int, completion: int) -> Reply:
    details = {"reasoning_tokens": completion}
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "completion_tokens_details": details,
        "cost": 0.5,
    }
    return replace(reply, usage=usage)


def test_a_reply_cut_by_its_budget_is_an_error_when_empty_and_marked_when_not(online: Any, api: Any) -> None:
    replies = {
        "empty": counted(Reply("", finish_reason="length"), 18, 200),
        "null": counted(Reply(None, finish_reason="length"), 18, 200),
        "blank": counted(Reply(" \n", finish_reason="length"), 18, 200),
        "tool": counted(tool_call(), 18, 9),
        "filter": counted(Reply("", finish_reason="content_filter"), 18, 9),
        "partial": counted(Reply("The three reasons: first, the", finish_reason="length"), 18, 8),
    }
    cases = ask(online, api, {name: [reply] for name, reply in replies.items()})
    assert {name: (case["status"], case["asked"]) for name, case in cases.items()} == {
        name: ("scored" if name == "partial" else "api_error", 1) for name in replies
    }
    for name in ("empty", "null"):
        assert "finish_reason: length" in cases[name]["error"]
        assert "max_tokens" in cases[name]["error"]
    assert "tool_calls" in cases["tool"]["error"]
    assert "content_filter" in cases["filter"]["error"]
    # What was paid is counted, also where there is nothing to grade.
    assert {case["cost"] for case in cases.values()} == {0.5}
    assert (cases["empty"]["prompt_tokens"], cases["empty"]["completion_tokens"]) == (18, 200)
    assert cases["partial"]["finish_reason"] == "length"
    (combo,) = online.record()["results"]
    assert (combo["truncated"], combo["total_cost"]) == (1, pytest.approx(0.5 * len(replies)))


def test_a_run_says_how_many_answers_were_cut_off(online: Any, api: Any) -> None:
    api.reply(Reply("billing but the", finish_reason="length"))
    online.write("b.json", suite(["a", "b", "c"]))
    done = online("run", "b.json")
    assert "3 answer(s) were cut off by the token limit" in done.stdout
    report = online.records()[-1].with_suffix(".md").read_text(encoding="utf-8")
    assert "3 answer(s) were cut off by the token limit" in report
    assert [case["finish_reason"] for case in online.cases().values()] == ["length"] * 3
    api.reply("billing")
    assert "cut off" not in online("run", "b.json", "--no-cache").said


# Others of these kinds


def chat(message: Any = None, *, usage: Any = None, **choice: Any) -> Reply:
    """Make the body of a reply with everything in it but what is given."""
    counts = {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.001} if usage is None else usage
    content = {"content": "billing"} if message is None else message
    return Reply(body={"choices": [{"message": content, "finish_reason": "stop", **choice}], "usage": counts})


GOOD_BODIES: dict[str, Reply] = {
    "error-is-null": Reply(body={**chat().body, "error": None}),
    "error-is-empty": Reply(body={**chat().body, "error": {}}),
    "byte-order-mark": Reply(body=b"\xef\xbb\xbf" + json.dumps(chat().body).encode()),
    "why-it-ended-is-unknown": chat(finish_reason=None),
    "text-beside-a-tool": chat({"content": "billing", "tool_calls": []}, finish_reason="tool_calls"),
    "thinking-beside": chat({"content": "billing", "reasoning_content": "hm", "reasoning": "hm"}),
    "parts-with-a-picture": chat({"content": [{"type": "image_url"}, {"type": "text", "text": "billing"}]}),
    "counts-as-floats": chat(usage={"prompt_tokens": 12.0, "completion_tokens": 3.0, "cost": 0.001}),
}
BAD_BODIES: dict[str, tuple[Reply, int]] = {
    "error-beside-an-answer": (Reply(body={**chat().body, "error": {"message": "late", "code": 502}}), ATTEMPTS),
    "error-in-the-choice": (error_in_choice(502), ATTEMPTS),
    "limit-in-the-choice": (error_in_choice(429), ATTEMPTS),
    "ended-by-an-error": (Reply("half", finish_reason="error"), ATTEMPTS),
    "web-page": (html(200), ATTEMPTS),
    "nothing": (Reply(body=b""), ATTEMPTS),
    "stream": (Reply(body=b"data: [DONE]\n\n", content_type="text/event-stream"), ATTEMPTS),
    "too-deep": (Reply(body=b"[" * 100_000), ATTEMPTS),
    "no-message": (Reply(body={"choices": [None], "usage": {}}), ATTEMPTS),
    "edge-521": (failure(521), ATTEMPTS),
    "too-early": (failure(425), ATTEMPTS),
    "forbidden-page": (html(403), 1),
    "redirect": (redirect(), 1),
    "message-is-null": (Reply(body={"choices": [{"message": None, "finish_reason": "stop"}], "usage": {}}), 1),
    "content-is-a-number": (chat({"content": 42}), 1),
    "only-thinking": (chat({"content": "", "reasoning": "hm billing"}), 1),
    "refusal": (chat({"content": None, "refusal": "no"}), 1),
    "filtered-in-the-middle": (chat(finish_reason="content_filter"), 1),
    "counts-are-not": (chat(usage={"prompt_tokens": -5, "completion_tokens": True, "cost": 0.001}), 1),
}


def test_a_body_that_is_odd_is_an_answer_or_an_error_and_never_a_crash(online: Any, api: Any) -> None:
    replies = {name: [reply] * 10 for name, reply in GOOD_BODIES.items()}
    replies |= {name: [reply] * 10 for name, (reply, _asked) in BAD_BODIES.items()}
    cases = ask(online, api, replies)
    assert {name: (cases[name]["match_result"], cases[name]["asked"]) for name in GOOD_BODIES} == dict.fromkeys(
        GOOD_BODIES, (True, 1)
    )
    assert {name: (cases[name]["status"], cases[name]["asked"]) for name in BAD_BODIES} == {
        name: ("api_error", asked) for name, (_reply, asked) in BAD_BODIES.items()
    }
    assert all(case["error"] and "\n" not in case["error"] for name, case in cases.items() if name in BAD_BODIES)


@pytest.mark.parametrize("provider", ["openai", "openrouter", "anthropic", "gemini", "ollama"])
def test_what_a_judge_thought_is_not_its_verdict_whatever_the_api(online: Any, api: Any, provider: str) -> None:
    thought, verdict = 'hm {"score": 1}', '{"score": 5}'
    reply = {
        "gemini": Reply([{"text": thought, "thought": True}, {"text": verdict}]),
        "ollama": Reply(verdict, message={"thinking": thought}),
    }.get(provider, Reply([{"type": "thinking", "thinking": thought}, {"type": "text", "text": verdict}]))
    api.answer(lambda request: reply if request.model == "judge" else "fine")
    case = {"id": "c", "variables": {"name": "x"}, "evaluation": "llm_judge", "criteria": "Is it fine?"}
    evaluation = {"judge_model": f"{provider}:judge"}
    online.write("b.json", suite([], "openai:m", test_cases=[case], evaluation=evaluation))
    online("run", "b.json")
    assert (online.cases()["c"]["status"], online.cases()["c"]["match_score"]) == ("scored", 1.0)


def test_false_and_nought_are_values_wherever_they_stand(online: Any, api: Any) -> None:
    rows = [
        ('{"a": false}', False, True),
        ('{"a": 0}', 0, True),
        ('{"a": ""}', "", True),
        ('{"a": []}', [], True),
        ('{"a": {}}', {}, True),
        ('{"a": 0}', False, False),
        ('{"a": false}', 0, False),
        ('{"a": 1}', True, False),
        ('{"a": "0"}', 0, False),
        ("{}", "", False),
    ]
    cases = online.outputs(
        [
            {"id": str(number), "output": output, "scorers": [{"type": "json_path", "path": "a", "value": value}]}
            for number, (output, value, _passes) in enumerate(rows)
        ]
    )
    assert [case["match_result"] for case in cases.values()] == [passes for _output, _value, passes in rows]
    # A setting of nought is sent, and a variable of nought is shown.
    api.reply("billing")
    params = {"top_p": 0, "logprobs": False, "stop": []}
    inference = {"temperature": 0, "seed": 0, "params": params}
    prompt = {"id": "p", "template": "{{ a }}|{{ b | default('x') }}|{{ c }}"}
    case = {"id": "c", "variables": {"a": 0, "b": 0.0, "c": ""}, "expected_output": "billing"}
    whole = suite(
        [], "openai:m", inference=inference, prompts=[prompt], test_cases=[case | {"evaluation": "exact_match"}]
    )
    online.write("b.json", whole)
    assert online("run", "b.json").returncode == 0
    sent = api.requests[-1].json
    assert {name: sent[name] for name in ("temperature", "seed", *params)} == {"temperature": 0, "seed": 0, **params}
    assert sent["messages"][-1]["content"] == "0|0.0|"
