"""Kind 7: what a run reports is what happened: an empty run is no pass, no number contradicts the verdict, every
file can be read, and no text of others drives the terminal.
"""

from __future__ import annotations

import html
import json
import re
import sys
from typing import Any
from xml.etree import ElementTree

import pytest

from steelyard.testing.fake_api import Reply, catalog_entry, failure

# H35


def test_a_program_that_fails_is_an_error_even_where_nothing_is_what_is_wanted(desk: Any) -> None:
    programs = {
        "exits": "import sys; sys.stderr.write('it went boom'); sys.exit(3)",
        "raises": "raise SystemError('it went boom')",
        "prints-and-exits": "import sys; print('fine'); sys.stderr.write('it went boom'); sys.exit(3)",
    }
    scorers = [
        {"type": "contains", "value": "Error", "negate": True},
        {"type": "regex", "pattern": "password", "negate": True},
        {"type": "max_words", "value": 5},
    ]
    desk.write(
        "b.json",
        {
            "name": "failing",
            "models": [
                {"id": name, "provider": "command", "command": ["python3", "-c", code]}
                for name, code in programs.items()
            ],
            "prompts": [{"id": "p", "template": "{{ q }}"}],
            "test_cases": [{"id": f"c{n}", "variables": {"q": n}, "scorers": scorers} for n in range(3)],
        },
    )
    done = desk("run", "b.json", "-o", "junit.xml", "-o", "badge:badge.json", "-o", "rows.csv", "-o", "page.html")
    assert done.returncode == 1
    assert "nothing could be scored" in done.stdout
    record = desk.record()
    assert (record["insights"]["passed"], record["insights"]["errors"]) == (False, 9)
    for combo in record["results"]:
        assert (combo["errors"], combo["score"]) == (3, None)
        for case in combo["test_cases"]:
            assert (case["status"], case["match_score"], case["scores"]) == ("api_error", None, [])
            assert "it went boom" in case["error"]
            assert "3" in case["error"] or combo["model"] == "raises"
    tree = ElementTree.parse(desk.folder / "junit.xml").getroot()
    assert len(tree.findall(".//error")) == 9
    assert len(tree.findall(".//failure")) == 0
    assert json.loads((desk.folder / "badge.json").read_text())["color"] != "brightgreen"


@pytest.mark.parametrize("threshold", [None, 0, 100])
def test_a_run_that_measured_nothing_is_no_pass(desk: Any, threshold: int | None) -> None:
    failing = {"id": "bot", "provider": "mock", "responses": [{"match": ".", "error": {"message": "down"}}]}
    whole = {
        "name": "nothing",
        "models": [failing],
        "retries": 0,
        "prompts": [{"id": "p", "template": "{{ q }}"}],
        "test_cases": [{"id": "c", "variables": {"q": 1}, "scorers": [{"type": "max_words", "value": 9}]}],
    }
    if threshold is not None:
        whole["quality_threshold"] = threshold
    desk.write("b.json", whole)
    done = desk("run", "b.json")
    assert done.returncode == 1
    assert "nothing could be scored" in done.stdout
    assert desk("run", "b.json", "--tag", "unknown").returncode == 1
    assert desk("run", "b.json", "-k", "unknown").returncode == 1


# H36

IDS = ['a\x01<&"b', "[bold]x", "[/INST]", "a[/]", "[link=http://x]y", ":smile:", "tab\tline\nend", "\x1b[2Jcls", "``|`"]
OUTPUT = "\x1b[31mred\x1b[0m \x00 \ufffe \ud83d ]]> \U0001f680 [red]done[/red] \x1b]0;title\x07 \x9b2J \u202eRTL"
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


