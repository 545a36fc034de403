"""Whether any installed distribution mentions an entry-point group: a look that spares a slow import.

``steelyard --help`` has to know the commands of plugins, and most users have none. Reading the files takes 1 ms;
importing importlib.metadata takes 25, as long as everything else that ``--help`` does. Errs on the side of yes: where
the path holds anything but plain folders, importlib.metadata has to look.
"""

# ruff: noqa: PTH118, PTH123, PTH208
# By os.path, since importing pathlib would cost a good part of what is saved here.
from __future__ import annotations

import os
import sys


def any_mentions(group: str) -> bool:
    """Whether a distribution on ``sys.path`` may declare an entry point in ``group``."""
    if any(hasattr(finder, "find_distributions") and not _is_path_finder(finder) for finder in sys.meta_path):
        return True
    section = f"[{group}]".encode()
    return any(_mentioned_in(folder or os.curdir, section) for folder in sys.path)


def _is_path_finder(finder: object) -> bool:
    return getattr(finder, "__name__", "") == "PathFinder"


def _mentioned_in(folder: str, section: bytes) -> bool:
    if folder.endswith(".egg"):
        return True
    try:
        names = os.listdir(folder)
    except NotADirectoryError:
        return True
    except OSError:
        return False
    infos = (os.path.join(folder, name) for name in names if name.endswith((".dist-info", ".egg-info")))
    return any(section in _content(os.path.join(info, "entry_points.txt")) for info in infos)


def _content(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        return b""
