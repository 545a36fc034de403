"""A project of the eval tool, run as its user runs it: each criterion's verdict, conversations, datasets, graders.

The verdicts are those that the tool's documents give; what a model answers is made up here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeRequest

SUITE = r"""
name: "All criteria"
description: "One case for each way to judge"
provider: anthropic
model: claude-haiku-4-5
system_prompt: "Answer plainly."
temperature: 0.0
max_tokens: 300
cases:
  - {id: equal, prompt: "say equal", criteria: [{type: exact_match, value: "The Answer"}]}
  - {id: equal-case, prompt: "say equal", criteria: [{type: exact_match, value: "The Answer", case_sensitive: true}]}
  - {id: inside, prompt: "say equal", criteria: [{type: contains, value: ANSWER, case_sensitive: false}]}
  - {id: inside-case, prompt: "say equal", criteria: [{type: contains, value: ANSWER, case_sensitive: true}]}
  - {prompt: "say five", criteria: [{type: max_words, value: 5}]}
  - {prompt: "say five", criteria: [{type: max_words, value: 4}]}
  - {id: date, prompt: "say date", criteria: [{type: regex, value: "^\\d{4}-\\d{2}-\\d{2}$", flags: ""}]}
  - {id: judged-3, prompt: "say polite", criteria: [{type: llm_judge, rubric: "Polite."}]}
  - {id: judged-4, prompt: "say polite", criteria: [{type: llm_judge, rubric: "Polite.", pass_threshold: 4}]}
  - {id: judge-named, prompt: "say polite", criteria: [{type: llm_judge, rubric: "Polite.", model: gpt-4o}]}
  - {id: every, prompt: "say five", criteria: [{type: contains, value: one}, {type: contains, value: six}]}
"""
VERDICTS = {
    "equal": True,
    "equal-case": False,
    "inside": True,
    "inside-case": False,
    "case-5": True,
    "case-6": False,
    "date": True,
    "judged-3": True,
    "judged-4": False,
    "judge-named": True,
    "every": False,
}
ANSWERS = {
    "say equal": "  the answer\n",
    "say five": "one two three four five",
    "say date": "2026-01-31",
    "say polite": "Please do.",
    "My name is Ada.": "Good to know.",
    "What is it?": "It is Ada.",
}
TALK = """
name: Talk
cases:
  - id: name
    turns:
      - {role: user, content: "My name is Ada."}
      - {role: assistant, content: null}
      - {role: user, content: "What is it?"}
      - {role: assistant, content: null}
    criteria: [{type: contains, value: Ada}]
"""
GRADER = """
from dataclasses import dataclass
from steelyard import hookimpl
from steelyard.api import Score, ScorerSpec, option

@dataclass(frozen=True)
class Settings:
    expected: str = option("positive", doc="positive or negative")

class Mood:
    def __init__(self, settings, context):
        self.expected = settings.expected
    def score(self, case, output, ask):
        passed = ("Good" in output.text) == (self.expected == "positive")
        return Score(value=float(passed), passed=passed)

@hookimpl
def steelyard_register_scorers():
    return [ScorerSpec(name="mood", summary="How it sounds", settings=Settings, create=Mood)]