@pytest.fixture
def hostile(desk: Any) -> Any:
    desk.write(
        "b.json",
        {
            "name": "[bold]hostile\x1b[2J",
            "models": [{"id": "bot[/red]", "provider": "mock"}],
            "prompts": [{"id": "[p]", "template": "{{ output }}"}],
            "test_cases": [
                {"id": name, "variables": {"output": OUTPUT}, "expected_output": "red", "evaluation": "exact_match"}
                | {"tags": ["[red]", "\x1b[1m"]}
                for name in IDS
            ],
        },
    )
    return desk


def test_no_character_makes_a_report_unreadable(hostile: Any) -> None:
    outputs = ("junit.xml", "page.html", "rows.csv", "report.md")
    done = hostile("run", "b.json", "-v", *(word for name in outputs for word in ("-o", name)))
    assert done.returncode == 0, done.said
    text = (hostile.folder / "junit.xml").read_text(encoding="utf-8")
    assert not FORBIDDEN.search(text)
    assert not re.search(r"&#(x0*1?[0-9a-f]|0*([0-9]|[12][0-9]|3[01]));", text.replace("&#10;", "").replace("&#9;", ""))
    root = ElementTree.fromstring(text.encode("utf-8"))
    names = [case.get("name") or "" for case in root.iter("testcase")]
    assert len(names) == len(IDS)
    for character in 'a<&"b':
        assert character in names[0]
    told = ElementTree.tostring(root, encoding="unicode", method="text") + str([e.attrib for e in root.iter()])
    for wanted in ("red", "]]>", "\U0001f680"):
        assert wanted in told
    assert "[/INST]" in html.unescape((hostile.folder / "page.html").read_text(encoding="utf-8"))
    hostile.record()


# H38


def test_no_text_of_others_drives_the_terminal(hostile: Any) -> None:
    done = hostile("run", "b.json", "-v")
    for character in "\x1b\x07\x9b\x00\x01\u202e":
        assert character not in done.said
    for name in ("[bold]x", "[/INST]", "a[/]", "[link=http://x]y", ":smile:"):
        assert f"Test case: {name} " in done.stderr
    assert "bot[/red]" in done.stdout
    assert "[bold]hostile" in done.stdout
    for command in (("report",), ("history",)):
        again = hostile(*command)
        assert again.returncode == 0
        assert "\x1b" not in again.said


def test_an_error_message_is_shown_as_it_is(desk: Any) -> None:
    code = "import sys; sys.stderr.write('[/data/out] not found \\x1b[2J'); sys.exit(1)"
    desk.write(
        "b.json",
        {
            "name": "failing",
            "models": [{"id": "bot", "provider": "command", "command": ["python3", "-c", code]}],
            "prompts": [{"id": "p", "template": "x"}],
            "test_cases": [{"id": "c", "scorers": [{"type": "max_words", "value": 5}]}],
        },
    )
    done = desk("run", "b.json")
    assert done.returncode == 1
    assert "[/data/out] not found" in done.stderr
    assert "\x1b" not in done.said


# H37


@pytest.mark.parametrize(
    ("threshold", "score", "passes"),
    [(0.1, 1.4, True), (0.3, 2.2, True), (0.55, 3.2, True), (0.7, 3.8, True), (0.75, 4, True), (0.75, 3.99, False)],
)
def test_a_score_that_is_the_threshold_in_decimals_reaches_it(
    judged: Any, threshold: float, score: float, passes: bool
) -> None:
    # (1.4 - 1) / 4 is 0.09999999999999998 in floating point.
    found = judged(
        {"a": json.dumps({"score": score})},
        evaluation={"judge_model": "openai:vendor/judge", "judge_threshold": threshold},
    )["a"]
    assert found["match_result"] is passes
    assert (found["match_score"] >= threshold) is passes


