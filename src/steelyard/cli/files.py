"""Which benchmark files a command works on, when the user names them and when not."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ..errors import UsageError
from .output import print_note

_FOLDER: Final = Path("benchmarks")
_FIRST_CHOICE: Final = "exact_match_classification.yaml"
"""The example that stands for all others where several files lie together."""


def benchmark_files(named: Sequence[Path]) -> list[Path]:
    """Return the files that the user names, or the one that goes without saying.

    A name with ``*``, ``?`` or ``[]`` that is no file stands for all files that it matches; some shells leave it to the
    program. Raises ``UsageError`` when nothing matches, and when no file is named and none suggests itself.
    """
    if named:
        return [path for name in named for path in _matching(name)]
    chosen = _obvious()
    print_note(f"Using {chosen}")
    return [chosen]


def _matching(name: Path) -> list[Path]:
    if not glob.has_magic(str(name)) or name.exists():
        return [name]
    found = [Path(path) for path in sorted(glob.glob(str(name), recursive=True))]  # noqa: PTH207 - absolute ones too
    if not found:
        raise UsageError(f"{name}: no file matches")
    return found


def _obvious() -> Path:
    found = sorted(path for pattern in ("*.yaml", "*.yml") for path in _FOLDER.glob(pattern) if path.is_file())
    if not found:
        raise UsageError(f"{_FOLDER}/: no benchmark there; name a file, or write a first one with: steelyard init")
    if len(found) == 1:
        return found[0]
    preferred = _FOLDER / _FIRST_CHOICE
    if preferred in found:
        return preferred
    raise UsageError(f"{_FOLDER}/: {len(found)} benchmarks there; name one: {', '.join(map(str, found))}")