"""


@pytest.fixture
def project(desk: Any, api: Any) -> Any:
    """The folder of the project, with models that answer."""

    def answer(request: FakeRequest) -> str:
        if request.model == "claude-opus-4-8":
            return json.dumps({"score": 3, "reasoning": "Polite enough."})
        if request.model == "gpt-4o":
            return json.dumps({"score": 5, "reasoning": "Very polite."})
        text = request.body.decode("utf-8")
        return ANSWERS[max((said for said in ANSWERS if said in text), key=text.rindex)]

    api.answer(answer)
    environ = {"ANTHROPIC_BASE_URL": api.origin, "ANTHROPIC_API_KEY": "sk-ant-for-tests"}
    environ |= {"OPENAI_BASE_URL": api.base_url, "OPENAI_API_KEY": "sk-for-tests"}
    desk.write("suites/all.yaml", SUITE)
    desk.write("suites/talk.yaml", TALK)
    return replace(desk, environ={**desk.environ, **environ})


def record_of(done: Any, path: Any) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else pytest.fail(done.stderr)


def test_every_criterion_gives_the_verdict_that_the_tool_documents(project, api):
    done = project("run", "suites/all.yaml", "--json", "out.json", "--verbose")

    record = record_of(done, project.folder / "out.json")
    (combo,) = record["results"]
    assert {case["id"]: case["match_result"] for case in combo["test_cases"]} == VERDICTS
    assert (combo["score"], done.returncode) == (pytest.approx(600 / 11), 1)
    assert "Polite enough." in done.stderr
    assert [case["reasoning"] for case in combo["test_cases"] if case["id"] == "judged-3"] == ["Polite enough."]
    assert len(list((project.folder / "results").glob("*_all-criteria.json"))) == 1
    asked = next(body for body in (request.json for request in api.requests) if body["model"] == "claude-haiku-4-5")
    assert (asked["system"], asked["temperature"], asked["max_tokens"]) == ("Answer plainly.", 0.0, 300)


def test_the_model_fills_the_turns_and_the_last_one_is_judged(project):
    done = project("run", "suites/talk.yaml", "--json", "out.json")

    (case,) = record_of(done, project.folder / "out.json")["results"][0]["test_cases"]
    assert done.returncode == 0
    assert case["response"] == "It is Ada."
    assert [(turn["role"], turn["content"]) for turn in case["transcript"]] == [
        ("user", "My name is Ada."),
        ("assistant", "Good to know."),
        ("user", "What is it?"),
        ("assistant", "It is Ada."),
    ]


def test_what_was_answered_is_answered_from_the_cache_unless_that_is_refused(project, api):
    counts = []
    for flags in ((), (), ("--no-cache",)):
        project("run", "suites/talk.yaml", *flags)
        counts.append(len(api.requests))

    assert counts == [2, 2, 4]


def test_a_grader_beside_the_suite_is_a_criterion_where_the_user_stands(project):
    suite = {"name": "Mood", "model": "claude-haiku-4-5"}
    criteria = [{"type": "mood", "expected": "positive"}]
    cases = [{"id": "a", "prompt": "My name is Ada.", "criteria": criteria}]
    cases += [{"id": "b", "prompt": "say date", "criteria": [{"type": "mood", "expected": "negative"}]}]
    project.write("mood.json", json.dumps({**suite, "cases": cases}))
    project.write("graders/mood.py", GRADER)
    project.write("graders/broken.py", "raise RuntimeError('this one is broken')\n")

    done = project("run", "mood.json")

    assert done.returncode == 0, done.stderr
    assert "broken.py" in done.stderr
    assert "this one is broken" in done.stderr


def test_a_fall_between_two_runs_ends_the_difference_with_1(project, api):
    for answer in ("It is Ada.", "No idea."):
        api.reply(answer)
        project("run", "suites/talk.yaml", "--no-cache")
    first, second = sorted(path.stem for path in (project.folder / "results").glob("*.json"))

    fallen, risen = (project("diff", *pair, "--format", "json") for pair in ((first, second), (second, first)))

    assert (fallen.returncode, risen.returncode) == (1, 0)
    assert json.loads(fallen.stdout)["combos"][0]["regressed"] == ["name"]
    assert json.loads(risen.stdout)["combos"][0]["improved"] == ["name"]


def test_prices_of_the_suite_and_of_the_settings_tell_what_a_run_costs(desk):
    suite = {
        "name": "s",
        "provider": "mock",
        "model": "m",
        "max_tokens": 100,
        "cases": [{"id": "a", "prompt": "abcd", "criteria": [{"type": "max_words", "value": 9}]}],
    }
    prices = {"input_per_mtok": 10_000, "output_per_mtok": 1000}
    desk.write("own.yaml", json.dumps({**suite, "pricing": prices}))
    desk.write("none.yaml", json.dumps(suite))
    own = desk("run", "own.yaml", "--dry-run")
    desk.write("steelyard.yaml", json.dumps({"providers": {"mock": {"pricing": prices}}}))
    settings = desk("run", "none.yaml", "--dry-run", "--model", "mock/other")

    # A token of prompt and a hundred of answer: (10000 + 100 x 1000) / 1e6.
    assert "Estimated total cost: $0.110000" in own.stdout
    assert "Estimated total cost: $0.110000" in settings.stdout


@pytest.mark.parametrize(
    ("provider", "more", "told"),
    [
        ("openai", {}, True),
        ("openai", {"pricing": {"input_per_mtok": 1}}, True),
        ("openai", {"pricing": {"input_per_mtok": 1, "output_per_mtok": 1}}, False),
        ("mock", {}, False),
    ],
)
def test_a_budget_that_cannot_hold_a_model_says_so_before_the_first_call(desk, api, provider, more, told):
    suite = {
        "name": "s",
        "provider": provider,
        "model": "m",
        "cases": [{"prompt": "abcd", "criteria": [{"type": "max_words", "value": 9}]}],
    }
    desk.write("s.yaml", json.dumps({**suite, **more}))
    environ = {"OPENAI_BASE_URL": api.base_url, "OPENAI_API_KEY": "sk-for-tests"}
    api.reply("one")

    done = desk("run", "s.yaml", "--max-cost", "1", env=environ)
    unlimited = desk("run", "s.yaml", "--no-cache", env=environ)

    first = next((line for line in done.stderr.splitlines() if "its price is unknown" in line), "")
    assert (f"model '{provider}:m': its price is unknown, so max_cost_usd does not stop it" in first) is told
    assert "its price is unknown" not in unlimited.stderr


def one_case(criterion, **top):
    return json.dumps(
        {"name": "s", "provider": "mock", "model": "m", "cases": [{"prompt": "a", "criteria": [criterion]}], **top}
    )


def test_a_key_that_only_the_judge_lacks_says_who_needs_it_and_how_to_have_another(desk):
    desk.write("judged.yaml", one_case({"type": "llm_judge", "rubric": "ok"}))
    desk.write("both.yaml", one_case({"type": "llm_judge", "rubric": "ok"}, provider="anthropic", model="claude"))

    judged, both = desk("run", "judged.yaml"), desk("run", "both.yaml")

    assert judged.returncode == both.returncode == 1
    assert judged.stderr.rstrip().endswith(
        "(for the judge 'anthropic:claude-opus-4-8' of llm_judge; its option 'model' chooses another)"
    )
    assert "ANTHROPIC_API_KEY is not set" in judged.stderr
    assert both.stderr.count("ANTHROPIC_API_KEY is not set") == 1
    assert "for the judge" not in both.stderr


@pytest.mark.parametrize(
    ("name", "text", "seen"),
    [
        ("graders/sentiment.js", "export default {}", True),
        ("graders/mood.js", 'export default {type: "sentiment"}', True),
        ("graders/mood.mjs", "export default {type: 'sentiment'}", True),
        ("graders/other.js", 'export default {type: "other"}', False),
        ("graders/sentiment.txt", "sentiment", False),
    ],
)
def test_a_grader_in_javascript_is_told_as_seen_and_not_run(desk, name, text, seen):
    desk.write("s.yaml", one_case({"type": "sentiment"}))
    desk.write(name, text)

    done = desk("run", "s.yaml")

    path = Path(name)
    assert done.returncode == 1
    assert "unknown scorer 'sentiment'" in done.stderr
    wanted = f"{path} is there and is not run; write it in Python, as {path.stem}.py beside it"
    assert (wanted in done.stderr, "not run" in done.stderr) == (seen, seen)


def test_json_means_json_whatever_the_file_is_called(desk):
    desk.write("s.yaml", one_case({"type": "max_words", "value": 9}))

    to_files = desk("run", "s.yaml", "-q", "--json", "out.jsonl", "--json", "page.html", "--json", "plain")
    printed = desk("run", "s.yaml", "--json", "-")

    assert to_files.returncode == printed.returncode == 0, to_files.stderr + printed.stderr
    names = [json.loads((desk.folder / name).read_text("utf-8"))["benchmark"] for name in ("out.jsonl", "page.html")]
    assert names == ["s", "s"]
    assert json.loads((desk.folder / "plain").read_text("utf-8"))["benchmark"] == "s"
    assert json.loads(printed.stdout)["benchmark"] == "s"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="the system has no such file")
def test_json_on_standard_output_by_its_name_as_a_file_is_alone_there(desk):
    desk.write("s.yaml", one_case({"type": "max_words", "value": 9}))
    command = [sys.executable, "-m", "steelyard", "run", "s.yaml", "--json", "/dev/stdout"]

    # A file system's own name for the stream leads to that of a process, so it takes one.
    done = subprocess.run(
        command, cwd=desk.folder, env={**os.environ, **desk.environ}, capture_output=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["benchmark"] == "s"


TELLS = """
from steelyard import hookimpl
from steelyard.api import NoSettings, Score, ScorerSpec

