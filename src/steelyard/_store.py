"""The results folder: names for runs, what is in it, and which record someone means.

A run is claimed by creating its journal, which only one process can do; the journal goes when the record is stored. A
journal that is still there belongs to a run in progress or to one that was cut off.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from ._paths import JOURNAL_SUFFIX, RECORD_SUFFIX, journal_path, record_path, run_id
from .api import RunRecord
from .errors import RecordError, UsageError
from .records import read_record

_SAID_NOTHING: Callable[[str], None] = lambda _message: None  # noqa: E731 - a default, not a function of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A run's name in the results folder, held by this process alone."""

    run_id: str
    record_path: Path
    journal_path: Path
    """Exists and is empty."""
    made_folder: bool = False
    """Whether the folder was not there before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A record in the results folder."""

    path: Path
    record: RunRecord


class Store:
    """The records in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def claim(self, benchmark: str, started: datetime) -> Claim:
        """Take a free name for a run, and prove that the folder can be written to.

        Raises ``UsageError``, saying what to do, when it cannot.
        """
        made_folder = not self.folder.exists()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            run = next(name for name in _names(benchmark, started) if self._took(name))
        except FileExistsError:
            raise UsageError(f"{self.folder}: is a file, not a folder; move it away or name another folder") from None
        except OSError as error:
            raise UsageError(
                f"{self.folder}: cannot be written to: {error.strerror or error}; name another folder for the results"
            ) from error
        return Claim(
            run_id=run,
            record_path=record_path(self.folder, run),
            journal_path=journal_path(self.folder, run),
            made_folder=made_folder,
        )

    def release(self, claim: Claim) -> None:
        """Give a name back that came to nothing, and leave the folder as it was. A journal with cases in it stays.

        Never fails: what somebody did to the folder meanwhile must not stand in the way of what else is to be closed.
        """
        with contextlib.suppress(OSError):
            if claim.journal_path.exists() and claim.journal_path.stat().st_size == 0:
                claim.journal_path.unlink()
            if claim.made_folder and self.folder.exists() and not any(self.folder.iterdir()):
                self.folder.rmdir()

    def finish(self, claim: Claim) -> None:
        """Drop the journal of a run whose record is stored."""
        claim.journal_path.unlink(missing_ok=True)

    def runs(self, skipped: Callable[[str], None] = _SAID_NOTHING) -> list[StoredRun]:
        """Return every readable record, the oldest first; ``skipped`` hears why one is left out."""
        found = []
        for path in self._record_paths():
            try:
                found.append(StoredRun(path=path, record=read_record(path)))
            except RecordError as error:
                skipped(str(error))
        return sorted(found, key=_when)

    def latest(self, benchmark: str | None = None) -> StoredRun | None:
        """Return the newest record, of one benchmark or of any; ``None`` when there is none."""
        return next((run for run in reversed(self.runs()) if benchmark in (None, run.record.benchmark)), None)

    def find(self, wanted: str) -> Path:
        """Return the record that is meant by a path, a run id, or the unique beginning of one.

        Raises ``RecordError`` when there is none, or several.
        """
        path = Path(wanted)
        if _is_file(path):
            return path
        here = self.folder / path
        if path.name.endswith(RECORD_SUFFIX) and _is_file(here):
            return here
        # A shell completes names with their folder.
        start = path.name if path.parent.resolve() == self.folder.resolve() else wanted
        names = [record.stem for record in self._record_paths()]
        matches = [start] if start in names else [name for name in names if start and name.startswith(start)]
        if not matches:
            raise RecordError(f"{wanted!r}: no such record file, and no run in {self.folder} begins with it")
        if len(matches) > 1:
            raise RecordError(f"{wanted!r}: {len(matches)} runs begin with it; write more of one: {', '.join(matches)}")
        return record_path(self.folder, matches[0])

    def unfinished(self) -> list[Path]:
        """Return the journals of runs without a complete record, the oldest first. One may be running right now."""
        return [path for path in self._files(JOURNAL_SUFFIX) if path.stat().st_size > 0]

    def _took(self, run: str) -> bool:
        """Whether nobody had a name and it is ours now."""
        journal = journal_path(self.folder, run)
        try:
            journal.open("xb").close()
        except FileExistsError:
            return False
        # Looked at only now that nobody else can take the name: a run drops its journal after its record is there.
        if any(path.exists() for path in (record_path(self.folder, run), self.folder / f"{run}.md")):
            journal.unlink()
            return False
        return True

    def _record_paths(self) -> list[Path]:
        return self._files(RECORD_SUFFIX)

    def _files(self, suffix: str) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return sorted(path for path in self.folder.iterdir() if path.name.endswith(suffix) and path.is_file())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # longer than a name can be
        return False


def _names(benchmark: str, started: datetime) -> Iterator[str]:
    return (run_id(benchmark, started, attempt) for attempt in count(1))


def _when(run: StoredRun) -> tuple[float, int, str]:
    """Order runs by when they started; where that is told in seconds, by their suffix, of which -10 comes after -9."""
    name = run.path.stem
    try:
        # A time without an offset is evalblink's, in the local zone.
        started = datetime.fromisoformat(run.record.timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        started = 0.0
    return started, len(name), name
