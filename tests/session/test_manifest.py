"""What a record says about how to do its run again."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import steelyard

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run a benchmark of one case in ``folder``, and return its record as it was stored."""
    path = folder / "b.json"
    case = {"id": "a", "variables": {"q": "x"}, "expected_output": "x", "evaluation": "exact_match", "tags": ["t"]}
    file = {"name": "B", "models": ["mock:echo"], "prompts": [{"id": "p", "template": "{{ q }}"}], "test_cases": [case]}
    path.write_text(json.dumps(file), encoding="utf-8")
    monkeypatch.chdir(folder)
    record = steelyard.run(path, quiet=True, tags=["t"], cache=False)
    found: dict[str, Any] = json.loads((folder / "results" / f"{record.run_id}.json").read_text(encoding="utf-8"))
    return found


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return done.stdout.strip()


def test_the_file_is_told_by_its_hash_and_the_versions_and_filters_with_it(tmp_path, monkeypatch):
    record = stored(tmp_path, monkeypatch)
    manifest = record["manifest"]
    assert manifest["file_sha256"] == hashlib.sha256((tmp_path / "b.json").read_bytes()).hexdigest()
    assert Path(manifest["file"]).name == "b.json"
    assert manifest["python"] == platform.python_version()
    assert manifest["steelyard"] == record["steelyard_version"] == steelyard.__version__
    assert record["filters"] == {"tags": ["t"]}
    assert {plugin["name"] for plugin in record["plugins"]} >= {"exact_match", "mock"}


@needs_git
def test_the_commit_is_told_and_whether_the_folder_was_changed_since(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    (tmp_path / "notes.txt").write_text("one", encoding="utf-8")
    git(tmp_path, "add", "notes.txt")
    git(tmp_path, "commit", "-q", "-m", "one")
    clean = stored(tmp_path, monkeypatch)["manifest"]
    (tmp_path / "notes.txt").write_text("two", encoding="utf-8")
    changed = stored(tmp_path, monkeypatch)["manifest"]
    assert clean["git_commit"] == changed["git_commit"] == git(tmp_path, "rev-parse", "HEAD")
    assert (clean["git_dirty"], changed["git_dirty"]) == (False, True)


def test_a_folder_without_a_repository_has_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    manifest = stored(tmp_path, monkeypatch)["manifest"]
    assert (manifest["git_commit"], manifest["git_dirty"]) == (None, None)