class Tells:
    def __init__(self, context):
        self.context = context

    def score(self, case, output, ask):
        self.context.note("all is well")
        self.context.warn("mind the step")
        return Score(value=1.0, passed=True)

@hookimpl
def steelyard_register_scorers():
    return [ScorerSpec(name="tells", summary="Tells", settings=NoSettings, create=lambda _s, context: Tells(context))]
"""


def test_what_is_good_to_know_is_said_once_and_is_no_warning_and_not_for_a_quiet_run(desk):
    criteria = [{"type": "tells"}]
    suite = {"name": "s", "provider": "mock", "model": "m"}
    cases = [{"prompt": "a", "criteria": criteria}, {"prompt": "b", "criteria": criteria}]
    desk.write("s.yaml", json.dumps({**suite, "cases": cases}))
    desk.write("graders/tells.py", TELLS)

    loud, quiet = desk("run", "s.yaml"), desk("run", "s.yaml", "-q")

    lines = loud.stderr.splitlines()
    (noted,) = (line for line in lines if "all is well" in line)
    (warned,) = (line for line in lines if "mind the step" in line)
    assert noted.startswith("scorer 'tells'")
    assert warned.startswith("warning: scorer 'tells'")
    assert "all is well" not in quiet.stderr
    assert "mind the step" in quiet.stderr
