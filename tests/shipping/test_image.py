"""The Dockerfile, as far as it can be tried without Docker."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile

import pytest


@pytest.fixture
def instructions(root):
    """The instructions of the Dockerfile, continued lines joined."""
    text = (root / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line.strip()]


def copied(instructions):
    """What is copied out of the context."""
    words = [rest.split() for name, rest in instructions if name == "COPY"]
    return [path for line in words for path in line[:-1] if not path.startswith("--")]


def test_everything_that_is_copied_is_there_and_reaches_the_builder(instructions, root):
    ignored = (root / ".dockerignore").read_text("utf-8").splitlines()
    let_through = {line[1:] for line in ignored if line.startswith("!")}

    assert "*" in ignored
    assert set(copied(instructions)) == let_through
    assert [path for path in let_through if not (root / path).exists()] == []


def test_what_is_copied_is_enough_to_build_the_wheel(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert "steelyard/cli/__init__.py" in names
    assert "steelyard_builtins/providers/mock.py" in names


def test_the_command_runs_as_nobody_special_where_the_starter_is(instructions):
    last = {name: rest for name, rest in instructions if name in {"USER", "WORKDIR", "ENTRYPOINT", "CMD"}}

    assert last == {"USER": "1000", "WORKDIR": "/work", "ENTRYPOINT": '["steelyard"]', "CMD": '["run"]'}
    assert any(name == "COPY" and rest.endswith("/work/benchmarks/quickstart.yaml") for name, rest in instructions)


def test_the_starter_is_the_one_that_runs_when_no_file_is_named(root, tmp_path):
    # What the image runs: `steelyard run` in a folder that holds benchmarks/quickstart.yaml and nothing else.
    (tmp_path / "benchmarks").mkdir()
    shutil.copy2(root / "benchmarks" / "quickstart.yaml", tmp_path / "benchmarks")

    command = [sys.executable, "-m", "steelyard", "run", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)

    assert (done.returncode, done.stdout.strip()) == (0, "PASS: best score meets quality_threshold (80)."), done.stderr


def test_base_images_have_a_version(instructions):
    images = [rest.split()[0] for name, rest in instructions if name == "FROM"]

    assert len(set(images)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", images[0])


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_the_linter_of_dockerfiles_has_nothing_to_say(root):
    done = subprocess.run(["hadolint", str(root / "Dockerfile")], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
