"""What other tools let pass until the money is spent: each is refused by name before anything is asked."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import Reply

CASE = {"id": "c", "variables": {"q": "x"}, "expected_output": "ok", "evaluation": "exact_match"}
SOUND: dict[str, Any] = {
    "name": "sound",
    "models": ["vendor/small"],
    "prompts": [{"id": "p", "template": "{{ q }}"}],
    "test_cases": [CASE],
}
DIMENSIONS = [{"name": "use_case", "weight": 0.5}, {"name": "percent", "weight": 0.3}, {"name": "order", "weight": 0.2}]


def case(**keys: Any) -> dict[str, Any]:
    return {"test_cases": [{**CASE, **keys}]}


def without(key: str) -> dict[str, Any]:
    return {"test_cases": [{name: value for name, value in CASE.items() if name != key}]}


def scorer(**keys: Any) -> dict[str, Any]:
    return {"test_cases": [{"id": "c", "variables": {"q": "x"}, "scorers": [keys]}]}


def weighted(labels: Any, dimensions: Any = DIMENSIONS) -> dict[str, Any]:
    return {
        "evaluation": {"variables": dimensions, "quality_threshold": 0.5},
        "test_cases": [{**CASE, "expected_output": labels, "evaluation": "weighted_match"}],
    }


# Each row: what is changed in a sound suite, and what the message has to name.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "misspelt gate": ({"qualty_threshold": 100}, "quality_threshold"),
    "gate as text": ({"quality_threshold": "85"}, "quality_threshold"),
    "gate above 100": ({"quality_threshold": 101}, "quality_threshold"),
    "gate below 0": ({"quality_threshold": -1}, "quality_threshold"),
    "concurrency as text": ({"concurrency": "5"}, "concurrency"),
    "concurrency of none": ({"concurrency": 0}, "concurrency"),
    "evaluation as a list": ({"evaluation": []}, "evaluation"),
    "name as a number": ({"name": 5}, "name"),
    "name that is empty": ({"name": ""}, "name"),
    "template syntax": ({"prompts": [{"id": "p", "template": "{{ q "}]}, "template"),
    "division by nothing": ({"prompts": [{"id": "p", "template": "{{ 1 / 0 }}"}]}, "'p'"),
    "prompt as text": ({"prompts": ["x"]}, "prompts"),
    "no prompts": ({"prompts": []}, "prompts"),
    "no models": ({"models": []}, "models"),
    "no cases": ({"test_cases": []}, "test_cases"),
    "case as text": ({"test_cases": ["x"]}, "test_cases"),
    "variables as a list": (case(variables=["x"]), "variables"),
    "two models of one name": ({"models": ["vendor/small", "vendor/small"]}, "vendor/small"),
    "two prompts of one name": ({"prompts": [SOUND["prompts"][0]] * 2}, "'p'"),
    "model as a number": ({"models": [5]}, "models"),
    "tags as text": (case(tags="billing"), "tags"),
    "id that is empty": (case(id=""), "id"),
    "id that is missing": (without("id"), "id"),
    "expected as a number": (case(expected_output=3), "expected_output"),
    "nothing expected": (
        without("expected_output"),
        "expected_output",
    ),
    "unknown scorer": (case(evaluation="exact_mach"), "exact_match"),
    "unknown provider option": ({"models": [{"id": "m", "provider": "mock", "latency": 5}]}, "latency"),
    "half a token": ({"inference": {"max_tokens": 50.5}}, "max_tokens"),
    "no number of tokens": ({"inference": {"max_tokens": float("nan")}}, "max_tokens"),
    "temperature in words": ({"inference": {"temperature": "hot"}}, "temperature"),
    "temperature without end": ({"inference": {"temperature": float("inf")}}, "temperature"),
    "weight that is none": (scorer(type="max_words", value=5, weight=float("nan")), "weight"),
    "weight of nothing": (scorer(type="max_words", value=5, weight=0), "weight"),
    "looking for nothing": (scorer(type="contains", value=""), "contains"),
    "looking for no texts": (scorer(type="contains", value=[]), "contains"),
    "matching nothing": (scorer(type="regex", pattern=""), "regex"),
    "broken pattern": (scorer(type="regex", pattern="("), "regex"),
    "misspelt option": (scorer(type="contains", vlaue="x"), "vlaue"),
    "schema that is none": (scorer(type="json_schema", schema={"type": "objekt"}), "json_schema"),
    "schema file that is not there": (scorer(type="json_schema", schema_file="none.json"), "none.json"),
    "function that is not there": (scorer(type="python", function="none.py:check"), "none.py"),
    "number that is none": (scorer(type="numeric", value="many"), "numeric"),
    "pass mark above the scale": (scorer(type="llm_judge", model="openai:j", criteria="x", min_score=9), "min_score"),
    "judge that is none": ({"test_cases": [{**CASE, "evaluation": "llm_judge", "criteria": "x"}]}, "judge"),
    "judge without criteria": (scorer(type="llm_judge", model="openai:j"), "criteria"),
    "no labels": (weighted([]), "expected_output"),
    "labels with a date": (weighted([{"use_case": 5, "percent": "x", "order": 1}]), "expected_output"),
    "dimension that is missing": (weighted([{"use_case": "a", "percent": 100, "order": 1}], DIMENSIONS[:2]), "order"),
    "repeat of none": ({"repeat": 0}, "repeat"),
    "budget below nothing": ({"max_cost_usd": -1}, "max_cost_usd"),
    "a gate for a model that is not there": ({"quality_threshold": 5, "gate": {"model": "none"}}, "none"),
    "cache that is none": ({"cache": "redis"}, "redis"),
    "plugin that is not there": ({"require_plugins": ["none"]}, "none"),
}


@pytest.fixture
def spending(online: Any, api: Any) -> Any:
    """The command with a server that would answer."""
    api.reply(Reply("ok", cost_usd=1.0))
    return online


def test_each_mistake_is_named_by_validate_and_by_run_and_nothing_is_asked(spending: Any, asked: Any) -> None:
    wrong = {}
    for name, (changes, word) in REFUSED.items():
        spending.write("b.json", json.dumps({**copy.deepcopy(SOUND), **changes}))
        for command in ("validate", "run"):
            done = spending(command, "b.json")
            if done.returncode != 1 or word not in done.said or "Traceback" in done.said:
                wrong[f"{name} ({command})"] = (done.returncode, done.said[:300])
    assert wrong == {}
    assert (asked(), spending.records()) == (0, [])
    spending.write("b.json", SOUND)
    assert spending("validate", "b.json").returncode == 0


FILES: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\n",
    "list": b"- a\n- b\n",
    "number": b"17\n",
    "comment": b"# nothing\n",
    "latin-1": "name: caf\u00e9\n".encode("latin-1"),
    "control character": b"name: a\x07b\n",
    "null": b"name: \x00\n",
    "five thousand digits": b"name: x\nconcurrency: " + b"9" * 5000 + b"\n",
    "deep": b"name: " + b"[" * 3000 + b"\n",
    "alias of itself": b"name: x\ntags: &a [*a]\n",
    "two documents": b"name: x\n---\nname: y\n",
    "tab": b"name: x\nmodels:\n\t- m\n",
    "object": b"name: !!python/object/apply:os.system ['true']\n",
    "unknown format": b"hello: world\n",
    "picture": bytes(range(256)) * 40,
}


def test_a_file_that_is_no_suite_is_one_error_and_no_crash(spending: Any) -> None:
    for name, content in FILES.items():
        for suffix in ("yaml", "json"):
            spending.write(f"b.{suffix}", content)
            for command in ("validate", "run"):
                done = spending(command, f"b.{suffix}")
                assert done.returncode == 1, (name, suffix, done.said)
                assert f"b.{suffix}" in done.stderr, (name, done.stderr)
                assert "Traceback" not in done.said
    assert spending("run", "missing.yaml").returncode in (1, 2)


# Each row: words of the command line, and what the message has to name.
LINES: list[tuple[list[str], str]] = [
    (["--limit", "-1"], "limit"),
    (["--limit", "0"], "limit"),
    (["-j", "-1"], "concurrency"),
    (["-j", "0"], "concurrency"),
    (["-j", "999999"], "concurrency"),
    (["-n", "-1"], "repeat"),
    (["-n", "0"], "repeat"),
    (["--fail-under", "850"], "fail-under"),
    (["--fail-under", "-1"], "fail-under"),
    (["--fail-under", "nan"], "fail-under"),
    (["--baseline", "missing.json"], "missing.json"),
    (["--baseline", "b.json"], "b.json"),
    (["--baseline", "b.json", "--threshold", "nan"], "threshold"),
    (["--reporter", "none"], "none"),
    (["-m", "nobody"], "nobody"),
    (["-p", "nothing"], "nothing"),
    (["-o", "x.unknown"], "x.unknown"),
]


def test_a_command_line_that_makes_no_sense_costs_nothing(spending: Any, asked: Any) -> None:
    spending.write("b.json", SOUND)
    for words, named in LINES:
        done = spending("run", "b.json", *words)
        assert done.returncode in (1, 2), (words, done.said)
        assert named in done.stderr, (words, done.stderr)
        assert "Traceback" not in done.said
    assert (asked(), spending.records()) == (0, [])


GRADERS = """
import sys

