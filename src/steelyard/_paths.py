"""Where steelyard keeps things, and what it calls the files of a run."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

import platformdirs

CACHE_DIR = ".steelyard_cache"
"""The response cache, in the folder that one runs in."""
RESULTS_DIR = "results"
"""Records and reports, in the folder that one runs in."""
SETTINGS_FILE = "settings.yaml"
"""The user's settings, in :func:`user_config_dir`."""
RECORD_SUFFIX = ".json"
JOURNAL_SUFFIX = ".journal.jsonl"

_SLUG_LENGTH = 60
_NO_NAME = "benchmark"
# Windows opens the device whatever ending follows the name.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)}
)


def user_config_dir() -> Path:
    """Return the folder of the user's own settings. It may not exist."""
    return platformdirs.user_config_path("steelyard", appauthor=False)


def slug(name: str) -> str:
    """Return a benchmark's name as part of a file name: legal on every system, at most 60 characters, never empty.

    Lower case, each run of other characters than ASCII letters and digits a ``-``.
    """
    text = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG_LENGTH].rstrip("-")
    return f"{text}-{_NO_NAME}" if text in _DEVICES else text or _NO_NAME


def run_id(benchmark: str, started: datetime, attempt: int = 1) -> str:
    """Return ``YYYY-MM-DD_HHMMSS_<slug>``, with ``-2``, ``-3`` … for further attempts at a free one."""
    suffix = "" if attempt == 1 else f"-{attempt}"
    return f"{started:%Y-%m-%d_%H%M%S}_{slug(benchmark)}{suffix}"


def record_path(folder: Path, run: str) -> Path:
    """Return where the record of a run is stored."""
    return folder / (run + RECORD_SUFFIX)


def journal_path(folder: Path, run: str) -> Path:
    """Return where the finished cases of a run in progress are kept."""
    return folder / (run + JOURNAL_SUFFIX)


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, or would if there were one."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.normcase(one.resolve()) == os.path.normcase(other.resolve())
