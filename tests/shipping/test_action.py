"""The GitHub Action's script, run as the runner would run it: with inputs as variables, and files to write to."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="the script is for bash")

GATE = """
name: gate
quality_threshold: 50
models: [{id: yes-sayer, provider: mock, default: "yes"}]
prompts: [{id: p, template: "{{ q }}"}]
test_cases:
  - {id: right, variables: {q: a}, expected_output: "yes", evaluation: exact_match, tags: [smoke]}
  - {id: wrong, variables: {q: b}, expected_output: "no", evaluation: exact_match}
"""


@pytest.fixture
def script(root):
    return root / ".github" / "actions" / "steelyard" / "run.sh"


@pytest.fixture
def action(script, tmp_path):
    """Run the script as a step; returns the exit code, what it printed, its outputs and the job's summary."""
    (tmp_path / "gate.yaml").write_text(GATE, encoding="utf-8")

    def step(what="run", *, path=str(Path(sys.executable).parent), more=(), **inputs):
        files = {name: tmp_path / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        environ = {
            "PATH": os.pathsep.join((path, "/usr/bin", "/bin")),
            "HOME": str(tmp_path),
            "RUNNER_TEMP": str(tmp_path / "runner"),
            "PYTHONUTF8": "1",
            **{name: str(file) for name, file in files.items()},
            **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
            **dict(more),
        }
        done = subprocess.run(
            ["bash", str(script), what],
            cwd=tmp_path,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        text = {name: file.read_text("utf-8") for name, file in files.items()}
        outputs = dict(line.split("=", 1) for line in text["GITHUB_OUTPUT"].splitlines())
        return done.returncode, done.stdout, outputs, text

    return step


def test_a_run_writes_its_reports_its_outputs_and_the_summary(action, tmp_path):
    code, printed, outputs, text = action(suite="gate.yaml")

    assert code == 0, printed
    assert outputs == {
        "passed": "1",
        "total": "2",
        "pass-rate": "0.5",
        "ok": "true",
        "results-file": "steelyard-results/results.json",
    }
    folder = tmp_path / "steelyard-results"
    assert json.loads((folder / "results.json").read_text("utf-8"))["benchmark"] == "gate"
    assert "<testsuite " in (folder / "junit.xml").read_text("utf-8")
    assert json.loads((folder / "badge.json").read_text("utf-8"))["message"] == "1/2 passed"
    assert text["GITHUB_STEP_SUMMARY"] == (folder / "summary.md").read_text("utf-8") != ""


def test_a_missed_gate_fails_the_step_after_everything_is_written(action):
    code, _, outputs, text = action(suite="gate.yaml", fail_under="0.9", output_dir="out/of the way")

    assert code == 1
    assert (outputs["ok"], outputs["passed"]) == ("false", "1")
    assert outputs["results-file"] == "out/of the way/results.json"
    assert "gate" in text["GITHUB_STEP_SUMMARY"]


@pytest.mark.parametrize("suite", ["missing.yaml", "$(touch planted)", "gate.yaml; touch planted"])
def test_a_suite_that_cannot_be_run_has_outputs_too(action, suite, tmp_path):
    code, printed, outputs, _ = action(suite=suite)

    assert code != 0
    assert suite in printed
    assert outputs == {"passed": "", "total": "", "pass-rate": "", "ok": "false", "results-file": ""}
    assert not (tmp_path / "planted").exists()


def test_reports_of_an_earlier_step_are_not_taken_for_this_run_s(action):
    action(suite="gate.yaml")

    code, _, outputs, text = action(suite="missing.yaml")

    assert (code, outputs["ok"], outputs["results-file"], text["GITHUB_STEP_SUMMARY"]) == (1, "false", "", "")


def test_a_drop_against_the_baseline_fails_unless_it_is_allowed(action, tmp_path):
    action(suite="gate.yaml", output_dir="before")
    worse = GATE.replace("threshold: 50", "threshold: 0").replace('default: "yes"', 'default: "maybe"')
    (tmp_path / "gate.yaml").write_text(worse, encoding="utf-8")
    baseline = {"suite": "gate.yaml", "baseline": "before/results.json"}

    assert action(**baseline)[0] == 1
    assert action(**baseline)[2]["ok"] == "false"
    assert action(**baseline, threshold="0.6")[0] == 0
    assert action(**baseline, threshold="60")[0] == 0
    assert action(**baseline, threshold="1")[0] == 1
    assert action(**baseline, threshold="0.6", strict="true")[0] == 1


def test_a_baseline_among_the_reports_is_compared_with_and_then_replaced(action, tmp_path):
    assert action(suite="gate.yaml")[0] == 0
    before = (tmp_path / "steelyard-results" / "results.json").read_bytes()
    (tmp_path / "gate.yaml").write_text(GATE.replace('default: "yes"', 'default: "nein"'), encoding="utf-8")

    code, printed, outputs, _ = action(suite="gate.yaml", baseline="./steelyard-results/results.json", fail_under="0")

    assert (code, outputs["passed"]) == (1, "0"), printed
    assert "the pass rate fell by 50.0 points" in printed
    assert (tmp_path / "steelyard-results" / "results.json").read_bytes() != before


@pytest.mark.parametrize("inputs", [{"suite": "none.yaml"}, {"suite": "gate.yaml", "threshold": "-1"}])
def test_a_baseline_among_the_reports_is_still_there_after_a_run_that_wrote_none(action, tmp_path, inputs):
    action(suite="gate.yaml")
    before = (tmp_path / "steelyard-results" / "results.json").read_bytes()

    assert action(baseline="steelyard-results/results.json", **inputs)[0] != 0
    assert (tmp_path / "steelyard-results" / "results.json").read_bytes() == before


def test_further_arguments_are_split_as_a_shell_does_and_never_run(action, tmp_path):
    code, printed, outputs, _ = action(suite="gate.yaml", args="--tag smoke -k 'right' --seed 3")

    assert (code, outputs["passed"], outputs["total"]) == (0, "1", "1"), printed
    assert json.loads((tmp_path / "steelyard-results" / "results.json").read_text("utf-8"))["seed"] == 3
    code, printed, _, _ = action(suite="gate.yaml", args="-k '$(touch planted) `touch planted` * ;'")
    assert code != 0
    assert not (tmp_path / "planted").exists()


def test_the_summary_can_be_left_out(action):
    assert action(suite="gate.yaml", job_summary="False")[3]["GITHUB_STEP_SUMMARY"] == ""


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"suite": ""}, "::error::input suite is required"),
        ({"strict": "maybe"}, "::error::input strict must be true or false, got 'maybe'"),
        ({"job_summary": "si"}, "::error::input job-summary must be true or false, got 'si'"),
        (
            {"fail_under": "high"},
            "::error::input fail-under: must be a share from 0 to 1 or a number up to 100, got 'high'",
        ),
        ({"fail_under": "101"}, "::error::input fail-under: must be"),
        ({"fail_under": "nan"}, "::error::input fail-under: must be"),
        ({"baseline": "x.json", "threshold": "-1"}, "::error::input threshold: must be a share below 1"),
        ({"args": "-k 'x"}, "::error::input args: no closing quotation"),
    ],
)
def test_a_wrong_input_is_told_before_anything_runs(action, inputs, said, tmp_path):
    code, printed, outputs, _ = action(**{"suite": "gate.yaml", **inputs})

    assert code == 2
    assert said in printed
    assert outputs == {}
    assert not (tmp_path / "steelyard-results" / "results.json").exists()


