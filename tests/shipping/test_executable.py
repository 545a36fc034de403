"""What the standalone executable is built of; packaging/pyinstaller/build.py builds it, and proves the rest."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

EXECUTABLE = os.environ.get("STEELYARD_EXECUTABLE")


def module(root, name):
    path = root / "packaging" / "pyinstaller" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_programs_that_the_executable_starts_get_the_environment_that_it_was_given(root, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/tmp/_MEI1")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/opt/lib")
    monkeypatch.setenv("DYLD_LIBRARY_PATH", "/tmp/_MEI1")

    module(root, "entry").give_back_environment()

    assert os.environ["LD_LIBRARY_PATH"] == "/opt/lib"
    assert "LD_LIBRARY_PATH_ORIG" not in os.environ
    assert "DYLD_LIBRARY_PATH" not in os.environ


def test_python_itself_keeps_its_environment(root, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")

    module(root, "entry").give_back_environment()

    assert os.environ["LD_LIBRARY_PATH"] == "/opt/lib"


def test_the_recipe_takes_metadata_and_modules_of_both_packages(root):
    recipe = (root / "packaging" / "pyinstaller" / "steelyard.spec").read_text("utf-8")

    compile(recipe, "steelyard.spec", "exec")
    assert 'for name in ("steelyard", "steelyard_builtins"):' in recipe
    assert "copy_metadata(name)" in recipe


@pytest.mark.skipif(os.name == "nt", reason="the executable of this test is a shell script")
def test_the_proof_refuses_an_executable_that_finds_no_plugins(root, tmp_path):
    fake = tmp_path / "steelyard"
    fake.write_text("#!/bin/sh\necho 'PLUGIN  DISTRIBUTION'\n", encoding="utf-8")
    fake.chmod(0o755)

    with pytest.raises(SystemExit, match=r"plugins are missing or broken: .*mock"):
        module(root, "build").prove(fake, tmp_path / "try")


@pytest.mark.skipif(EXECUTABLE is None, reason="STEELYARD_EXECUTABLE names no executable to try")
def test_an_executable_does_what_it_has_to(root, tmp_path):
    module(root, "build").prove(Path(EXECUTABLE).resolve(), tmp_path / "try")
