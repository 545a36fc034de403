"""``steelyard run --watch``: run again whenever a file that a run reads is saved.

A file counts when a run has read it, wherever it lies, or when it lies in the folder of a benchmark or below and looks
like something that a run reads. What a run writes does not count.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol

from ..errors import UsageError
from ..text import one_line
from . import interrupt
from .invocation import Invocation
from .output import print_note

_ENDINGS: Final = frozenset(
    {".csv", ".j2", ".jinja", ".json", ".jsonl", ".md", ".ndjson", ".py", ".tsv", ".txt", ".yaml", ".yml"}
)
_OF_A_RUN: Final = re.compile(r"\d{4}-\d{2}-\d{2}_\d{6}_.+\.(?:json|md|journal\.jsonl)")
"""Records, journals and reports by their names: a suite may have them stored where no setting says so."""
_SHOWN: Final = 3
_INTERRUPTED: Final = "Stopped watching."

_BEAT_MS: Final = 200
_LONGEST_WAIT_S: Final = 5.0
"""For a watch to begin; where it takes longer, a save in that moment is missed."""


class Reads(Protocol):
    """What runs have read."""

    @property
    def paths(self) -> Collection[Path]:
        """The files, and the folders that were searched."""

    def has_changed(self, path: Path) -> bool:
        """Whether a file was saved after it was read last."""


def run_at_every_save(
    run: Callable[[], object],
    files: Collection[Path],
    ignored: Collection[Path],
    reads: Reads,
    invocation: Invocation,
) -> NoReturn:
    """Run, and run again at every save, until the user interrupts it.

    Args:
        run: What is done; it says itself what is wrong.
        files: The benchmarks and their data; their folders are watched.
        ignored: Folders and files that runs write to.
        reads: What the runs have read so far, which is watched too.
        invocation: What to say at the end.

    Raises ``UsageError`` when the library that hears of saves is not installed, ``KeyboardInterrupt`` at the end.
    """
    watcher = _Watcher(sorted({file.resolve().parent for file in files}), [path.resolve() for path in ignored])
    try:
        # From before the first run on: what is saved while it goes on must not be missed.
        watcher.watch_folders()
        while True:
            run()
            invocation.on_interrupt = _INTERRUPTED
            interrupt.stop_if_asked()
            new = watcher.watch_files(reads.paths)
            # Looked at before it is said that saves are heard: what is saved from then on is heard, and told once.
            missed = {str(_places(path)[0]) for path in new if reads.has_changed(path)}
            print_note(f"Watching {', '.join(map(str, watcher.folders))}; Ctrl-C ends it")
            changed = sorted(missed or watcher.next_save())
            more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
            print_note(one_line(f"Saved: {', '.join(changed[:_SHOWN])}{more}"))
    finally:
        watcher.stop()


class _Watcher:
    """Hears of saves in folders, of everything that looks like it is read, and of files that surely are."""

    def __init__(self, folders: list[Path], ignored: list[Path]) -> None:
        self.folders = folders
        """Where something is watched."""
        self._whole = tuple(folders)
        self._ignored = ignored
        self._heard: queue.SimpleQueue[set[str]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._files: set[Path] = set()
        self._searched: set[Path] = set()

    def watch_folders(self) -> None:
        """Begin with the folders of the benchmarks, and all that is below."""
        self._listen(self._whole, recursive=True)

    def watch_files(self, seen: Collection[Path]) -> list[Path]:
        """Watch what was read elsewhere too: the folders that it lies in, without what is below them.

        Returns the files that nobody has watched before: they may have been saved after they were read.
        """
        files = [path for path in seen if not path.is_dir()]
        self._searched |= {path.resolve() for path in seen if path.is_dir()}
        self._files |= {place for path in files for place in _places(path)}
        needed = {place.parent for path in files for place in _places(path)} | self._searched
        new = {folder for folder in needed if not self._covers(folder) and folder.is_dir()}
        if new:
            self.folders = sorted({*self.folders, *new})
            self._listen(tuple(new), recursive=False).wait(_LONGEST_WAIT_S)
        return [path for path in files if any(place.parent in new for place in _places(path))]

    def next_save(self) -> set[str]:
        """Wait for a save, and return the names of the files."""
        return self._heard.get()

    def stop(self) -> None:
        """Hear of nothing any more."""
        self._stop.set()

    def _covers(self, folder: Path) -> bool:
        return folder in self.folders or any(_below(folder, whole) is not None for whole in self._whole)

    def _listen(self, folders: tuple[Path, ...], *, recursive: bool) -> threading.Event:
        """Begin to hear of saves; returns what is set as soon as that has begun."""
        try:
            from watchfiles import watch  # noqa: PLC0415 - an extra, and needed here alone
        except ImportError as error:
            message = '--watch needs the package watchfiles; install it: pip install "steelyard[watch]"'
            raise UsageError(message) from error
        saves = watch(
            *folders,
            watch_filter=lambda _change, name: self._counts(Path(name)),
            stop_event=self._stop,
            raise_interrupt=False,
            recursive=recursive,
            rust_timeout=_BEAT_MS,
            yield_on_timeout=True,  # which says that it has begun
        )
        begun = threading.Event()
        threading.Thread(target=self._hear, args=(saves, begun), name="steelyard watch", daemon=True).start()
        return begun

    def _hear(self, saves: Iterable[set[tuple[Any, str]]], begun: threading.Event) -> None:
        for changes in saves:
            begun.set()
            if changes:
                self._heard.put({name for _, name in changes})

    def _counts(self, path: Path) -> bool:
        if path in self._files:
            return True
        if path.suffix.lower() not in _ENDINGS or any(path.is_relative_to(folder) for folder in self._ignored):
            return False
        if _OF_A_RUN.fullmatch(path.name):
            return False
        if path.parent in self._searched:
            return not path.name.startswith(".")
        inside = next((rest for whole in self._whole if (rest := _below(path, whole)) is not None), None)
        return inside is not None and not any(part.startswith((".", "__")) for part in inside.parts)


def _places(path: Path) -> tuple[Path, ...]:
    """Where a file may be saved: under its own name, and where a link leads to."""
    return path.parent.resolve() / path.name, path.resolve()


def _below(path: Path, folder: Path) -> Path | None:
    return path.relative_to(folder) if path.is_relative_to(folder) else None
