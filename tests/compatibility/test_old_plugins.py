"""Plugins that were written against an older version go on working: their own tests pass, and runs use them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

VERSIONS = Path(__file__).parent / "fixtures"
KINDS = ("scorer", "provider", "reporter", "cache", "format", "command")
PLUGINS = [pytest.param(folder, id=f"{folder.parent.name}-{folder.name}") for folder in sorted(VERSIONS.glob("*/*"))]


@pytest.fixture
def installed(tmp_path: Path):
    """Leave a package and its metadata in a folder, as pip would, and return how to start Python with it."""

    def install(package: Path):
        project = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]
        site, desk = tmp_path / "site", tmp_path / "desk"
        shutil.copytree(package / "src", site)
        info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir()
        head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        (info / "METADATA").write_text(head, "utf-8")
        groups = (
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        )
        (info / "entry_points.txt").write_text("\n".join(groups), "utf-8")
        desk.mkdir()
        shutil.copy(package / "example.yaml", desk)
        shutil.copytree(package / "tests", desk / "tests")

        def python(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, *arguments],
                cwd=desk,
                env={**os.environ, "PYTHONPATH": str(site), "PYTHONUTF8": "1", "PYTEST_ADDOPTS": ""},
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=80,
                check=False,
            )

        return python

    return install


def test_each_version_left_a_plugin_of_every_kind() -> None:
    versions = {folder.name: {one.name for one in folder.iterdir()} for folder in VERSIONS.iterdir()}

    assert versions
    for found in versions.values():
        assert found == {f"steelyard-old-{kind}" for kind in KINDS}


@pytest.mark.parametrize("package", PLUGINS)
def test_the_tests_that_came_with_it_still_pass(package: Path, installed) -> None:
    done = installed(package)("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "tests")

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("package", PLUGINS)
def test_it_is_in_use_and_nothing_is_said_against_it(package: Path, installed) -> None:
    done = installed(package)("-m", "steelyard", "plugins", "--format", "json")

    (found,) = [one for one in json.loads(done.stdout) if one["distribution"] == package.name]
    assert (found["state"], done.stderr) == ("ok", ""), found


@pytest.mark.parametrize("package", PLUGINS)
def test_its_example_runs(package: Path, installed) -> None:
    python = installed(package)
    kind = package.name.rpartition("-")[2]
    # The provider's server is not there: its example is checked, but asks nobody.
    does = ["validate"] if kind == "provider" else ["run", *(["-o", "old_reporter:report.txt"] * (kind == "reporter"))]

    done = python("-m", "steelyard", *does, "example.yaml")

    assert done.returncode == 0, done.stdout + done.stderr
