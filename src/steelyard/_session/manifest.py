"""What it takes to do a run again: which file, which versions, which commit."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

from ..api import Benchmark, JsonMapping, JsonValue


def manifest(benchmark: Benchmark, version: str) -> JsonMapping:
    """Return the file's name and hash, the versions, and the git commit with whether the folder was changed since."""
    facts: dict[str, JsonValue] = {
        "file": str(benchmark.path) if benchmark.path else None,
        "file_sha256": benchmark.digest or None,
        "steelyard": version,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "git_commit": None,
        "git_dirty": None,
    }
    folder = benchmark.base_dir
    commit = _git(folder, "rev-parse", "HEAD")
    if commit:
        facts["git_commit"] = commit
        facts["git_dirty"] = bool(_git(folder, "status", "--porcelain", "--untracked-files=no"))
    return facts


def _git(folder: Path, *arguments: str) -> str:
    """Return what git says, or nothing where there is no git, no repository, or no answer in good time."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=2,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
