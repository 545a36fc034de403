"""The YAML files under .github: each is read, and what one of them uses of another is there."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

ACTION = "./.github/actions/steelyard"
EVALKIT_INPUTS = {
    "suite", "baseline", "threshold", "strict", "fail-under", "output-dir", "args", "python-version", "install",
    "job-summary",
}  # fmt: skip
EVALKIT_OUTPUTS = {"passed", "total", "pass-rate", "ok", "results-file"}


@pytest.fixture
def action(root):
    return yaml.safe_load((root / ACTION / "action.yml").read_text("utf-8"))


@pytest.fixture
def workflows(root):
    return {path.name: yaml.safe_load(path.read_text("utf-8")) for path in (root / ".github/workflows").glob("*.yml")}


def steps_of(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def expressions(value):
    """Every ``${{ … }}`` and bare ``if`` in a tree."""
    if isinstance(value, dict):
        return [found for inside in value.values() for found in expressions(inside)]
    if isinstance(value, list):
        return [found for inside in value for found in expressions(inside)]
    return re.findall(r"\$\{\{\s*(.+?)\s*\}\}", value) if isinstance(value, str) else []


def test_the_action_has_the_inputs_and_outputs_of_evalkit_s(action):
    assert set(action["inputs"]) == EVALKIT_INPUTS
    assert set(action["outputs"]) == EVALKIT_OUTPUTS
    assert [name for name, entry in action["inputs"].items() if entry.get("required")] == ["suite"]
    assert all(isinstance(entry.get("default", ""), str) for entry in action["inputs"].values())


def test_every_input_of_the_action_is_used_and_none_stands_in_a_script(action):
    steps = action["runs"]["steps"]
    used = {name for found in expressions(steps) for name in re.findall(r"inputs\.([\w-]+)", found)}
    conditions = {name for step in steps for name in re.findall(r"inputs\.([\w-]+)", step.get("if", ""))}

    assert used | conditions == EVALKIT_INPUTS
    assert not any("${{" in step.get("run", "") for step in steps)


def test_the_script_reads_every_variable_that_the_action_sets(action, root):
    script = (root / ACTION / "run.sh").read_text("utf-8")
    set_by_action = {name for step in action["runs"]["steps"] for name in step.get("env", {})}

    assert set_by_action == set(re.findall(r"\bINPUT_[A-Z_]+\b", script))


def test_every_output_comes_from_a_step_that_writes_it(action, root):
    script = (root / ACTION / "values.py").read_text("utf-8")
    ids = {step["id"] for step in action["runs"]["steps"] if "id" in step}

    for name, output in action["outputs"].items():
        (step, key) = re.fullmatch(r"\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}", output["value"]).groups()
        assert step in ids
        assert key == name
        assert f'"{name}":' in script


def test_workflows_use_only_inputs_and_outputs_that_the_action_has(workflows):
    uses = 0
    for workflow in workflows.values():
        for job in workflow["jobs"].values():
            ours = {step.get("id") for step in job["steps"] if step.get("uses") == ACTION}
            for step in job["steps"]:
                if step.get("uses") == ACTION:
                    uses += 1
                    assert set(step["with"]) <= EVALKIT_INPUTS
                    assert "suite" in step["with"]
            for found in expressions(job):
                read = re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", found)
                if read:
                    assert read[1] in ours
                    assert read[2] in EVALKIT_OUTPUTS
    assert uses


def test_jobs_need_jobs_that_are_there_and_rights_are_asked_for_by_name(workflows):
    for workflow in workflows.values():
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert set(job.get("needs", ())) <= set(workflow["jobs"])


def test_files_that_workflows_name_are_there(workflows, root):
    named = {
        path
        for workflow in workflows.values()
        for step in steps_of(workflow)
        for text in [step.get("run", ""), str(step.get("with", {}).get("suite", ""))]
        for path in re.findall(r"(?:^|\s)((?:\.ci|packaging|benchmarks)/[\w./-]+)", text)
    }

    assert {".ci/run", "packaging/pyinstaller/build.py", "benchmarks/quickstart.yaml"} <= named
    assert [path for path in named if not (root / path).exists()] == []


def test_a_release_has_an_executable_for_each_platform_and_checksums_of_everything(workflows):
    jobs = workflows["release.yml"]["jobs"]
    names = {entry["name"] for entry in jobs["executable"]["strategy"]["matrix"]["include"]}
    script = "\n".join(step.get("run", "") for step in jobs["publish"]["steps"])

    assert names == {
        "steelyard-linux-x64", "steelyard-linux-arm64", "steelyard-macos-arm64", "steelyard-macos-x64",
        "steelyard-windows-x64.exe",
    }  # fmt: skip
    assert {"python", "executable"} <= set(jobs["publish"]["needs"])
    assert "sha256sum -- * > SHA256SUMS" in script


def test_no_action_of_others_is_used_without_a_version(workflows, action):
    used = [step["uses"] for workflow in workflows.values() for step in steps_of(workflow) if "uses" in step]
    used += [step["uses"] for step in action["runs"]["steps"] if "uses" in step]

    assert [name for name in used if name != ACTION and not re.fullmatch(r"actions/[\w-]+@v\d+", name)] == []


def test_the_python_versions_that_are_checked_are_those_that_are_promised(workflows, root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    promised = [line.rsplit(" ", 1)[1] for line in project["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]

    assert workflows["ci.yml"]["jobs"]["checks"]["strategy"]["matrix"]["python"] == promised
