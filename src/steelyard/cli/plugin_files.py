"""The files of a new plugin: templates that lie beside this module, filled in and written all or not at all.

A template's name ends with ``.in``, so that no tool takes it for what it is going to be; ``MODULE`` in its path is the
import package, and a leading ``dot-`` a dot. ``<<word>>`` in its text is replaced; an unknown word is an error.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Final

from ..errors import UsageError

_TEMPLATES: Final = "plugin_template"
_SHARED: Final = "common"
_ENDING: Final = ".in"
_WORD: Final = re.compile(r"<<(\w+)>>")


def filled_in(kind: str, words: Mapping[str, str]) -> dict[PurePosixPath, str]:
    """Return the files of a plugin by their paths.

    Args:
        kind: Which templates are taken, besides those that all kinds share.
        words: What stands for the words in them; ``module`` is part of paths, too.
    """
    top = files(__package__) / _TEMPLATES
    made = {}
    for folder in (top / _SHARED, top / kind):
        for path, text in _templates(folder, PurePosixPath()):
            parts = [_named(part, words["module"]) for part in path.parts]
            made[PurePosixPath(*parts)] = _WORD.sub(lambda found: words[found[1]], text)
    return made


def write_folder(target: Path, contents: Mapping[PurePosixPath, str]) -> None:
    """Write files into a new folder. It appears when it is complete, whatever ends the process before that.

    Raises ``UsageError`` when there is something of that name already, other than an empty folder.
    """
    _must_be_free(target)
    # Beside the target, for only there is moving it to its place one step.
    with tempfile.TemporaryDirectory(prefix=".steelyard-new-", dir=target.parent) as scratch:
        whole = Path(scratch) / target.name  # not the scratch folder itself, which nobody else may enter
        for path, text in contents.items():
            (whole / path).parent.mkdir(parents=True, exist_ok=True)
            (whole / path).write_text(text, encoding="utf-8", newline="\n")
        if target.exists():
            _remove_empty(target)  # no system but POSIX moves a folder onto an empty one
        whole.rename(target)


def _must_be_free(target: Path) -> None:
    if target.is_dir():
        if any(target.iterdir()):
            raise UsageError(f"{target}: is a folder that is not empty; choose another name, or move it away")
    elif target.exists() or target.is_symlink():
        raise UsageError(f"{target}: exists already; choose another name, or move it away")


def _remove_empty(target: Path) -> None:
    try:
        target.rmdir()
    except OSError as error:
        raise UsageError(f"{target}: cannot be replaced ({error.strerror}); choose another name") from error


def _templates(folder: Traversable, path: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, path / entry.name)
        elif entry.name.endswith(_ENDING):
            yield path / entry.name.removesuffix(_ENDING), entry.read_text("utf-8")


def _named(part: str, module: str) -> str:
    if part == "MODULE":
        return module
    return f".{part.removeprefix('dot-')}" if part.startswith("dot-") else part