@pytest.mark.parametrize(
    ("flags", "rate", "passes"),
    [
        ("110", 0.6667, False),
        ("110", 2 / 3, True),
        ("110", 0.66, True),
        ("1110000000", 0.3, True),
        ("1111111000", 0.7, True),
        ("1000000000", 0.1, True),
        ("0000000000", 0.1, False),
    ],
)
def test_a_case_passes_by_the_count_of_its_repeats(
    online: Any, api: Any, flags: str, rate: float, passes: bool
) -> None:
    answers = iter(flags)
    api.answer(lambda _request: "yes" if next(answers) == "1" else "no")
    online.write(
        "b.json",
        {
            "name": "repeats",
            "models": ["openai:m"],
            "prompts": [{"id": "p", "template": "x"}],
            "test_cases": [{"id": "c", "expected_output": "yes", "evaluation": "exact_match"}],
            "repeat": len(flags),
            "case_pass_rate": rate,
        },
    )
    online("run", "b.json")
    assert online.cases()["c"]["match_result"] is passes


@pytest.mark.parametrize(("threshold", "code"), [("7", 0), ("6.999", 1), ("0", 1), ("7.0001", 0)])
def test_a_regression_is_measured_by_the_counts_too(desk: Any, threshold: str, code: int) -> None:
    records = []
    for passed in (57, 50):
        desk.write(
            "rows.jsonl", "".join(f'{{"id": {n}, "a": "{"yes" if n < passed else "no"}"}}\n' for n in range(100))
        )
        desk.write(
            "b.json",
            {
                "name": "shares",
                "models": [{"id": "echo", "provider": "mock"}],
                "prompts": [{"id": "p", "template": "{{ a }}"}],
                "test_cases": {"path": "rows.jsonl"},
                "case": {"id": "{{ id }}", "expected_output": "yes", "evaluation": "exact_match"},
            },
        )
        desk("run", "b.json", "-q")
        records.append(str(desk.records()[-1]))
    # 57 - 50 is 7, while 0.57 - 0.5 is 0.06999999999999995.
    assert desk("compare", *records, "--fail-on-regression", threshold).returncode == code
    assert desk("run", "b.json", "-q", "--baseline", records[0], "--threshold", threshold).returncode == code


SHARES = [
    (2124, 2500, 85, 1),
    (57, 100, 57, 0),
    (29, 50, 58, 0),
    (1999, 2000, 100, 1),
    (17, 20, 85, 0),
    (1, 3, 33.34, 1),
    (1, 3, 33.33, 0),
    (7, 10, 70, 0),
    (699, 1000, 69.9, 0),
    (0, 5, 0, 0),
]


@pytest.mark.parametrize(("passed", "total", "threshold", "code"), SHARES)
def test_a_gate_is_decided_by_the_counts_and_no_shown_number_denies_it(
    desk: Any, passed: int, total: int, threshold: float, code: int
) -> None:
    rows = "".join(f'{{"id": {n}, "a": "{"yes" if n < passed else "no"}"}}\n' for n in range(total))
    desk.write("rows.jsonl", rows)
    desk.write(
        "b.json",
        {
            "name": "shares",
            "quality_threshold": threshold,
            "models": [{"id": "echo", "provider": "mock"}],
            "prompts": [{"id": "p", "template": "{{ a }}"}],
            "test_cases": {"path": "rows.jsonl"},
            "case": {"id": "{{ id }}", "expected_output": "yes", "evaluation": "exact_match"},
            "cache": False,
        },
    )
    done = desk("run", "b.json", "-q")
    assert done.returncode == code, done.said
    assert desk.record()["insights"]["passed"] is (code == 0)
    told = desk("report")
    shown = [float(number) for number in re.findall(r"([0-9]+(?:\.[0-9]+)?)%", told.stdout.split("95 %")[-1])][:1]
    assert all((number >= threshold) == (code == 0) for number in shown), (shown, told.stdout)


# Others of these kinds

NOT = {"negate": True}
MUST_NOT = [
    {"type": "contains", "value": "Error", **NOT},
    {"type": "regex", "pattern": "password", **NOT},
    {"type": "json_schema", "schema": {"type": "object"}, **NOT},
    {"type": "numeric", "value": 5, **NOT},
    {"type": "exact_match", "value": "z", **NOT},
    {"type": "similarity", "value": "x", "threshold": 0},
    {"type": "max_words", "value": 9},
]


