"""Plugins that lie beside a suite: which files they are, and whether they may be run.

They are code that comes with a file. Whoever runs a suite in the folder that holds it has chosen that folder; for a
suite from elsewhere the user has to say so.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .._host.local_files import files_in

FOLDERS = ("scorers", "graders")
_SCRIPTS = frozenset({".js", ".cjs", ".mjs", ".ts"})
"""Endings of what other tools run."""
_MOST_READ = 100_000


def local_files(suite: Path, *, work_dir: Path, allowed: bool, warn: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the plugin files beside a suite that may be run.

    Args:
        suite: The suite's file.
        work_dir: The folder that the user is in.
        allowed: Whether the user has said that they may be run wherever they lie.
        warn: Hears which files are left alone, and how to have them.
    """
    folder = suite.parent
    files = tuple(path for name in FOLDERS for path in files_in(folder / name))
    if not files or allowed or work_dir.resolve().is_relative_to((work_dir / folder).resolve()):
        return files
    warn(
        f"{folder}: {len(files)} local plugin file(s) there are not loaded, because you are not in that folder; "
        "to run their code: --local-plugins"
    )
    return ()


def not_run(folder: Path, scorer: str) -> str:
    """Say which script beside a suite seems to be a scorer, as other tools have them; empty when there is none."""
    for name in FOLDERS:
        for path in sorted(folder.glob(f"{name}/*")):
            if path.suffix.lower() in _SCRIPTS and (path.stem == scorer or _names(path, scorer)):
                return (
                    f"{path} is there and is not run; write it in Python, as {path.with_suffix('.py').name} beside it"
                )
    return ""


def _names(path: Path, scorer: str) -> bool:
    """Whether a script has the name of a scorer between quotes."""
    try:
        with path.open(encoding="utf-8", errors="replace") as script:
            text = script.read(_MOST_READ)
    except OSError:
        return False
    return any(f"{quote}{scorer}{quote}" in text for quote in "'\"`")
