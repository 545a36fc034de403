"""``steelyard run --watch``: run again whenever a file that a run reads is saved.

A file counts when it lies in the folder of a benchmark or of its data, or below, and looks like something that a run
reads; what a run writes does not count.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final, NoReturn

from ..errors import UsageError
from ..text import one_line
from .invocation import Invocation
from .output import print_note

_ENDINGS: Final = frozenset({".csv", ".j2", ".jinja", ".json", ".jsonl", ".md", ".py", ".txt", ".yaml", ".yml"})
_OF_A_RUN: Final = re.compile(r"\d{4}-\d{2}-\d{2}_\d{6}_.+\.(?:json|md|journal\.jsonl)")
"""Records, journals and reports by their names: a suite may have them stored where no setting says so."""
_SHOWN: Final = 3
_INTERRUPTED: Final = "Stopped watching."


def run_at_every_save(
    run: Callable[[], object], files: Collection[Path], ignored: Collection[Path], invocation: Invocation
) -> NoReturn:
    """Run, and run again at every save, until the user interrupts it.

    Args:
        run: What is done; it says itself what is wrong.
        files: The benchmarks and their data; their folders are watched.
        ignored: Folders and files that runs write to.
        invocation: What to say at the end.

    Raises ``UsageError`` when the library that hears of saves is not installed, ``KeyboardInterrupt`` at the end.
    """
    heard: queue.SimpleQueue[set[str]] = queue.SimpleQueue()
    stop = threading.Event()
    folders = sorted({file.resolve().parent for file in files})
    saves = _saves(folders, [folder.resolve() for folder in ignored], stop)
    # From before the first run on: what is saved while it goes on must not be missed.
    threading.Thread(target=_listen, args=(saves, heard), name="steelyard watch", daemon=True).start()
    try:
        while True:
            run()
            invocation.on_interrupt = _INTERRUPTED
            print_note(f"Watching {', '.join(map(str, folders))}; Ctrl-C ends it")
            changed = sorted(heard.get())
            more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
            print_note(one_line(f"Saved: {', '.join(changed[:_SHOWN])}{more}"))
    finally:
        stop.set()


def _saves(folders: list[Path], ignored: list[Path], stop: threading.Event) -> Iterable[set[tuple[Any, str]]]:
    try:
        from watchfiles import watch  # noqa: PLC0415 - an extra, and needed here alone
    except ImportError as error:
        raise UsageError('--watch needs the package watchfiles; install it: pip install "steelyard[watch]"') from error

    def counts(_change: object, name: str) -> bool:
        path = Path(name)
        if path.suffix.lower() not in _ENDINGS or any(path.is_relative_to(folder) for folder in ignored):
            return False
        if _OF_A_RUN.fullmatch(path.name):
            return False
        inside = next((path.relative_to(folder) for folder in folders if path.is_relative_to(folder)), path)
        return not any(part.startswith((".", "__")) for part in inside.parts)

    return watch(*folders, watch_filter=counts, stop_event=stop, raise_interrupt=False)


def _listen(saves: Iterable[set[tuple[Any, str]]], heard: queue.SimpleQueue[set[str]]) -> None:
    for changes in saves:
        heard.put({name for _, name in changes})
