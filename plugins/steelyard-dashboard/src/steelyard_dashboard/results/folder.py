"""What lies in the results folder: which files are records, which are journals, and which cannot be shown and why.

The one place that turns an id from a request into a path: an id is looked up among the names that the folder lists, so
that none, however it is written, leads anywhere else. Symbolic links are not followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

RECORD_SUFFIX: Final = ".json"
JOURNAL_SUFFIX: Final = ".journal.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file as it was when the folder was looked at; equal as long as nobody has written to it."""

    id: str
    """Its name without the ending."""
    path: Path
    size_bytes: int
    modified_ns: int

    @property
    def modified_s(self) -> float:
        """When it was written last, in seconds since 1970."""
        return self.modified_ns / 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file that cannot be shown."""

    name: str
    reason: str
    """One line that says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The folder at one moment."""

    records: Mapping[str, StoredFile]
    journals: Mapping[str, StoredFile]
    """Of runs without a record: in progress, or cut off."""
    unreadable: tuple[Unreadable, ...] = ()
    problem: str = ""
    """Why the folder itself cannot be read; empty when it can."""


class ResultsFolder:
    """The results folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def contents(self) -> Contents:
        """Look at the folder. Never raises: a folder that is not there yet is an empty one with a problem."""
        try:
            with os.scandir(self.path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            return Contents(records={}, journals={}, problem=f"{self.path}: {error.strerror or error}")
        unreadable: list[Unreadable] = []
        records = {file.id: file for file in _files(found, RECORD_SUFFIX, unreadable)}
        journals = {file.id: file for file in _files(found, JOURNAL_SUFFIX, unreadable) if file.id not in records}
        return Contents(records=records, journals=journals, unreadable=tuple(unreadable))


def _files(entries: list[os.DirEntry[str]], suffix: str, unreadable: list[Unreadable]) -> Iterator[StoredFile]:
    for entry in entries:
        # A name that begins with a dot is somebody's temporary or hidden file.
        if not entry.name.endswith(suffix) or entry.name.startswith("."):
            continue
        reason = _refusal(entry)
        if reason:
            unreadable.append(Unreadable(name=entry.name, reason=reason))
            continue
        try:
            stat = entry.stat(follow_symlinks=False)
        except OSError:  # gone in the meantime
            continue
        yield StoredFile(
            id=entry.name.removesuffix(suffix),
            path=Path(entry.path),
            size_bytes=stat.st_size,
            modified_ns=stat.st_mtime_ns,
        )


def _refusal(entry: os.DirEntry[str]) -> str:
    """Return why a file is not even opened; empty when it may be."""
    if entry.is_symlink():
        return "a symbolic link, which is not followed; copy the file itself here"
    if not entry.is_file(follow_symlinks=False):
        return "not an ordinary file"
    if not entry.name.isprintable() or "\\" in entry.name:
        return "a name that no address can hold; rename the file"
    return ""
