"""Small suites, run whole, get the verdicts that evalkit 0.2.0 gives.

``verdicts.json`` holds the suites, the prompts that evalkit sent, the outputs that came back (from its mock provider,
from programs, and from the server that is played here), and the verdicts it gave: of each task and, as ``ok``, of the
suite. Where ``differs`` names a task, ours is another on purpose, with the reason; ``ok_differs`` says the same of the
suite.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

import steelyard
from steelyard.api import RunOptions, Status
from steelyard.session import open_session
from steelyard.testing.fake_api import FakeAPI, Reply

SUITES = json.loads((Path(__file__).parent / "verdicts.json").read_text(encoding="utf-8"))


def _written(entry, folder):
    path = folder / "evals.yaml"
    path.write_text(yaml.safe_dump(entry["suite"], allow_unicode=True, sort_keys=False), encoding="utf-8")
    for name, content in entry["files"].items():
        (folder / name).write_bytes(content.encode())  # line ends as they are
    return path


def _status(result):
    if result.status is not Status.SCORED:
        return "error"
    return "pass" if result.passed else "fail"


@pytest.fixture
def server(monkeypatch):
    """Play what the suites ask: models that say what they heard, and a service that gives back its body."""
    with FakeAPI() as api:
        odd = {"refuse": Reply(status=400), "say nothing": Reply("")}
        api.answer(lambda asked: odd.get(asked.prompt, f"heard {asked.prompt}"))
        api.route("/echo", lambda asked: Reply(body=json.dumps({"output": asked.json}, ensure_ascii=False)))
        api.route("/words", lambda asked: Reply(body=asked.query, content_type="text/plain"))
        monkeypatch.setenv("LLM_URL", api.origin)
        monkeypatch.setenv("PYTHON", sys.executable)
        yield


# Some suites are warned about, which is none of this test's business.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("entry", SUITES, ids=[entry["name"] for entry in SUITES])
@pytest.mark.usefixtures("server")
def test_a_suite_gets_the_verdicts_of_evalkit(tmp_path, monkeypatch, entry):
    monkeypatch.chdir(tmp_path)
    record = steelyard.run(_written(entry, tmp_path), RunOptions(cache=False, store=False))
    (combo,) = record.results

    assert [result.id for result in combo.cases] == [task["id"] for task in entry["tasks"]]
    for result, task in zip(combo.cases, entry["tasks"], strict=True):
        status, score, _reason = entry["differs"].get(task["id"], [task["status"], task["score"], ""])
        assert result.runs[0].messages[-1].content == task["prompt"]
        assert (task["id"], _status(result)) == (task["id"], status)
        if task["id"] not in entry["differs"]:
            assert result.runs[0].response == task["output"]
            assert result.flaky == task.get("flaky", False)
        assert result.score == (None if status == "error" else pytest.approx(score, abs=5e-5))

    if "ok" in entry:
        assert record.insights.passed == (entry["ok"] != ("ok_differs" in entry))


def _outcome(path):
    record = steelyard.run(path, RunOptions(cache=False, store=False))
    (combo,) = record.results
    return record.insights.passed, [
        (
            case.id,
            case.status,
            case.passed,
            case.score,
            case.flaky,
            [
                (run.messages, run.response, [(score.name, score.passed, score.score) for score in run.scores])
                for run in case.runs
            ],
        )
        for case in combo.cases
    ]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("entry", SUITES, ids=[entry["name"] for entry in SUITES])
@pytest.mark.usefixtures("server")
def test_a_suite_gets_the_same_verdicts_as_a_native_file(tmp_path, monkeypatch, entry):
    monkeypatch.chdir(tmp_path)
    suite, native = _written(entry, tmp_path), tmp_path / "native.yaml"
    session = open_session()
    native.write_text(session.formats.convert(suite, native, RunOptions()).text, encoding="utf-8")
    session.close()

    assert _outcome(native) == _outcome(suite)


def test_every_difference_has_a_reason_and_is_one():
    for entry in SUITES:
        told = {task["id"]: [task["status"], task["score"]] for task in entry["tasks"]}
        for identity, (status, score, reason) in entry["differs"].items():
            assert told[identity] != [status, score]
            assert reason


def test_there_are_enough_suites_to_speak_of_the_same_verdicts():
    assert len(SUITES) >= 40


def test_the_schema_takes_every_suite():
    session = open_session()
    validator = Draft202012Validator(dict(session.formats.schema("evalkit")))
    session.close()

    assert [(entry["name"], [*validator.iter_errors(entry["suite"])]) for entry in SUITES] == [
        (entry["name"], []) for entry in SUITES
    ]
