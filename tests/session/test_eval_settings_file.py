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
    with FakeAPI() as api:
        environ = {"OPENAI_BASE_URL": f"{api.origin}/v1"}
        open_session(cwd=suite.parent, environ=environ).run(suite, RunOptions(quiet=True))
        assert len(list((suite.parent / "kept").glob("*.json"))) == 1
        environ["STEELYARD_RESULTS_DIR"] = "elsewhere"
        open_session(cwd=suite.parent, environ=environ).run(suite, RunOptions(quiet=True))
    assert len(list((suite.parent / "elsewhere").glob("*.json"))) == 1
