"""Kind 9: no character of an answer, a name or a console loses a run that was paid for."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from steelyard.testing.fake_api import Reply, failure

# H42


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_that_lacks_characters_loses_nothing(desk: Any, encoding: str) -> None:
    output = "done \u2713 \U0001f3af \u0394"
    desk.write(
        "b.json",
        {
            "name": "\u6d4b\u8bd5",
            "models": [{"id": "bot", "provider": "mock"}],
            "prompts": [{"id": "p", "template": "{{ output }}"}],
            "test_cases": [
                {"id": "\u6d4b\u8bd5-1", "variables": {"output": output}, "expected_output": output}
                | {"evaluation": "exact_match"},
                {"id": "b", "variables": {"output": output}, "expected_output": "\u0416", "evaluation": "exact_match"},
            ],
            "quality_threshold": 50,
        },
    )
    variables = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    process = desk.apart("run", "b.json", "-v", "-o", "j.xml", "-o", "r.md", utf8=False, **variables)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in err) == (0, False), err
    assert b"PASS" in out
    assert desk.cases()["\u6d4b\u8bd5-1"]["response"] == output
    for name in ("j.xml", "r.md"):
        assert "\u6d4b\u8bd5-1" in (desk.folder / name).read_text(encoding="utf-8")


# H43

NAMES = [
    "CON",
    "con",
    "aux.txt",
    "NUL",
    "COM1.yaml",
    'a:b/c\\d?*|<>"',
    "../../etc/x",
    "/etc/passwd",
    "trailing dot.",
    "trailing blank ",
    "\U0001f3af",
    "n" * 300,
    "\u00e9" * 300,
    ".hidden",
    "..",
    "-rf",
    "a\nb",
    "\x00",
    "~",
]
DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$")


def test_results_stay_in_their_folder_under_names_that_every_system_takes(desk: Any) -> None:
    for name in NAMES:
        desk.write(
            "b.json",
            {
                "name": name,
                "models": [{"id": "http://10.0.0.1:1234/v1", "provider": "mock"}],
                "prompts": [{"id": "../p", "template": "x"}],
                "test_cases": [{"id": "../../c", "scorers": [{"type": "max_words", "value": 9}]}],
            },
        )
        done = desk("run", "b.json", "-q")
        assert done.returncode == 0, (name, done.said)
        assert desk.record()["benchmark"] == name
    assert len(desk.records()) == len(NAMES)
    assert {path.name for path in desk.folder.iterdir()} <= {"b.json", "results", ".steelyard_cache"}
    for path in (desk.folder / "results").rglob("*"):
        assert path.is_file() or path.parent == desk.folder / "results"
        assert len(path.name.encode()) <= 255
        assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', path.name)
        assert not DEVICES.match(path.name)
        assert path.name == path.name.rstrip(". ")


@pytest.mark.skipif(os.name == "nt", reason="a folder cannot be a file's parent in other ways on Windows")
@pytest.mark.parametrize(
    "arguments",
    [("-o", "missing/x.json"), ("-o", "file/x.xml"), ("--results-dir", "file"), ("-o", "junit:folder")],
)
def test_a_path_that_cannot_be_written_is_found_before_anything_is_asked(
    online: Any, api: Any, asked: Any, arguments: tuple[str, str]
) -> None:
    api.reply("x")
    online.write("file", "a file")
    (online.folder / "folder").mkdir()
    online.write(
        "b.json",
        {
            "name": "p",
            "models": ["vendor/small"],
            "prompts": [{"id": "p", "template": "x"}],
            "test_cases": [{"id": "c", "scorers": [{"type": "max_words", "value": 9}]}],
        },
    )
    done = online("run", "b.json", *arguments)
    if done.returncode == 0:  # a folder that is missing may be made
        assert arguments[1].startswith("missing/")
        assert (online.folder / arguments[1]).exists()
    else:
        assert (done.returncode in (1, 2), asked()) == (True, 0), done.said
        assert "Traceback" not in done.said
        assert arguments[1].split(":")[-1].split("/")[0] in done.stderr


# H44


def test_half_a_pair_of_surrogates_kills_no_run(online: Any, api: Any, asked: Any) -> None:
    whole = (
        '{"choices":[{"message":{"content":"math \\ud835 sign"},"finish_reason":"stop"}],'
        '"usage":{"prompt_tokens":1,"completion_tokens":1}}'
    )
    api.reply(Reply(body=whole))
    rows = [{"id": f"r{n}", "q": "plain"} for n in range(9)]
    lines = [json.dumps(row) for row in rows] + ['{"id":"a","q":"bad \\udc97 byte"}']
    online.write("rows.jsonl", "\n".join(lines))
    online.write(
        "b.json",
        '{"name": "half \\ud835", "models": ["openai:m"], "prompts": [{"id": "p", "template": "{{ id }} {{ q }}"}],'
        '"test_cases": {"path": "rows.jsonl"}, "case": {"id": "{{ id }}", "expected_output": "math",'
        '"scorers": ["contains", {"type": "similarity", "value": "math", "threshold": 0},'
        '{"type": "regex", "pattern": "math"}]}}',
    )
    outputs = ("j.xml", "r.md", "x.csv", "p.html")
    done = online("run", "b.json", "-v", *(word for name in outputs for word in ("-o", name)))
    assert done.returncode == 0, done.said
    cases = online.cases()
    assert len(cases) == 10
    assert all(case["match_result"] for case in cases.values())
    (sent,) = [request.prompt for request in api.requests if "bad" in request.prompt]
    assert sent in ("a bad ? byte", "a bad \ufffd byte")
    ElementTree.parse(online.folder / "j.xml")
    for path in online.folder.rglob("*"):
        if path.suffix in (".json", ".md", ".xml", ".csv", ".html") and path.name != "b.json":
            Path(path).read_text(encoding="utf-8", errors="strict")
    before = asked()
    assert online("run", "b.json").returncode == 0
    assert asked() == before
    assert online("report").returncode == 0
    assert online("history").returncode == 0


# Others of these kinds


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "utf-16"])
def test_no_command_fails_on_a_console_that_lacks_characters(desk: Any, encoding: str) -> None:
    desk.write(
        "b.json",
        {
            "name": "\u6d4b\u8bd5 \u2713",
            "models": [{"id": "bot", "provider": "mock"}],
            "prompts": [{"id": "\u0436", "template": "{{ q }}"}],
            "test_cases": [
                {"id": "\u0436\u2713", "variables": {"q": "\u2192 x"}, "expected_output": "y", "tags": ["\u00e9"]}
                | {"evaluation": "exact_match"}
            ],
        },
    )
    desk("run", "b.json")
    desk("run", "b.json")
    variables = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    for command in (
        *(
            ("validate", "b.json"),
            ("validate", "n\u00f6.json"),
            ("run", "b.json", "--dry-run"),
            ("report",),
            ("history",),
        ),
        *(("compare", "--detailed"), ("compare", "--format", "json"), ("plugins",), ("run", "--help")),
    ):
        process = desk.apart(*command, utf8=False, **variables)
        _out, err = process.communicate(timeout=80)
        assert process.returncode in (0, 1), (command, err)
        assert b"Traceback" not in err
        assert b"UnicodeEncodeError" not in err


def test_half_pairs_and_broken_bytes_of_programs_judges_and_errors_kill_no_run(online: Any, api: Any) -> None:
    half = "x \ud835 y"
    code = "import sys; sys.stdout.buffer.write(b'caf\\xe9 \\xed\\xa0\\xb5 ok')"
    program = {"id": "b \ud83d", "provider": "command", "command": [sys.executable, "-c", code]}
    judged = {"evaluation": "llm_judge", "criteria": f"Is it {half}?", "reference": half}

    def answer(request: Any) -> Reply:
        if request.model == "broken":
            return failure(400, half)
        return Reply('{"reasoning": "bad \\ud835 half", "score": 4}' if request.model == "judge" else half)

    api.answer(answer)
    online.write(
        "b.json",
        {
            "name": half,
            "models": [program, "openai:m", "openai:broken", "anthropic:m", "gemini:m", "ollama:m"],
            "inference": {"max_tokens": 99},
            "evaluation": {"judge_model": "openai:judge"},
            "prompts": [{"id": half, "template": "{{ q }}"}],
            "test_cases": [
                {"id": f"i {half}", "variables": {"q": half}, "tags": [half], "metadata": {half: half}, **judged}
            ],
        },
    )
    outputs = ("j.xml", "r.md", "x.csv", "p.html")
    done = online("run", "b.json", "-v", *(word for name in outputs for word in ("-o", name)))
    assert "Traceback" not in done.said
    combos = online.record()["results"]
    assert [combo["test_cases"][0]["status"] for combo in combos] == ["scored"] * 2 + ["api_error"] + ["scored"] * 3
    assert combos[0]["test_cases"][0]["response"].endswith("ok")
    assert combos[1]["test_cases"][0]["match_score"] == 0.75
    ElementTree.parse(online.folder / "j.xml")
    for name in outputs:
        (online.folder / name).read_text(encoding="utf-8", errors="strict")
    for command in (("report",), ("history",), ("run", "b.json")):
        assert "Traceback" not in online(*command).said


@pytest.mark.parametrize("name", ["CON.json", "a b.json", "[x].json", "%41.json", "\u00fc.json", "-b.json"])
def test_a_file_of_any_name_is_run_and_rows_are_read_from_one(desk: Any, name: str) -> None:
    desk.write(f"rows {name}l", '{"id": "a", "q": "x"}\n')
    desk.write(
        name,
        {
            "name": name,
            "models": [{"id": "bot", "provider": "mock"}],
            "prompts": [{"id": "p", "template": "{{ q }}"}],
            "test_cases": {"path": f"rows {name}l"},
            "case": {"id": "{{ id }}", "scorers": [{"type": "max_words", "value": 9}]},
        },
    )
    done = desk("run", "--results-dir", "r\u00e9s [1] %", "--", name)
    assert done.returncode == 0, done.said
    assert len(list((desk.folder / "r\u00e9s [1] %").glob("*.json"))) == 1
    assert desk("report", "--results-dir", "r\u00e9s [1] %").returncode == 0
