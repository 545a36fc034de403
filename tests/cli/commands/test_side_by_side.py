"""``compare SUITE --models``: one suite, several models, and the cases about which they do not agree."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from steelyard.session import open_session
from steelyard.testing.fake_api import FakeRequest

SUITE = {
    "name": "b",
    "quality_threshold": 100,
    "models": [{"id": "yea", "provider": "mock", "default": "yes"}, {"id": "nay", "provider": "mock", "default": "no"}],
    "prompts": [{"id": "v1", "template": "hi"}, {"id": "v2", "template": "ho"}],
    "test_cases": [
        {"id": f"c{n}", "expected_output": wanted, "evaluation": "exact_match"}
        for n, wanted in enumerate(["yes", "no", "maybe"], 1)
    ],
}
EVAL = {
    "name": "s",
    "provider": "openai",
    "model": "gpt-4o-mini",
    "cases": [{"id": "a", "prompt": "Say one", "criteria": [{"type": "contains", "value": "one"}]}],
}


def stored(desk: Any) -> list[Any]:
    return [json.loads(path.read_text("utf-8")) for path in sorted((desk.folder / "results").glob("*.json"))]


def test_each_case_is_a_row_and_disagreements_are_marked(desk):
    desk.write("b.yaml", json.dumps(SUITE))

    done = desk("compare", "b.yaml", "--models", "yea,nay", "-p", "v1")

    assert [line.split() for line in done.stdout.splitlines()] == [
        ["Case", "yea", "nay"],
        ["c1", "pass", "FAIL", "≠"],
        ["c2", "FAIL", "pass", "≠"],
        ["c3", "FAIL", "FAIL"],
        ["pass", "rate", "33.3%", "33.3%"],
        ["cost", "$0.000000", "$0.000000"],
        ["latency", "p50", *done.stdout.splitlines()[6].split()[2:]],
        ["Disagreements:", "2", "of", "3", "case(s)"],
    ]


def test_it_is_one_run_with_one_record_and_the_models_that_were_named(desk):
    desk.write("b.yaml", json.dumps(SUITE))

    desk("compare", "b.yaml", "--models", "nay, mock:other")

    (record,) = stored(desk)
    combos = [(combo["model"], combo["prompt_id"]) for combo in record["results"]]
    assert combos == [("nay", "v1"), ("nay", "v2"), ("mock:other", "v1"), ("mock:other", "v2")]
    assert record["quality_threshold"] == 100


@pytest.mark.parametrize(
    ("gate", "code", "said"),
    [
        ({"quality_threshold": 34}, 1, "FAIL: best score 33.3% is below quality_threshold (34)."),
        ({"quality_threshold": 33}, 0, "PASS: best score meets quality_threshold (33)."),
        ({"quality_threshold": None}, 0, "Stored as"),
    ],
)
def test_it_exits_as_a_run_of_the_same_suite_does(desk, gate, code, said):
    desk.write("b.yaml", json.dumps({**SUITE, **gate}))

    compared = desk("compare", "b.yaml", "--models", "yea,nay", "-p", "v1")
    ran = desk("run", "b.yaml", "-p", "v1", "-q")

    assert (compared.returncode, ran.returncode) == (code, code)
    assert said in compared.stderr


def test_every_key_that_is_missing_is_named_at_once(desk):
    desk.write("s.yaml", json.dumps(EVAL))

    done = desk("compare", "s.yaml", "--models", "openai/a,openai/b,gemini/c,anthropic/d")

    said = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(said)) == (1, "", 2)
    assert "asked elsewhere than at the suite's 'openai': gemini:c, anthropic:d" in said[0]
    assert [done.stderr.count(f"{name}_API_KEY is not set") for name in ("OPENAI", "GEMINI", "ANTHROPIC")] == [1, 1, 1]
    assert not (desk.folder / "results").exists()


def test_with_several_prompts_the_columns_name_them(desk):
    desk.write("b.yaml", json.dumps(SUITE))

    heading = desk("compare", "b.yaml", "--models", "yea,nay").stdout.splitlines()[0]

    assert [cell.strip() for cell in heading.split("  ") if cell.strip()] == [
        "Case", "yea / v1", "yea / v2", "nay / v1", "nay / v2"
    ]  # fmt: skip


def test_json_is_alone_on_standard_output(desk):
    desk.write("b.yaml", json.dumps(SUITE))

    done = desk("compare", "b.yaml", "--models", "yea,nay", "-p", "v2", "--format", "json")

    read = json.loads(done.stdout)
    assert [(combo["model"], combo["prompt_id"]) for combo in read["combos"]] == [("yea", "v2"), ("nay", "v2")]
    assert read["cases"][0] == {"id": "c1", "outcomes": ["pass", "fail"], "disagree": True}
    assert read["disagreements"] == 2


def test_a_suite_of_the_eval_tool_takes_models_as_that_tool_does(desk, api):
    environ = {
        **desk.environ,
        "OPENAI_BASE_URL": api.base_url,
        "OPENAI_API_KEY": "sk-for-tests",
        "ANTHROPIC_BASE_URL": api.origin,
        "ANTHROPIC_API_KEY": "sk-ant-for-tests",
    }

    def answer(request: FakeRequest) -> str:
        return "one" if request.model == "gpt-4o" else "two"

    api.answer(answer)
    desk.write("s.yaml", json.dumps(EVAL))

    online = replace(desk, environ=environ)
    done = online("compare", "s.yaml", "--models", "gpt-4o,anthropic/claude-haiku-4-5,llama3", "--format", "json")

    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert [combo["model"] for combo in read["combos"]] == [
        "openai:gpt-4o",
        "anthropic:claude-haiku-4-5",
        "openai:llama3",
    ]
    assert read["cases"] == [{"id": "a", "outcomes": ["pass", "fail", "fail"], "disagree": True}]


def test_a_provider_on_the_command_line_answers_for_names_that_do_not_say_it(desk, api):
    online = replace(desk, environ={**desk.environ, "OPENAI_BASE_URL": api.base_url, "OPENAI_API_KEY": "sk-for-tests"})
    api.reply("one")
    desk.write("s.yaml", json.dumps(EVAL))
    desk.write("b.yaml", json.dumps(SUITE))

    ours = online("compare", "b.yaml", "--models", "m1,m2", "--provider", "openai", "--format", "json")
    theirs = online("compare", "s.yaml", "--models", "claude-by-proxy", "--provider", "openai", "--format", "json")

    assert {combo["model"] for combo in json.loads(ours.stdout)["combos"]} == {"openai:m1", "openai:m2"}
    assert [combo["model"] for combo in json.loads(theirs.stdout)["combos"]] == ["openai:claude-by-proxy"]


def test_an_error_is_no_opinion_and_a_run_of_errors_alone_fails(desk, api):
    online = replace(desk, environ={**desk.environ, "OPENAI_BASE_URL": api.base_url, "OPENAI_API_KEY": "sk-for-tests"})
    api.answer(lambda request: "yes")
    desk.write("b.yaml", json.dumps({**SUITE, "quality_threshold": 30, "retries": 0}))

    done = online("compare", "b.yaml", "--models", "yea,ollama:none", "-p", "v1", env={"OLLAMA_HOST": "127.0.0.1:9"})
    alone = online("compare", "b.yaml", "--models", "ollama:none", "-p", "v1", env={"OLLAMA_HOST": "127.0.0.1:9"})

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split() == ["c1", "pass", "error"]
    assert done.stdout.splitlines()[-1] == "Disagreements: 0 of 3 case(s)"
    assert alone.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("b.yaml",), "b.yaml is a suite; say which models to run it with: --models A,B"),
        (("b.yaml", "--models", " , "), "--models names no model"),
        (("b.yaml", "other", "--models", "a"), "compare SUITE --models A,B"),
        (("b.yaml", "--models", "a", "--strict"), "compare SUITE --models A,B"),
        (("--models", "a"), "compare SUITE --models A,B"),
        (("one", "two", "--provider", "mock"), "--provider and --no-cache go with --models"),
        (("b.yaml", "--models", "a", "--provider", "opnai"), "did you mean 'openai'?"),
    ],
)
def test_a_slip_on_the_command_line_is_wrong_usage(desk, arguments, said):
    desk.write("b.yaml", json.dumps(SUITE))

    done = desk("compare", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (desk.folder / "results").exists()


def test_a_model_that_is_named_twice_is_refused(desk):
    desk.write("b.yaml", json.dumps(SUITE))

    done = desk("compare", "b.yaml", "--models", "yea,yea")

    assert (done.returncode, done.stderr) == (1, "error: model 'yea' is named twice; name it once\n")


def test_the_plugins_beside_a_suite_judge_here_too(desk):
    desk.write(
        "scorers/shouts.py",
        "from steelyard import hookimpl\n"
        "from steelyard.api import NoSettings, Score, ScorerSpec\n"
        "class Shouts:\n"
        "    def score(self, case, output, ask):\n"
        "        return Score(value=1.0, passed=True)\n"
        "@hookimpl\n"
        "def steelyard_register_scorers():\n"
        "    return [ScorerSpec(name='shouts', summary='Shouts', settings=NoSettings, create=lambda s, c: Shouts())]\n",
    )
    desk.write("b.yaml", json.dumps({**SUITE, "test_cases": [{"id": "a", "evaluation": "shouts"}]}))

    done = desk("compare", "b.yaml", "--models", "yea,nay", "-p", "v1")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split() == ["a", "pass", "pass"]


def test_a_run_of_a_suite_of_the_eval_tool_takes_another_model_as_that_tool_does(desk, api):
    environ = {"OPENAI_BASE_URL": api.base_url, "OPENAI_API_KEY": "sk-for-tests"}
    environ |= {"ANTHROPIC_BASE_URL": api.origin, "ANTHROPIC_API_KEY": "sk-ant-for-tests"}
    online = replace(desk, environ={**desk.environ, **environ})
    api.answer(lambda request: "one" if request.model == "gpt-4o" else "two")
    desk.write("s.yaml", json.dumps(EVAL))

    codes = [
        online("run", "s.yaml", "-q", *(word for name in names for word in ("--model", name))).returncode
        for names in ((), ("gpt-4o",), ("openai:gpt-4o-mini",), ("anthropic/claude-sonnet-4-6", "openai/gpt-4o"))
    ]
    again = online("run", "s.yaml", "-q", "--failed", "--model", "anthropic:claude-sonnet-4-6")
    twice = online("run", "s.yaml", "-q", "--model", "gpt-4o", "--model", "openai/gpt-4o")

    # The gate asks for one model of which everything passes.
    assert codes == [1, 0, 1, 0]
    models = sorted([combo["model"] for combo in record["results"]] for record in stored(desk))
    assert models == [
        ["anthropic:claude-sonnet-4-6"],
        ["anthropic:claude-sonnet-4-6", "openai:gpt-4o"],
        ["openai:gpt-4o"],
        ["openai:gpt-4o-mini"],
        ["openai:gpt-4o-mini"],
    ]
    assert again.returncode == 1
    assert (twice.returncode, "is named twice" in twice.stderr) == (1, True)


LOCAL = {**EVAL, "provider": "ollama", "model": "llama3"}


@pytest.mark.parametrize(
    "name", ["qwen3", "gemma3", "gpt-oss:20b", "claude-opus-4-8", "o3-mini", "gemini-2.0-flash", "ft:abc", "a/b"]
)
@pytest.mark.parametrize("command", [("run", "s.yaml", "-q", "--model"), ("compare", "s.yaml", "--models")])
def test_a_name_without_a_provider_stays_with_the_suites_whatever_it_is_called(desk, api, command, name):
    keys = {f"{maker}_API_KEY": "sk-for-tests" for maker in ("OPENAI", "ANTHROPIC", "GEMINI")}
    elsewhere = {f"{maker}_BASE_URL": "http://127.0.0.1:9" for maker in ("OPENAI", "ANTHROPIC", "GEMINI")}
    online = replace(desk, environ={**desk.environ, **keys, **elsewhere, "OLLAMA_HOST": api.origin})
    api.answer(lambda request: "one")
    desk.write("s.yaml", json.dumps(LOCAL))
    desk.write(".evalrc.json", json.dumps({"default_provider": "openai"}))

    done = online(*command, name)

    assert done.returncode == 0, done.stderr
    assert [combo["model"] for combo in stored(desk)[0]["results"]] == [f"ollama:{name}"]
    assert [(request.path, request.model) for request in api.requests] == [("/api/chat", name)]
    assert "asked elsewhere" not in done.stderr


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("mock:m", "mock", "m"),
        ("mock/m", "mock", "m"),
        ("openrouter/openai/gpt-4o", "openrouter", "openai/gpt-4o"),
        ("openrouter:openai/gpt-4o", "openrouter", "openai/gpt-4o"),
        ("openrouter/auto", "openrouter", "openrouter/auto"),
        ("http/m", "http", "m"),
        ("command:m", "command", "m"),
    ],
)
def test_the_name_of_any_provider_is_split_off_and_the_switch_is_said(desk, name, provider, model):
    desk.write("s.yaml", json.dumps(LOCAL))
    said: list[str] = []
    session = open_session(cwd=desk.folder, environ=desk.environ, warn=said.append)

    benchmark = session.with_models(desk.folder / "s.yaml", [name])

    assert [(use.provider, use.model) for use in benchmark.models] == [(provider, model)]
    assert said == [f"asked elsewhere than at the suite's 'ollama': {benchmark.models[0].id}"]


def test_the_labels_that_are_printed_can_be_written_again(desk):
    desk.write("s.yaml", json.dumps({**LOCAL, "provider": "openrouter", "model": "openai/gpt-4o"}))
    session = open_session(cwd=desk.folder, environ=desk.environ, warn=lambda _line: None)

    first = session.with_models(desk.folder / "s.yaml", ["anthropic/claude", "ollama/llama3", "a/b:free"])
    again = session.with_models(desk.folder / "s.yaml", [use.id for use in first.models])

    assert [use.id for use in first.models] == ["openrouter:anthropic/claude", "ollama:llama3", "openrouter:a/b:free"]
    assert again.models == first.models
