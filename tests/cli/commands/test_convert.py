"""Suites of other tools as native files: they send the same requests and give the same verdicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from steelyard.testing.fake_api import FakeRequest

EVALKIT: dict[str, Any] = {
    "version": 1,
    "name": "support-bot",
    "description": "What the bot must know",
    "target": {
        "provider": "mock",
        "model": "m",
        "responses": [
            {"match": "refund", "output": "Thanks. Billing > Refunds"},
            {"match": "price", "output": "Thanks. It is 1,250.50 dollars."},
            {"match": "json", "output": '```json\n{"a": 1}\n``` Thanks'},
        ],
        "default": "no idea",
    },
    "system": "You answer {{ nobody }} and say Thanks.",
    "prompt": "Customer: {{message}}",
    "graders": [{"type": "contains", "value": ["Thanks"]}],
    "tasks": [
        {"id": "refund", "vars": {"message": "a refund"}, "expected": "Billing > Refunds", "tags": ["billing"],
         "metadata": {"owner": "payments"},
         "graders": [{"type": "regex", "pattern": "Billing\\s*>\\s*Refunds"}, {"type": "contains"}]},
        {"id": "price", "vars": {"message": "the price"}, "expected": 1250.5,
         "graders": [{"type": "numeric", "abs_tol": 0.01, "weight": 3, "name": "amount"}]},
        {"id": "json", "vars": {"message": "json: {{ x }}\n# no comment"},
         "graders": [{"type": "json_schema", "schema": {"type": "object", "required": ["a"]}}]},
        {"vars": {"message": "else\ttab \u2028 end "},
         "graders": [{"type": "exact", "value": "no idea", "negate": True}]},
    ],
    "settings": {"fail_under": 0.5, "concurrency": 3, "repeat": 2, "seed": 7, "retries": 1, "task_pass_rate": 0.5},
}  # fmt: skip


def verdicts(desk: Any, path: str) -> tuple[int, dict[str, Any]]:
    """Run a file; return the exit code and, for each case, what was said, judged and scored."""
    before = {*(desk.folder / "results").glob("*.json")}
    done = desk("run", path, "-q", "--no-cache")
    (record,) = {*(desk.folder / "results").glob("*.json")} - before
    (combo,) = json.loads(record.read_text("utf-8"))["results"]
    cases = {
        case["id"]: (case["prompt"], case["response"], case["status"], case["match_result"], case["match_score"],
                     [(score["name"], score["passed"], score["score"]) for score in case["scores"]])
        for case in combo["test_cases"]
    }  # fmt: skip
    return done.returncode, {"labels": (combo["model"], combo["prompt_id"]), "score": combo["score"], **cases}


def test_an_evalkit_suite_gives_the_same_verdicts_case_by_case(desk):
    desk.write("evals.json", json.dumps(EVALKIT))

    done = desk("convert", "evals.json", "-o", "native.yaml")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "Wrote native.yaml\n")
    code, original = verdicts(desk, "evals.json")
    assert verdicts(desk, "native.yaml") == (code, original)
    assert original["refund"][3] is True
    assert original["task-4"][3] is False


def test_without_an_output_the_file_goes_to_standard_output_and_nothing_is_left_behind(desk):
    desk.write("evals.json", json.dumps(EVALKIT))

    done = desk("convert", "evals.json")

    assert done.returncode == 0
    file = yaml.safe_load(done.stdout)
    assert (file["name"], file["quality_threshold"], file["repeat"]) == ("support-bot", 50, 2)
    assert sorted(path.name for path in desk.folder.iterdir()) == ["evals.json"]


def test_what_every_task_has_is_written_once_and_a_template_is_kept_where_it_means_the_same(desk):
    desk.write("evals.json", json.dumps(EVALKIT))

    file = yaml.safe_load(desk("convert", "evals.json").stdout)

    assert file["scorers"] == [{"type": "contains", "value": ["Thanks"]}]
    assert file["prompts"] == [{"id": "default", "system": "{{ system }}", "template": "Customer: {{message}}"}]
    assert file["variables"] == {"system": "You answer {{ nobody }} and say Thanks."}
    assert file["test_cases"][0]["variables"] == {"message": "a refund"}


@pytest.mark.parametrize("value", [None, True, ["a", 1], {"a": None}], ids=str)
def test_a_placeholder_that_would_render_otherwise_is_written_out(desk, value):
    # evalkit writes null as nothing and lists as JSON; a Jinja template does not.
    suite = {**EVALKIT, "tasks": [{"id": "a", "vars": {"message": value}}]}
    desk.write("evals.json", json.dumps(suite))

    done = desk("convert", "evals.json", "-o", "native.yaml")

    assert done.returncode == 0, done.stderr
    assert verdicts(desk, "native.yaml") == verdicts(desk, "evals.json")


def test_a_secret_from_the_environment_does_not_get_into_the_file(desk):
    target = {"provider": "mock", "model": "${MODEL:-m}", "default": "Thanks ${TOKEN}", "flaky_output": "${OTHER:-x}"}
    desk.write("evals.json", json.dumps({**EVALKIT, "target": target}))
    secretive = replace(desk, environ={**desk.environ, "TOKEN": "top-secret", "OTHER": "secret-too"})

    done = secretive("convert", "evals.json")

    assert done.returncode == 0, done.stderr
    assert "secret" not in done.stdout + done.stderr
    (model,) = yaml.safe_load(done.stdout)["models"]
    assert model | {"id": ""} == {
        "id": "",
        "provider": "mock",
        "model": "${MODEL:-m}",
        "default": "Thanks ${TOKEN}",
        "flaky_output": "${OTHER:-x}",
        "tokens": "words",
        "cost_usd": None,
    }


def test_a_judge_with_options_of_its_own_stays_the_judge(keyless, api):
    api.answer(lambda request: json.dumps({"reasoning": "Fine.", "score": 5}))
    judge = {"provider": "openai", "model": "big", "base_url": api.base_url, "api_key_env": None, "temperature": 0.5}
    graders = [{"type": "llm_judge", "rubric": "Polite to {{ message }}"}]
    tasks = [{"id": "a", "vars": {"message": "Ann"}, "expected": "Hello", "graders": graders}]
    keyless.write("evals.json", json.dumps({**EVALKIT, "judge": judge, "graders": [], "tasks": tasks}))

    assert keyless("convert", "evals.json", "-o", "native.yaml").returncode == 0
    code, original = verdicts(keyless, "evals.json")
    first = [request.body for request in api.requests]
    assert verdicts(keyless, "native.yaml") == (code, original)
    assert [request.body for request in api.requests][len(first) :] == first
    assert len(first) == 2
    assert original["a"][3] is True


EVAL: dict[str, Any] = {
    "name": "remember",
    "provider": "openai",
    "model": "gpt-4o-mini",
    "system_prompt": "Be brief, {{name}}.",
    "temperature": 0.2,
    "dataset": "rows.jsonl",
    "cases": [
        {"id": "say-{{id}}", "prompt": "Say {{word}}\n", "criteria": [{"type": "contains", "value": "{{word}}"}]},
        {"id": "talk-{{id}}",
         "turns": [{"role": "user", "content": "I am {% raw %} {{word}}"}, {"role": "assistant", "content": None},
                   {"role": "user", "content": "Who am I?"}, {"role": "assistant", "content": None}],
         "criteria": [{"type": "regex", "value": "^ONE", "flags": "i"}, {"type": "max_words", "value": 3}]},
    ],
}  # fmt: skip


def test_a_suite_of_the_eval_tool_sends_the_same_requests_and_gets_the_same_verdicts(desk, api):
    online = replace(desk, environ={**desk.environ, "OPENAI_BASE_URL": api.base_url, "OPENAI_API_KEY": "sk-for-tests"})
    api.answer(lambda request: "one two" if "Who" in request.prompt else last_word(request))
    desk.write("suite.json", json.dumps(EVAL))
    desk.write("rows.jsonl", '{"id": 1, "word": "one"}\n{"id": 2, "word": "{{ two }}"}\n')

    assert online("convert", "suite.json", "-o", "native.yaml").returncode == 0
    code, original = verdicts(online, "suite.json")
    asked = sorted(request.prompt for request in api.requests)
    assert verdicts(online, "native.yaml") == (code, original)
    assert sorted(request.prompt for request in api.requests) == sorted([*asked, *asked])
    assert {name: case[3] for name, case in original.items() if "-" in name} == {
        "say-1": True,
        "say-2": True,
        "talk-1": True,
        "talk-2": True,
    }


def last_word(request: FakeRequest) -> str:
    return request.prompt.removesuffix("\n").rpartition("Say ")[2]


def test_what_has_no_counterpart_is_said(desk):
    suite = {**EVALKIT, "settings": {"concurrency": 200}}
    desk.write("suites/evals.json", json.dumps(suite))

    done = desk("convert", "suites/evals.json", "-o", "native.yaml")

    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        "warning: not converted: concurrency 200: at most 100 calls are made at once",
        "Wrote native.yaml",
    ]


def test_paths_that_start_elsewhere_are_said_where_there_are_any(desk):
    grader = {"type": "python", "function": "judge.py:polite"}
    target = {"provider": "command", "command": ["python", "bot.py"]}
    task = {"input": "hi", "graders": [{"type": "contains", "value": "x"}]}
    desk.write("suites/judge.py", "def polite(output):\n    return True\n")
    desk.write("suites/bot.py", "")
    desk.write("suites/graded.json", json.dumps({**EVALKIT, "tasks": [{"input": "hi", "graders": [grader]}]}))
    desk.write("suites/asked.json", json.dumps({"name": "s", "target": target, "tasks": [task]}))

    graded = desk("convert", "suites/graded.json", "-o", "suites/g.yaml")
    asked = desk("convert", "suites/asked.json", "-o", "n.yaml")

    assert "relative paths" not in graded.stderr
    assert "not converted: relative paths ('bot.py' …) started at suites and now start at ." in asked.stderr


def test_rows_that_are_written_out_are_said(desk):
    criteria = [{"type": "contains", "value": "{{q}}"}]
    suite = {"name": "s", "provider": "mock", "model": "m", "cases": [{"prompt": "{{q}}", "criteria": criteria}]}
    desk.write("d.jsonl", "".join(json.dumps({"q": letter}) + "\n" for letter in "abc"))
    desk.write("s.json", json.dumps({**suite, "dataset": "d.jsonl", "dataset_limit": 2}))

    done = desk("convert", "s.json", "-o", "n.yaml")

    assert (
        "warning: not converted: its data file: the 2 case(s) that limit and sample leave of it now are" in done.stderr
    )
    assert len(yaml.safe_load((desk.folder / "n.yaml").read_text("utf-8"))["test_cases"]) == 2


def test_a_conversation_with_a_system_prompt_needs_no_template(desk):
    case = {"turns": [{"role": "user", "content": "hi"}], "criteria": [{"type": "contains", "value": "x"}]}
    suite = {"name": "s", "provider": "mock", "model": "m", "system_prompt": "Be brief", "cases": [case]}
    desk.write("s.json", json.dumps(suite))

    written = yaml.safe_load(desk("convert", "s.json").stdout)

    assert written["prompts"] == [{"id": "default", "system": "Be brief"}]


def test_a_file_that_cannot_be_written_is_named_by_its_own_name(desk):
    desk.write("s.json", json.dumps(EVALKIT))
    desk.write("taken", "")

    done = desk("convert", "s.json", "-o", "taken/n.yaml")

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {Path('taken', 'n.yaml')}: cannot be written: ")


def test_a_conversion_that_would_lose_a_file_it_needs_is_refused(desk):
    desk.write("suites/checks.py", "def fine(output, context):\n    return True\n")
    suite = {**EVALKIT, "graders": [{"type": "python", "function": "checks.py:fine"}]}
    desk.write("suites/evals.json", json.dumps(suite))

    elsewhere, beside = (desk("convert", "suites/evals.json", "-o", name) for name in ("x.yaml", "suites/x.yaml"))

    assert (elsewhere.returncode, beside.returncode) == (1, 0)
    assert "checks.py" in elsewhere.stderr
    assert sorted(path.name for path in desk.folder.rglob("*")) == ["checks.py", "evals.json", "suites", "x.yaml"]


def test_a_file_that_is_there_is_replaced_only_by_force(desk):
    desk.write("evals.json", json.dumps(EVALKIT))
    desk.write("out.yaml", "mine")

    refused = desk("convert", "evals.json", "-o", "out.yaml")
    assert refused.returncode == 1
    assert (desk.folder / "out.yaml").read_text() == "mine"
    assert desk("convert", "evals.json", "-o", "out.yaml", "--force").returncode == 0
    assert (desk.folder / "out.yaml").read_text() != "mine"


def test_a_native_file_needs_no_conversion(desk):
    desk("init", "b.yaml", "--yes", "--offline")

    done = desk("convert", "b.yaml")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: b.yaml: is of the format 'native' already\n"


def test_a_suite_that_could_not_be_run_is_refused_with_every_problem(desk):
    desk.write("evals.json", json.dumps({**EVALKIT, "tsks": [], "graders": [{"type": "contians"}]}))

    done = desk("convert", "evals.json")

    assert (done.returncode, done.stdout) == (1, "")
    assert "did you mean 'tasks'?" in done.stderr
    assert "did you mean 'contains'?" in done.stderr


@pytest.fixture
def traps() -> Callable[[str], list[dict[str, Any]]]:
    texts = [
        "yes",
        "1e5",
        "2024-01-01",
        "~",
        "",
        "- a",
        "a: b # c",
        "|",
        "a\r\nb",
        "\x1b[2J",
        "é\u2028",
        "{{ x",
        "  a\n b",
    ]
    return lambda key: [{"id": f"t{n}", "vars": {key: text}} for n, text in enumerate(texts)]


def test_texts_that_yaml_could_take_for_something_else_stay_what_they_are(desk, traps):
    desk.write("evals.json", json.dumps({**EVALKIT, "tasks": traps("message")}))

    done = desk("convert", "evals.json", "-o", "native.yaml")

    assert done.returncode == 0, done.stderr
    assert verdicts(desk, "native.yaml") == verdicts(desk, "evals.json")


def test_a_conversion_by_hand_of_a_schema_file_is_not_needed(desk):
    Path(desk.folder / "schema.json").write_text('{"type": "object"}')
    graders = [{"type": "json_schema", "schema_file": "schema.json"}]
    desk.write("evals.json", json.dumps({**EVALKIT, "graders": graders}))

    assert desk("convert", "evals.json", "-o", "native.yaml").returncode == 0
    assert verdicts(desk, "native.yaml") == verdicts(desk, "evals.json")


def test_who_would_find_the_variables_that_prompts_need_is_said(desk):
    desk.write("checks.py", "def check(output, context):\n    return sorted(context['vars']) == ['a']\n")
    task = {"id": "t", "input": "x", "vars": {"a": 1}}
    exact = {"type": "exact", "value": "x"}
    suites = {
        "functions": ({"provider": "mock"}, {"type": "python", "function": "checks.py:check"}),
        "bodies": ({"provider": "http", "url": "http://127.0.0.1:9/", "body": ["{{ vars }}"]}, exact),
        "neither": ({"provider": "http", "url": "http://127.0.0.1:9/", "body": ["{{ vars.a }}"]}, exact),
    }
    said = {}
    for name, (target, grader) in suites.items():
        suite = {"name": name, "target": target, "tasks": [{**task, "graders": [grader]}]}
        desk.write("evals.json", json.dumps(suite))
        done = desk("convert", "evals.json")
        assert done.returncode == 0, done.stderr
        said[name] = done.stderr

    what = "warning: not converted: that variables hold nothing but the task's own: {} will find 'input' there too\n"
    assert said == {"functions": what.format("Python functions"), "bodies": what.format("{{vars}}"), "neither": ""}


def test_what_is_written_is_no_json(desk):
    desk.write(
        "s.yaml", "name: s\ntarget: {provider: mock}\ntasks: [{input: a, expected: a, graders: [{type: exact}]}]\n"
    )

    done = desk("convert", "s.yaml", "-o", "out.JSON")

    assert (done.returncode, done.stderr) == (1, "error: out.JSON: what is written is YAML; end its name in .yaml\n")
    assert not (desk.folder / "out.JSON").exists()
