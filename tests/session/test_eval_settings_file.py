"""What the eval tool's own settings file says reaches the run, and the real environment wins over it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steelyard import RunOptions, open_session
from steelyard.testing.fake_api import FakeAPI

FILE_KEY = "sk-from-the-file-0123456789"
REAL_KEY = "sk-from-the-environment-0123"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    settings = {"default_provider": "openai", "openai_api_key": FILE_KEY, "results_dir": "kept"}
    (tmp_path / ".evalrc.json").write_text(json.dumps(settings), encoding="utf-8")
    cases = [{"id": "a", "prompt": "Say ok", "criteria": [{"type": "contains", "value": "ok"}]}]
    path = tmp_path / "suite.json"
    path.write_text(json.dumps({"name": "Eval", "model": "gpt-4o-mini", "cases": cases}), encoding="utf-8")
    return path


@pytest.mark.parametrize(("environ", "wanted"), [({}, FILE_KEY), ({"OPENAI_API_KEY": REAL_KEY}, REAL_KEY)])
def test_a_key_of_the_file_is_used_unless_the_environment_has_one(
    suite: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], wanted: str
) -> None:
    monkeypatch.chdir(suite.parent)
    with FakeAPI() as api:
        session = open_session(cwd=suite.parent, environ={"OPENAI_BASE_URL": f"{api.origin}/v1", **environ})
        record = session.run(suite, RunOptions(quiet=True))
        assert api.requests[-1].headers["authorization"] == f"Bearer {wanted}"
    assert record.results[0].passed == 1
    for path in (suite.parent / "kept").iterdir():
        assert wanted not in path.read_text(encoding="utf-8")


def test_results_go_where_the_file_says_unless_a_setting_from_above_says_otherwise(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.parent)
    folders = []
    with FakeAPI() as api:
        environ = {"OPENAI_BASE_URL": f"{api.origin}/v1"}
        for more in ({}, {"STEELYARD_RESULTS_DIR": "elsewhere"}):
            session = open_session(cwd=suite.parent, environ={**environ, **more})
            record = session.run(suite, RunOptions(quiet=True))
            folders.append(session.store().folder)
            # What lists runs looks where they are.
            assert session.history().run(record.run_id).record == record
        (suite.parent / "steelyard.yaml").write_text("results_dir: ours", encoding="utf-8")
        session = open_session(cwd=suite.parent, environ=environ)
        session.run(suite, RunOptions(quiet=True))
        folders.append(session.store().folder)
    assert folders == [suite.parent / name for name in ("kept", "elsewhere", "ours")]
    assert [len(list(folder.glob("*.json"))) for folder in folders] == [1, 1, 1]


def test_every_suite_in_its_folder_has_the_same_results_and_keys(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite.parent)
    native = suite.with_name("native.json")
    case = {"id": "a", "expected_output": "ok", "evaluation": "exact_match"}
    prompt = {"id": "p", "template": "Say ok"}
    native.write_text(
        json.dumps({"name": "Native", "models": ["openai:gpt-4o-mini"], "prompts": [prompt], "test_cases": [case]}),
        encoding="utf-8",
    )
    with FakeAPI() as api:
        session = open_session(cwd=suite.parent, environ={"OPENAI_BASE_URL": f"{api.origin}/v1"})
        record = session.run(native, RunOptions(quiet=True))
        assert api.requests[-1].headers["authorization"] == f"Bearer {FILE_KEY}"
    assert (suite.parent / "kept" / f"{record.run_id}.json").is_file()
    keys = {key.name: (key.source, key.is_set) for key in session.providers.key_sources()}
    assert keys["openai"] == ("OPENAI_API_KEY", True)
    assert keys["gemini"] == ("GEMINI_API_KEY", False)
    assert session.providers.defaults == {"eval": "openai"}
    # Who answers for a native file's models is for our own settings to say.
    assert session.providers.default == "openrouter"


def test_beside_a_suite_elsewhere_it_says_nothing_of_results(suite: Path, tmp_path: Path) -> None:
    said: list[str] = []
    here = tmp_path / "here"
    here.mkdir()
    with FakeAPI() as api:
        session = open_session(cwd=here, environ={"OPENAI_BASE_URL": f"{api.origin}/v1"}, warn=said.append)
        record = session.run(suite, RunOptions(quiet=True))
        assert api.requests[-1].headers["authorization"] == f"Bearer {FILE_KEY}"
    assert (here / "results" / f"{record.run_id}.json").is_file()
    assert [line for line in said if "results_dir" in line and "counts only in the folder that one runs in" in line]


@pytest.mark.parametrize(
    ("text", "word"), [("{", "not valid JSON"), ('{"results_dir": 3}', "must be text, got 3"), ("[]", "mapping")]
)
def test_a_file_that_is_wrong_is_named_and_stops_nothing_but_suites_of_its_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".evalrc.json").write_text(text, encoding="utf-8")
    said: list[str] = []

    session = open_session(cwd=tmp_path, environ={}, warn=said.append)

    assert session.store().folder == tmp_path / "results"
    assert len(said) == 1
    assert ".evalrc.json" in said[0]
    assert word in said[0]


def test_where_there_is_no_such_file_no_plugin_is_loaded_to_find_the_results(tmp_path: Path) -> None:
    (tmp_path / ".babelrc").write_text("{}", encoding="utf-8")  # one that no format knows
    with_file = open_session(cwd=tmp_path, environ={})
    (tmp_path / ".babelrc").unlink()
    without = open_session(cwd=tmp_path, environ={})

    assert with_file.store().folder == without.store().folder == tmp_path / "results"
    assert "_host" in vars(with_file)
    assert "_host" not in vars(without)