def test_installing_makes_a_place_of_its_own_and_puts_it_on_the_path(action, wheel, tmp_path):
    offline = {
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        # What steelyard needs is taken from here, since nothing can be fetched.
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }

    code, printed, _, text = action("install", install=str(wheel), more=offline)

    assert code == 0, printed
    added = text["GITHUB_PATH"].strip()
    assert Path(added).is_relative_to(tmp_path / "runner")
    assert action(suite="gate.yaml", path=added, more=offline)[2]["ok"] == "true"


def test_a_python_that_is_too_old_is_told(action, tmp_path):
    old = tmp_path / "old" / "python3"
    old.parent.mkdir()
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.10"\nexit 1\n', encoding="utf-8")
    old.chmod(0o755)

    code, printed, _, _ = action("install", path=str(old.parent))

    assert code == 2
    assert "::error::steelyard needs Python 3.11 or newer, found Python 3.8.10; set the input python-version" in printed


@pytest.fixture
def values(root):
    path = root / ".github" / "actions" / "steelyard" / "values.py"
    spec = importlib.util.spec_from_file_location("action_values", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("value", "percent", "points"),
    [
        ("0", "0", "0"),
        ("0.05", "5", "5"),
        ("0.85", "85", "85"),
        ("1", "100", "1"),
        ("2.5", "2.5", "2.5"),
        ("100", "100", "100"),
    ],
)
def test_shares_and_hundredths_are_told_apart_by_their_size(values, value, percent, points):
    assert (values.percent(value), values.points(value)) == (percent, points)
