"""The lock of what the checks run with: it pins all that the project asks for, as it asks for it."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements" / "ci.txt").read_text(encoding="utf-8")
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
PINS = {found[1]: (found[2], found[0]) for found in PIN.finditer(LOCK)}
WANTED = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


@pytest.mark.parametrize("wanted", sorted(set(WANTED)))
def test_every_dependency_is_pinned_to_a_version_that_is_allowed(wanted: str) -> None:
    name, bounds = re.match(r"([\w.-]+)(.*)", wanted).groups()  # type: ignore[union-attr]
    version, _whole = PINS[re.sub(r"[-_.]+", "-", name).lower()]
    for sign, bound in re.findall(r"(>=|<)([\d.]+)", bounds):
        assert (numbers(version) >= numbers(bound)) == (sign == ">="), f"{name} {version}"


def test_every_pin_has_its_hashes_and_no_place_of_this_machine() -> None:
    assert len(PINS) > len(set(WANTED))
    assert [name for name, (_version, whole) in PINS.items() if "--hash=sha256:" not in whole] == []
    assert "file:" not in LOCK
    assert "index-url" not in LOCK.replace("--no-emit-index-url", "")


@pytest.mark.skipif(shutil.which("sed") is None, reason="this system has no sed")
def test_the_checks_install_the_versions_of_the_lock_and_leave_its_hashes_out() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (command,) = re.findall(r"^(sed .* requirements/ci\.txt) >", script, re.MULTILINE)
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines() == [f"{name}=={version}" for name, (version, _whole) in PINS.items()]
    assert script.index("PIP_CONSTRAINT") < script.index("README")


def test_known_holes_in_what_is_pinned_are_looked_for_regularly() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "audit.yml").read_text(encoding="utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["dependencies"]["steps"]]
    assert any("pip-audit" in step and "requirements/ci.txt" in step for step in steps)
    # YAML 1.1 reads the key "on" as true.
    assert "schedule" in workflow[True]
