"""The whole command on real files, with the built-in components and a fake API over real sockets."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, silence

if TYPE_CHECKING:
    from .conftest import Steelyard

posix = pytest.mark.skipif(os.name == "nt", reason="signals and closed pipes are the system's own on Windows")

QUICKSTART = Path(__file__).parents[2] / "benchmarks" / "quickstart.yaml"

HALF_RIGHT = """
name: Half right
models:
  - {id: parrot, provider: mock, default: "yes"}
prompts:
  - {id: v1, template: "{{ text }}"}
test_cases:
  - {id: "测试-1 🎯", variables: {text: one}, expected_output: "yes", evaluation: exact_match}
  - {id: "[bold]b", variables: {text: two}, expected_output: "no", evaluation: exact_match}
"""

MISTAKEN = """name: Mistaken
qualty_threshold: 80
models: [vendor/small]
prompts:
  - {id: v1, template: "{{ text }} {{ missing }}"}
test_cases:
  - {id: a, variables: {text: one}, expected_output: "yes", evaluation: exact_mach}
"""


def forty_cases(**top: object) -> str:
    return json.dumps(
        {
            "name": "Forty",
            "models": ["vendor/small"],
            "prompts": [{"id": "v1", "template": "{{ number }}"}],
            "test_cases": [
                {"id": f"c{n}", "variables": {"number": n}, "expected_output": "ok", "evaluation": "exact_match"}
                for n in range(40)
            ],
            **top,
        }
    )


def records(steelyard: Steelyard) -> list[Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    # By when they were made: the second run of one second ends in -2, which sorts before its like without it.
    paths = sorted(
        (steelyard.folder / "results").glob("*.json"), key=lambda path: (path.name[:17], len(path.name), path)
    )
    return [json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse) for path in paths]


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI() as server:
        server.reply("ok")
        yield server


@pytest.fixture
def online(steelyard: Steelyard, api: FakeAPI) -> Steelyard:
    """The command with a key for the fake API."""
    variables = {"OPENROUTER_BASE_URL": api.base_url, "OPENROUTER_API_KEY": "sk-or-a-key-for-tests"}
    return replace(steelyard, environ={**steelyard.environ, **variables})


# run


def test_the_quickstart_is_green_offline_and_its_scores_are_those_of_its_rules(steelyard):
    (steelyard.folder / "benchmarks").mkdir()
    shutil.copy(QUICKSTART, steelyard.folder / "benchmarks")

    done = steelyard("run")

    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[0] == f"Using {Path('benchmarks/quickstart.yaml')}"
    (record,) = records(steelyard)
    # Of six cases: the first model chats about three when it is asked a question, and knows no French.
    passed = {(combo["model"], combo["prompt_id"]): combo["score"] for combo in record["results"]}
    assert passed == pytest.approx(
        {
            ("quick", "question"): 100 * 2 / 6,
            ("quick", "label-only"): 100 * 5 / 6,
            ("careful", "question"): 100 * 5 / 6,
            ("careful", "label-only"): 100.0,
        }
    )
    assert record["insights"]["passed"] is True


def test_the_exit_code_and_the_record_agree_about_the_gate(steelyard, write):
    write("b.yaml", HALF_RIGHT)

    passed = steelyard("run", "b.yaml", "--fail-under", "50")
    missed = steelyard("run", "b.yaml", "--fail-under", "50.1")

    assert (passed.returncode, missed.returncode) == (0, 1)
    assert [record["insights"]["passed"] for record in records(steelyard)] == [True, False]


@pytest.mark.parametrize(("wanted", "is_told"), [("0.85", True), ("1", True), ("0", False), ("50", False)])
def test_a_gate_that_looks_like_a_share_is_told_to_be_per_cent(steelyard, write, wanted, is_told):
    write("b.yaml", HALF_RIGHT)

    done = steelyard("run", "b.yaml", "--fail-under", wanted, "--quiet")

    assert ("--fail-under is in per cent" in done.stderr) == is_told


def test_a_table_in_a_pipe_has_no_escape_codes_and_progress_is_not_in_it(steelyard, write):
    write("b.yaml", HALF_RIGHT)

    done = steelyard("run", "b.yaml")

    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "parrot" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_without_the_characters_loses_neither_the_run_nor_the_record(steelyard, write, encoding):
    write("b.yaml", HALF_RIGHT)
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}

    done = subprocess.run(
        steelyard.command("run", "b.yaml", "-v"),
        check=False,
        env={**steelyard.environ, **env},
        cwd=steelyard.folder,
        capture_output=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert b"Error" not in done.stderr
    (record,) = records(steelyard)
    assert record["results"][0]["test_cases"][0]["id"] == "测试-1 🎯"


@posix
def test_a_reader_that_leaves_early_costs_neither_the_record_nor_the_exit_code(steelyard, write):
    write("b.yaml", HALF_RIGHT)
    process = steelyard.start("run", "b.yaml", "--fail-under", "90", "-v")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    stderr = process.stderr.read()
    process.stderr.close()

    assert process.wait(timeout=120) == 1
    assert "roken" not in stderr
    assert len(records(steelyard)) == 1


def test_a_mistaken_file_is_refused_with_every_problem_at_its_place_and_no_call(online, api, write):
    write("bad.yaml", MISTAKEN)

    done = online("run", "bad.yaml")

    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("bad.yaml:2:1: error: ")
    assert "did you mean 'quality_threshold'?" in lines[0]
    assert any("did you mean 'exact_match'?" in line for line in lines)
    assert any("missing" in line for line in lines)
    assert lines[-1] == f"error: bad.yaml: {len(lines) - 1} errors"
    assert api.count == 0
    assert not (online.folder / "results").exists()


def test_a_missing_key_stops_a_run_before_any_call_but_not_a_check(steelyard, api, write):
    write("b.json", forty_cases())
    here = {"OPENROUTER_BASE_URL": api.base_url}

    run = steelyard("run", "b.json", env=here)
    check = steelyard("validate", "b.json", env=here)

    assert (run.returncode, run.stdout) == (1, "")
    assert "OPENROUTER_API_KEY" in run.stderr
    assert (check.returncode, check.stdout) == (0, "b.json: valid: 1 model × 1 prompt × 40 cases\n")
    assert api.count == 0


@pytest.mark.parametrize("command", ["run", "validate"])
def test_a_file_that_is_not_there_is_one_line(steelyard, command):
    done = steelyard(command, "missing.yaml")

    assert (done.returncode, done.stdout) == (1, "")
    assert "missing.yaml" in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("flag", ["--reporter", "--format"])
def test_an_unknown_name_on_the_command_line_is_wrong_usage_and_no_call_is_made(online, api, write, flag):
    write("b.json", forty_cases())

    done = online("run", "b.json", flag, "no-such")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0].startswith(f"error: unknown {flag[2:]} 'no-such'")
    assert api.count == 0


def test_the_key_is_nowhere_in_what_is_printed_or_written(online, api, write):
    write("b.json", forty_cases())
    api.answer(lambda request: Reply(error="bad key sk-or-a-key-for-tests", status=401))

    done = online("--debug", "run", "b.json", "--limit", "2", "-v")

    assert done.returncode == 1
    written = [path for path in online.folder.rglob("*") if path.is_file()]
    assert written
    for text in (done.stdout, done.stderr, *(path.read_bytes().decode("utf-8", "replace") for path in written)):
        assert "a-key-for-tests" not in text


# interrupting a run


def interrupted_after_ten(online: Steelyard, api: FakeAPI) -> subprocess.Popen[str]:
    """Start a run of 40 cases, four at a time, of which the first ten are answered; return when the rest is waiting."""
    answered = iter(["ok"] * 10)

    def answer(_request: FakeRequest) -> Reply | str:
        return next(answered, None) or silence()

    api.answer(answer)
    process = online.start("run", "b.json", "-j", "4")
    # A slot is free for the fourteenth request only when the tenth answer is judged.
    assert api.wait_for(lambda api: len(api.prompts) == 14, timeout_s=30)
    return process


@posix
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_at_once_and_what_was_answered_is_not_asked_again(online, api, write, stop):
    write("b.json", forty_cases())
    process = interrupted_after_ten(online, api)

    started = time.monotonic()
    process.send_signal(stop)
    _, stderr = process.communicate(timeout=120)

    assert process.returncode == 130
    assert time.monotonic() - started < 10
    assert stderr.splitlines()[-1].startswith("Interrupted — no results written.")
    assert "Traceback" not in stderr
    assert records(online) == []
    assert len(api.prompts) == 14

    api.reply("ok")
    again = online("run", "b.json", "-j", "4")

    assert again.returncode == 0
    assert len(api.prompts) == 14 + 30


@posix
def test_an_interrupted_run_can_be_resumed_without_the_cache(online, api, write):
    write("b.json", forty_cases(cache=False))
    process = interrupted_after_ten(online, api)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)

    api.reply("ok")
    resumed = online("run", "b.json", "--resume")

    assert resumed.returncode == 0, resumed.stderr
    assert len(api.prompts) == 14 + 30
    (record,) = records(online)
    assert record["results"][0]["total"] == 40
    assert record["results"][0]["score"] == 100


@posix
@pytest.mark.parametrize("pause_s", [0.0, 0.05, 0.2])
def test_a_second_interrupt_shows_no_traceback(online, api, write, pause_s):
    write("b.json", forty_cases())
    process = interrupted_after_ten(online, api)

    process.send_signal(signal.SIGINT)
    time.sleep(pause_s)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)

    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert records(online) == []


# validate, plugins, cache


def test_validate_names_line_and_column_of_every_mistake(steelyard, write):
    write("bad.yaml", MISTAKEN)

    done = steelyard("validate", "bad.yaml")

    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert all(line.startswith("bad.yaml:") and ": error: " in line for line in lines[:-1])
    assert lines[-1] == f"error: bad.yaml: {len(lines) - 1} errors"


def test_plugins_lists_what_each_adds_as_text_and_as_json(steelyard):
    text = steelyard("plugins")
    as_json = steelyard("plugins", "--format", "json")

    assert (text.returncode, as_json.returncode) == (0, 0)
    header, *rows = text.stdout.splitlines()
    assert header.split() == ["PLUGIN", "DISTRIBUTION", "VERSION", "STATE", "ADDS", "WHY"]
    (row,) = (row.split() for row in rows if row.startswith("exact_match "))
    assert row[:2] == ["exact_match", "steelyard"]
    assert row[3:] == ["ok", "scorer", "exact_match"]
    (found,) = (plugin for plugin in json.loads(as_json.stdout) if plugin["name"] == "exact_match")
    assert found["adds"] == [{"kind": "scorer", "name": "exact_match"}]


def test_plugins_lists_commands_too_and_says_why_one_cannot_be_called(with_commands):
    done = with_commands("plugins", "--format", "json")

    assert done.returncode == 0
    listed = {
        plugin["name"]: plugin for plugin in json.loads(done.stdout) if plugin["distribution"] == "steelyard-acts"
    }
    assert set(listed) == {"act", "broken", "run", "text"}
    assert listed["act"]["adds"] == [{"kind": "command", "name": "act"}]
    assert (listed["act"]["state"], listed["act"]["version"]) == ("ok", "0.3")
    assert (listed["run"]["state"], listed["run"]["adds"]) == ("broken", [])
    assert "belongs to steelyard" in listed["run"]["why"]
    assert "were imported" not in done.stderr


def test_a_blocked_plugin_is_listed_as_blocked(steelyard):
    before = steelyard("--no-plugin", "exact_match", "plugins", "--format", "json")
    after = steelyard("plugins", "--no-plugin", "exact_match", "--format", "json")

    assert before.stdout == after.stdout
    (found,) = (plugin for plugin in json.loads(after.stdout) if plugin["name"] == "exact_match")
    assert (found["state"], found["adds"]) == ("blocked", [])


def test_the_cache_is_counted_kept_and_cleared(online, api, write):
    write("b.json", forty_cases())
    catalog = online.folder / ".steelyard_cache" / "models.json"
    empty = online("cache", "stats")
    assert empty.stdout.splitlines()[0].endswith(": 0 cached responses") or ": 0 cached responses," in empty.stdout
    assert not (online.folder / ".steelyard_cache").exists()

    online("run", "b.json", "--limit", "3")
    catalog.write_text("{}", encoding="utf-8")
    full = online("cache", "stats").stdout.splitlines()
    assert ": 3 cached responses, " in full[0]
    assert full[1].endswith("models.json: model catalog cached")

    assert online("cache", "clear").stdout == "3 cached responses; nothing was deleted, add --yes to delete\n"
    assert online("cache", "prune", "--older-than", "1h").stdout == "deleted 0 cached responses\n"
    assert online("cache", "clear", "--yes").stdout == "deleted 3 cached responses\n"
    assert catalog.exists()
    assert online("cache", "clear", "--yes", "--all").stdout.splitlines() == [
        "deleted 0 cached responses",
        "deleted the model catalog",
    ]
    assert not catalog.exists()


def test_without_the_cache_every_question_is_asked_again(online, api, write):
    write("b.json", forty_cases())
    for _ in range(2):
        online("run", "b.json", "--limit", "3", "--no-cache")

    assert len(api.prompts) == 6


def test_no_benchmark_at_all_suggests_init(steelyard):
    done = steelyard("run")

    assert (done.returncode, done.stdout) == (1, "")
    assert "steelyard init" in done.stderr