def leaves(output, case): sys.exit(0)
def not_a_number(output, case): return float("nan")
def hides_one(output, case): return {"pass": True, "score": float("nan")}
def words(output, case): return {"score": "high"}
def nothing(output, case): return None
def above(output, case): return 7
def deep(output, case): return deep(output, case)
def broken(output, case): raise ValueError("it broke")
def text(output, case): return "yes"
def fine(output, case): return True
"""


def test_a_function_that_does_not_judge_is_an_error_of_its_case_alone(desk: Any) -> None:
    desk.write("checks.py", GRADERS)
    names = [line.split("(")[0].removeprefix("def ") for line in GRADERS.splitlines() if line.startswith("def ")]
    rows = [
        {"id": name, "output": "x", "scorers": [{"type": "python", "function": f"checks.py:{name}"}]} for name in names
    ]
    cases = desk.outputs(rows)
    assert cases.pop("fine")["match_result"] is True
    assert {name: case["match_result"] for name, case in cases.items()} == dict.fromkeys(cases, False)
    assert {case["match_score"] for case in cases.values()} == {None}
    negated = desk.outputs([{**row, "scorers": [{**row["scorers"][0], "negate": True}]} for row in rows])
    assert not any(case["match_result"] for case in negated.values())


def test_the_same_question_at_the_same_time_is_paid_for_once(online: Any, api: Any, asked: Any) -> None:
    api.reply(Reply("ok", latency_s=0.1))
    online.write("b.json", {**SOUND, "concurrency": 8, "test_cases": [{**CASE, "id": f"c{n}"} for n in range(8)]})
    assert online("run", "b.json").returncode == 0
    assert asked() == 1
    assert [case["match_result"] for case in online.cases().values()] == [True] * 8


def test_a_key_that_is_missing_stops_a_run_before_its_first_case(desk: Any, api: Any) -> None:
    bare = type(desk)(desk.folder, {**desk.environ, "OPENROUTER_BASE_URL": api.base_url})
    bare.write("b.json", SOUND)
    done = bare("run", "b.json")
    assert (done.returncode, len(api.requests), bare.records()) == (1, 0, [])
    assert "OPENROUTER_API_KEY" in done.stderr
    assert not (Path(bare.folder) / "results").exists()
