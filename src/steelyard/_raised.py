"""Where in a plugin an exception was raised, so that its author need not hunt for it."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

_OURS: Final = str(Path(__file__).parent)
_STDLIB: Final = str(Path(traceback.__file__).parent)
_INSTALLED: Final = ("site-packages", "dist-packages")
"""Folders that may lie within that of the standard library, and are no part of it."""


def where_raised(error: BaseException) -> str:
    """Return `` (folder/file.py:12)``, the last line of the plugin's own code; empty when none of it took part.

    The code that the host called is the plugin's, and so is what lies beside it. What a library raised further in is
    shown where the plugin called it.
    """
    files = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    foreign = [(Path(file), line) for file, line in files if not _is_ours_or_pythons(file)]
    if not foreign:
        return ""
    home = foreign[0][0].parent
    file, line = [one for one in foreign if one[0].is_relative_to(home)][-1]
    return f" ({file.parent.name}/{file.name}:{line})" if file.parent.name else f" ({file.name}:{line})"


def _is_ours_or_pythons(file: str) -> bool:
    if file.startswith("<"):
        return True
    if file.startswith(_STDLIB):
        return not any(name in file for name in _INSTALLED)
    return file.startswith(_OURS)
