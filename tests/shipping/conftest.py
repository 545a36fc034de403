"""What goes to users by other ways than the source: the action, the image, the workflows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def image_context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the Dockerfile copies into its build stage, and no others."""
    context = tmp_path_factory.mktemp("context")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, context / name)
    for name in ("src", "plugins/builtins"):
        shutil.copytree(ROOT / name, context / name, ignore=shutil.ignore_patterns("__pycache__"))
    return context


@pytest.fixture(scope="session")
def wheel(image_context: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is built of these files, without the network."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", "--wheel-dir", str(folder), str(image_context)],
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built
