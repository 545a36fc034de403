"""A scorer of a distribution of its own, built as a wheel and installed by pip, judges a run of the command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DISTRIBUTION = Path(__file__).parents[2] / "plugins" / "steelyard-readability"

BENCHMARK = """
name: leaflets
models: [mock:echo]
prompts: [{id: p, template: "{{ text }}"}]
test_cases:
  - {id: easy, variables: {text: The cat sat on the mat.}, evaluation: readability, at_least: 60}
  - id: hard
    variables: {text: Notwithstanding institutional considerations.}
    scorers: [{type: readability, measure: grade, at_most: 8}]
"""


def run(*command, cwd, path=()):
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environ, capture_output=True, text=True, encoding="utf-8", check=False
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder into which pip has installed the wheel that it built."""
    folder = tmp_path_factory.mktemp("readability")
    source = shutil.copytree(DISTRIBUTION, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "dist"))
    target = ("--target", str(folder / "target"))
    offline = ("--no-deps", "--no-index", "--disable-pip-version-check")
    for arguments in (
        ("wheel", *offline, "--no-build-isolation", "--wheel-dir", str(folder), str(source)),
        ("install", *offline, "--find-links", str(folder), *target, "steelyard-readability"),
    ):
        done = run("-m", "pip", *arguments, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "target"


def test_an_installed_scorer_is_used_by_its_name_with_no_other_change(installed, tmp_path):
    (tmp_path / "leaflets.yaml").write_text(BENCHMARK, encoding="utf-8")

    done = run("-m", "steelyard", "run", "leaflets.yaml", "-o", "record.json", cwd=tmp_path, path=[installed])

    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads((tmp_path / "record.json").read_text("utf-8"))
    easy, hard = record["results"][0]["test_cases"]
    assert (easy["match_result"], hard["match_result"]) == (True, False)
    assert easy["scores"][0]["scorer"] == "readability"
    assert easy["scores"][0]["reason"].startswith("reading ease 116.1, wanted at least 60")
    assert {"name": "readability", "version": "0.1.0"}.items() <= {
        key: value for plugin in record["plugins"] if plugin["name"] == "readability" for key, value in plugin.items()
    }.items()


def test_without_the_distribution_the_name_is_refused_before_any_call(tmp_path):
    (tmp_path / "leaflets.yaml").write_text(BENCHMARK, encoding="utf-8")

    done = run("-m", "steelyard", "run", "leaflets.yaml", cwd=tmp_path)

    assert done.returncode == 1
    assert "readability" in done.stderr
    assert "Traceback" not in done.stderr


def test_its_wrong_options_are_told_with_their_place(installed, tmp_path):
    (tmp_path / "leaflets.yaml").write_text(BENCHMARK.replace("at_most: 8", "at_mots: 8"), encoding="utf-8")

    done = run("-m", "steelyard", "validate", "leaflets.yaml", cwd=tmp_path, path=[installed])

    assert done.returncode == 1
    assert "leaflets.yaml:9:" in done.stdout + done.stderr
    assert "did you mean 'at_most'?" in done.stdout + done.stderr
