"""Where the code is, for tests that read it rather than run it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def api_dump():
    """The script that writes the page of public names."""
    spec = importlib.util.spec_from_file_location("api_dump", ROOT / "docs" / "build" / "api_dump.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["api_dump"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def python(tmp_path):
    """Run a new interpreter in an empty folder, with built-ins importable and warnings as errors."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("STEELYARD_", "PYTHON"))}
        environ |= {"PYTHONIOENCODING": "utf-8", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        command = [sys.executable, "-W", "error", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", env=environ, cwd=tmp_path, check=False
        )

    return run
