"""What a run has done so far: its journal, read while it grows or after the run was cut off.

For those who watch a run. Nothing is held open between two readings, so that the run can move and drop its file on
every system, and nothing is locked: the journal stays its writer's alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..api import CaseResult
from ..errors import RecordError
from .cases import decode_case
from .strict_json import text_of, whole_of

_VERSION = 1
_LINE = re.compile(rb'\{"combo":(\d{1,9}),"case":(\d{1,9}),"result":(.*)\}\n', re.DOTALL)
_LABELS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalHead:
    """What the first line of a journal says about the run; what it does not say is empty or ``None``."""

    benchmark: str = ""
    started: str = ""
    """When the run started: ISO 8601 with offset."""
    combos: tuple[tuple[str, str], ...] = ()
    """Labels of model and prompt, in the order of the results."""
    cases: int | None = None
    """Cases of each combo; ``None`` where rows were still to be counted when the run started."""
    repeat: int = 1
    """How often each case is run."""

    def labels(self, combo: int) -> tuple[str, str]:
        """Return model and prompt of a combo by its number; made-up ones when the journal does not name it."""
        return self.combos[combo] if 0 <= combo < len(self.combos) else (f"combo {combo + 1}", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """A case that has finished. A later entry about the same case takes the place of an earlier one."""

    combo: int
    """The number of its combo, from 0."""
    case: int
    """Its number among the cases, from 0."""
    offset: int
    """Where its line starts; :meth:`JournalReader.at` reads it again."""
    result: CaseResult


class JournalReader:
    """Reads a journal from its start, and later what has been added since."""

    def __init__(self, path: Path) -> None:
        """Read the first line.

        Raises ``RecordError`` when the file is missing, unreadable, or no journal of a version that is known.
        """
        self.path = path
        try:
            with path.open("rb") as file:
                line = file.readline()
        except OSError as error:
            raise RecordError(f"{path}: cannot be read: {error.strerror or error}") from error
        self.head = _head(line, path)
        """What is being run."""
        self.damaged = 0
        """Whole lines that could not be understood so far; they were passed over."""
        self._position = len(line)

    @property
    def position(self) -> int:
        """How many bytes have been read; a file that is shorter is another one than was begun with."""
        return self._position

    def entries(self) -> Iterator[JournalEntry]:
        """Go through the cases that have finished since the last reading, in the order in which they did.

        A last line that is not whole yet, or was torn when the run died, is left for the next reading. The file is
        open until the iterator ends. Raises ``RecordError`` when it cannot be read any more.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self._position)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    offset = self._position
                    self._position += len(line)
                    entry = self._entry(line, offset)
                    if entry is None:
                        self.damaged += 1
                    else:
                        yield entry
        except OSError as error:
            raise RecordError(f"{self.path}: cannot be read: {error.strerror or error}") from error

    def at(self, offset: int) -> JournalEntry:
        """Read one entry again. Raises ``RecordError`` when there is none at that offset."""
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                entry = self._entry(file.readline(), offset)
        except OSError as error:
            raise RecordError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        if entry is None:
            raise RecordError(f"{self.path}: no finished case at byte {offset}")
        return entry

    def _entry(self, line: bytes, offset: int) -> JournalEntry | None:
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        combo, case = int(found[1]), int(found[2])
        try:
            result = decode_case(found[3], *self.head.labels(combo))
        except RecordError:
            return None
        return JournalEntry(combo=combo, case=case, offset=offset, result=result)


def _head(line: bytes, path: Path) -> JournalHead:
    try:
        data = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("steelyard_journal") != _VERSION:
        raise RecordError(f"{path}: not a journal of this version")
    return JournalHead(
        benchmark=text_of(data, "benchmark"),
        started=text_of(data, "started"),
        combos=_combos(data),
        cases=whole_of(data, "cases"),
        repeat=max(whole_of(data, "repeat") or 1, 1),
    )


def _combos(data: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    combos = data.get("combos")
    pairs = combos if isinstance(combos, list) else []
    return tuple(
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == _LABELS and all(isinstance(label, str) for label in pair)
    )
