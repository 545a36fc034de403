"""Kind 6: only what can be graded is kept, all that decides an answer is in its key, and stopping loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import (
    Reply,
    catalog_entry,
    error_in_200,
    failure,
    html,
    no_choices,
    rate_limited,
    tool_call,
)

posix = pytest.mark.skipif(os.name == "nt", reason="signals are the system's own on Windows")


def suite(names: list[str], model: Any = "vendor/small", **keys: Any) -> dict[str, Any]:
    return {
        "name": "kept",
        "retry_backoff": 0.001,
        "retries": 1,
        "models": [model],
        "prompts": [{"id": "p", "template": "Case ~~{{ name }}~~"}],
        "test_cases": [
            {"id": name, "variables": {"name": name}, "expected_output": "billing", "evaluation": "exact_match"}
            for name in names
        ],
        **keys,
    }


def entries(desk: Any) -> int:
    """Return how many replies the cache holds."""
    said: str = desk("cache", "stats").stdout
    return int(next(word for word in said.replace(",", "").split() if word.isdigit()))


# H31


@pytest.mark.parametrize("cache", ["sqlite", "files"])
def test_what_cannot_be_graded_is_asked_for_again(online: Any, api: Any, asked: Any, cache: str) -> None:
    faults = {
        "limited": error_in_200(429, "rate limit exceeded"),
        "filtered": Reply("", finish_reason="content_filter"),
        "null": Reply(None),
        "empty": Reply(""),
        "cut": Reply("", finish_reason="length"),
        "tool": tool_call(),
        "nothing": no_choices(),
        "refused": failure(403, "moderation"),
        "no-usage": Reply("billing", usage="missing"),
        "refusal": Reply(None, message={"refusal": "I will not."}),
    }
    for name, fault in faults.items():
        api.script([fault, fault], match=f"~~{name}~~")
    api.reply("billing")
    online.write("steelyard.yaml", f"cache: {cache}\n")
    online.write("b.json", suite(list(faults)))
    online("run", "b.json")
    assert {case["status"] for case in online.cases().values()} == {"api_error"}
    assert entries(online) == 0
    before = asked()
    # The scripts that were made for two attempts may hold one more fault each.
    for _ in range(2):
        online("run", "b.json")
    assert asked() - before >= len(faults)
    assert all(case["match_result"] for case in online.cases().values())
    assert entries(online) == len(faults)
    before = asked()
    online("run", "b.json")
    assert asked() == before


def test_a_verdict_that_is_none_is_asked_for_again(judged: Any, online: Any, api: Any, asked: Any) -> None:
    judged({"broken": "I will not.", "good": '{"score": 5}'})
    api.answer(lambda request: '{"score": 4}' if request.model == "vendor/judge" else "fine")
    before = asked()
    online("run", "judged.json")
    assert {name: case["match_score"] for name, case in online.cases().items()} == {"broken": 0.75, "good": 1.0}
    assert asked() - before == 1


# H32

BASE = {"temperature": 0, "max_tokens": 200, "params": {"top_p": 0.9, "stop": ["x"]}}


def variant(**changes: Any) -> dict[str, Any]:
    inference = {**BASE, **changes.pop("inference", {})}
    return suite(["a"], inference=inference, **changes)


def test_whatever_goes_over_the_wire_makes_another_request(online: Any, api: Any, asked: Any) -> None:
    api.reply("billing")
    chat_body = {"choices": [{"message": {"content": "billing"}, "finish_reason": "stop"}], "usage": {}}
    api.route("/other/v1/chat/completions", lambda _request: Reply(body=chat_body))
    prompt = {"id": "p", "template": "Case ~~{{ name }}~~"}
    variants = [
        variant(inference={"temperature": 0.7}),
        variant(inference={"temperature": None}),
        variant(inference={"max_tokens": 4096}),
        variant(inference={"seed": 1}),
        variant(inference={"seed": 0}),
        variant(inference={"params": {"top_p": 0.5, "stop": ["x"]}}),
        variant(inference={"params": {"top_p": 0.9}}),
        variant(inference={"params": {"response_format": {"type": "json_object"}}}),
        variant(inference={"params": {"reasoning": {"effort": "high"}}}),
        variant(prompts=[{**prompt, "system": "Be brief."}]),
        variant(prompts=[{**prompt, "template": "Case ~~{{ name }}~~\n"}]),
        variant(model="vendor/large"),
        variant(model="openai:vendor/small"),
        variant(model={"id": "x", "provider": "openai", "model": "vendor/small", "base_url": f"{api.origin}/other/v1"}),
    ]
    online.write("base.json", variant())
    online("run", "base.json")
    assert asked() == 1
    for number, whole in enumerate(variants):
        online.write("b.json", whole)
        before = asked()
        online("run", "b.json")
        assert asked() - before == 1, (number, whole)
        online("run", "b.json")
        assert asked() - before == 1, (number, whole)
    before = asked()
    online("run", "base.json")
    same = [
        variant(inference={"params": {"stop": ["x"], "top_p": 0.9}}),
        variant(model={"id": "another label", "model": "vendor/small"}),
        variant(name="another name", concurrency=1),
        variant(retries=9, timeout=77),
    ]
    for whole in same:
        online.write("b.json", whole)
        online("run", "b.json")
    assert asked() == before


def test_what_a_program_or_a_service_is_told_is_part_of_the_key(desk: Any, api: Any) -> None:
    log = desk.folder / "log.txt"
    code = f"import os,sys; open({str(log)!r},'a').write('x'); print(os.environ.get('MODE'), sys.stdin.read())"
    command = {"id": "bot", "provider": "command", "command": ["python3", "-c", code], "cache": True}
    for mode in ("a", "b", "a"):
        desk.write("b.json", suite(["one"], model={**command, "env": {"MODE": mode}}))
        desk("run", "b.json")
        assert desk.cases()["one"]["response"].startswith(f"{mode} Case")
    assert log.read_text() == "xx"


def test_a_script_that_was_changed_makes_another_request(desk: Any) -> None:
    desk.write(
        "b.json",
        suite(["one"], model={"id": "bot", "provider": "command", "command": ["python3", "bot.py"], "cache": True}),
    )
    said = []
    for word in ("first", "first", "second", "first"):
        desk.write("bot.py", f"open('log.txt', 'a').write('x'); print({word!r})")
        desk("run", "b.json")
        said.append(desk.cases()["one"]["response"])
    assert said == ["first", "first", "second", "first"]
    assert (desk.folder / "log.txt").read_text() == "xx"


@pytest.mark.parametrize(
    "changes", [{"output_path": "b"}, {"method": "PUT"}, {"headers": {"X-Mode": "2"}}, {"body": {"t": "{{ prompt }}!"}}]
)
def test_whatever_a_service_is_asked_otherwise_makes_another_request(
    desk: Any, api: Any, changes: dict[str, Any]
) -> None:
    heard: list[str] = []

    def bot(request: Any) -> Reply:
        heard.append(request.method)
        return Reply(body={"a": "billing", "b": "other"})

    api.route("/bot", bot)
    model = {
        "id": "bot",
        "provider": "http",
        "url": f"{api.origin}/bot",
        "output_path": "a",
        "cache": True,
        "body": {"t": "{{ prompt }}"},
    }
    model |= {"headers": {"X-Mode": "1"}}
    for settings, asked in (({}, 1), ({}, 1), (changes, 2), (changes, 2), ({"timeout": 9, "retries": 1}, 2)):
        desk.write("b.json", suite(["one"], model={**model, **settings}))
        desk("run", "b.json")
        assert desk.cases()["one"]["status"] == "scored"
        assert len(heard) == asked


def test_another_judge_or_another_budget_of_the_judge_makes_another_request(judged: Any, asked: Any) -> None:
    rows = {"a": '{"score": 4}'}

    def asks(**evaluation: Any) -> int:
        before = asked()
        judged(rows, evaluation={"judge_model": "openai:vendor/judge", **evaluation})
        return int(asked() - before)

    assert [asks(), asks(), asks(judge_max_tokens=99), asks(judge_threshold=0.1), asks()] == [2, 0, 1, 0, 0]


def test_each_repeat_of_a_case_is_asked_and_kept_for_itself(online: Any, api: Any, asked: Any) -> None:
    api.reply("billing")
    for repeat, wanted in ((3, 3), (3, 3), (5, 5), (2, 5)):
        online.write("b.json", suite(["one"], repeat=repeat))
        online("run", "b.json")
        assert asked() == wanted


# H33


def damage_files(folder: Path, content: bytes | None) -> int:
    """Put something else in the place of every entry."""
    found = [path for path in (folder / ".steelyard_cache").rglob("*") if path.is_file() and path.suffix != ".lock"]
    found = [path for path in found if path.name not in ("models.json", "CACHEDIR.TAG", ".gitignore")]
    for path in found:
        path.unlink()
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)
    return len(found)


DAMAGE: dict[str, bytes | None] = {
    "empty": b"",
    "cut": b'{"response": "bil',
    "no text": b"\xff\xfe\x00\x9d",
    "null": b"null",
    "list": b"[]",
    "number": b"17",
    "string": b'"billing"',
    "no answer": b'{"response": null, "usage": {}}',
    "something else": b"hello",
    "blank page": b"\x00" * 4096,
    "folder": None,
}


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE)
def test_an_entry_that_is_none_is_a_miss_and_is_replaced(online: Any, api: Any, asked: Any, content: Any) -> None:
    api.reply("billing")
    for cache in ("files", "sqlite"):
        online.write("b.json", suite(["one"], cache=cache))
        before = asked()
        online("run", "b.json")
        assert asked() - before == 1
        assert damage_files(online.folder, content) > 0
        before = asked()
        done = online("run", "b.json")
        assert (done.returncode, asked() - before) == (0, 1), done.said
        assert online.cases()["one"]["match_result"] is True
        assert "Traceback" not in done.said
        if content is None and cache == "sqlite":
            assert "cache" in done.stderr  # a folder in its place cannot be replaced: the run goes on without
            continue
        online("run", "b.json")
        assert asked() - before == 1, online("run", "b.json").said
        for path in (online.folder / ".steelyard_cache").rglob("*.json"):
            if path.is_file():
                path.unlink()


# H34


@posix
@pytest.mark.parametrize("signals", [1, 2])
def test_a_stopped_run_ends_at_once_and_keeps_what_it_paid_for(online: Any, api: Any, asked: Any, signals: int) -> None:
    api.reply(Reply("billing", latency_s=0.5))
    names = [f"c{number}" for number in range(40)]
    online.write("b.json", suite(names, concurrency=4))
    process = online.apart("run", "b.json")
    assert api.wait_for(lambda api: len(api.prompts) >= 11, 80)
    process.send_signal(signal.SIGINT)
    at_signal = asked()
    if signals == 2:
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
    try:
        _out, err = process.communicate(timeout=80)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert len(err.decode().strip().splitlines()[-1]) > 0
    # Each hand may have had a request on its way when the signal came; nobody takes up another afterwards.
    assert asked() - at_signal <= 4
    assert not online.records()
    sent = asked()
    api.reply("billing")
    online("run", "b.json")
    # Of four at a time, the eleventh was asked only once seven had been answered.
    assert asked() - sent <= 40 - 7
    assert all(case["match_result"] for case in online.cases().values())
    assert json.loads(online.records()[0].read_text())["insights"]["total"] == 40


# Others of these kinds

NO_RECORDS: dict[str, bytes] = {
    "empty": b"",
    "null": b"null",
    "list": b"[]",
    "object": b"{}",
    "no text": b"\xff\xfe\x00\x9d",
    "no results": b'{"results": null}',
    "no cases": b'{"schema_version": 1, "results": [{"test_cases": [{}]}]}',
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("content", NO_RECORDS.values(), ids=NO_RECORDS)
def test_a_record_that_is_none_stops_no_other_command_and_is_refused_where_it_is_named(
    online: Any, api: Any, content: bytes
) -> None:
    api.reply("billing")
    online.write("b.json", suite(["one"]))
    online("run", "b.json")
    online("run", "b.json")
    good = str(online.records()[0])
    bad = str(online.write("results/2099-01-01_000000_kept.json", content))
    for command in (("report",), ("history",), ("compare",), ("run", "b.json"), ("run", "b.json", "--resume")):
        done = online(*command)
        assert (done.returncode, "Traceback" in done.said) == (0, False), (command, done.said)
    for command in (("report", bad), ("compare", bad, good), ("run", "b.json", "--baseline", bad), ("suggest", bad)):
        done = online(*command)
        assert (done.returncode, "Traceback" in done.said) == (1, False), (command, done.said)
        assert "2099-01-01" in done.stderr


CATALOGS = [
    b"",
    b'{"data": [',
    b"null",
    b"[]",
    b"\xff\xfe",
    b'{"error": {"message": "x"}}',
    b'{"data": [null, 1, {"id": null}]}',
]


@pytest.mark.parametrize("content", CATALOGS)
def test_a_kept_catalog_that_is_none_is_fetched_again(online: Any, api: Any, content: bytes) -> None:
    api.catalog([catalog_entry("a/b", input_per_mtok=1, output_per_mtok=1)])
    api.reply("billing")
    online.write("b.json", suite(["one"], model="a/b"))
    for command in (("models",), ("run", "b.json", "--dry-run"), ("run", "b.json", "--no-cache")):
        online.write(".steelyard_cache/models.json", content)
        done = online(*command)
        assert done.returncode == 0, (command, done.said)
        assert "a/b" in done.said


@pytest.mark.parametrize("reply", [error_in_200(500), Reply(body=b"null"), Reply(body=[]), failure(500), html(200)])
def test_a_catalog_that_is_an_error_is_not_kept(online: Any, api: Any, reply: Reply) -> None:
    api.catalog(reply)
    done = online("models")
    assert (done.returncode, "Traceback" in done.said) == (1, False)
    api.catalog([catalog_entry("a/b", input_per_mtok=1, output_per_mtok=1)])
    assert "a/b" in online("models").stdout


@posix
@pytest.mark.parametrize("busy", ["waiting", "program", "scorer"])
def test_a_run_is_stopped_at_once_whatever_it_is_doing(online: Any, api: Any, busy: str) -> None:
    mark = online.folder / "begun"
    begin = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid()))"
    models: dict[str, Any] = {
        "waiting": "vendor/small",
        "program": {"id": "bot", "provider": "command", "command": [sys.executable, "-c", f"{begin}; time.sleep(600)"]},
        "scorer": {"id": "bot", "provider": "mock"},
    }
    api.reply(rate_limited("50"))
    online.write(
        "fn.py", f"import os, time\n\ndef judge(output, case):\n    {begin.partition('; ')[2]}\n    time.sleep(600)\n"
    )
    keys = {"scorers": [{"type": "python", "function": "fn.py:judge"}]} if busy == "scorer" else {}
    online.write("b.json", suite(["one"], model=models[busy], **keys))
    process = online.apart("run", "b.json")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (len(api.prompts) > 0 if busy == "waiting" else mark.exists()):
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    try:
        _out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert (process.returncode, b"Traceback" in err) == (130, False), err
    if busy == "program":
        pid = int(mark.read_text())
        deadline = time.monotonic() + 20
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not alive(pid)


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be buried does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")