@pytest.mark.parametrize(
    "kind", ["status 500", "null", "key refused", "no program", "killed program", "nothing listens", "too slow"]
)
def test_no_target_that_fails_passes_what_must_not_be_there(online: Any, api: Any, kind: str) -> None:
    api.route("/down", lambda _request: failure(500))
    api.route("/null", lambda _request: Reply(body={"output": None}))
    api.reply(failure(401, "bad key"))
    kill = "import os, signal; os.kill(os.getpid(), 9)"
    model = {
        "status 500": {"provider": "http", "url": f"{api.origin}/down"},
        "null": {"provider": "http", "url": f"{api.origin}/null"},
        "key refused": {"provider": "openai", "model": "m"},
        "no program": {"provider": "command", "command": ["/no/such/program"]},
        "killed program": {"provider": "command", "command": [sys.executable, "-c", kill]},
        "nothing listens": {"provider": "http", "url": "http://127.0.0.1:9/"},
        "too slow": {"provider": "command", "command": [sys.executable, "-c", "input()"], "timeout": 0.5},
    }[kind]
    if kind == "too slow":
        model["command"][2] = "import time; time.sleep(600)"
    online.write(
        "b.json",
        {
            "name": "failing",
            "retries": 0,
            "quality_threshold": 0,
            "models": [{"id": "bot", **model}],
            "prompts": [{"id": "p", "template": "x"}],
            "test_cases": [{"id": f"c{n}", "scorers": MUST_NOT} for n in range(2)],
        },
    )
    done = online("run", "b.json", "-o", "junit.xml")
    assert done.returncode == 1
    assert "nothing could be scored" in done.stdout
    for case in online.cases().values():
        assert (case["status"], case["match_result"], case["match_score"]) == ("api_error", False, None)
        assert case["scores"] == []
    assert len(ElementTree.parse(online.folder / "junit.xml").getroot().findall(".//error")) == 2


def test_text_of_others_drives_no_terminal_from_any_command(online: Any, api: Any) -> None:
    nasty = "[red]x[/red] [/INST] :smile: \x1b[2J \x1b]8;;http://e\x07l\x1b]8;;\x07 | ` <b> @all $(id) \u202e =1+1"
    api.catalog([catalog_entry("a/[bold]m\x1b[2J", input_per_mtok=1, output_per_mtok=1)])
    api.reply(Reply(nasty, cost_usd=0.1))
    online.write(
        "b.json",
        {
            "name": nasty,
            "models": ["a/[bold]m\x1b[2J"],
            "prompts": [{"id": nasty, "template": "{{ q }}"}],
            "test_cases": [
                {"id": nasty, "variables": {"q": nasty}, "expected_output": f"{nasty}!", "evaluation": "exact_match"}
                | {"tags": [nasty]}
            ],
        },
    )
    online.write("x.yaml", "name: [\x1b[2J\n")
    commands = [
        *(("validate", "b.json"), ("run", "b.json", "--dry-run"), ("run", "b.json", "-v"), ("run", "b.json")),
        *(("compare", "--detailed"), ("compare", "--format", "markdown"), ("report",), ("history",), ("models",)),
        *(("run", "b.json", "-m", nasty), ("run", "b.json", "-t", nasty), ("run", nasty), ("compare", nasty, nasty)),
        *(("validate", "x.yaml"), ("suggest",), ("run", "b.json", "--reporter", "markdown")),
    ]
    for command in commands:
        done = online(*command)
        assert not set("\x1b\x07\u202e") & set(done.said), command
        assert "MarkupError" not in done.said
        assert "Traceback" not in done.said
        assert done.returncode in (0, 1), (command, done.said)
    api.reply(failure(400, nasty))
    done = online("run", "b.json", "--no-cache")
    assert "[red]x[/red] [/INST]" in done.stderr
    assert "\x1b" not in done.said
