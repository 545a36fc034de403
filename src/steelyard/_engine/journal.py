"""What has finished, safe on disk: an append-only file with one line for each finished case.

Written while a run goes on, so that neither a crash nor ``kill -9`` loses what was paid for: each line is handed to the
operating system before the next case is. The record is assembled from it, and an interrupted run goes on from it.

The first line says whose journal it is, and what is being run for those who watch it. The others are JSON objects,
``{"combo": 0, "case": 12, "result": {...}}``; a later line about the same case takes the place of an earlier one. The
last line may be torn and is then ignored.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol, Self, overload

from ..api import NOTHING, CaseResult, JsonMapping
from ..errors import RecordError
from .holding import hold

VERSION = 1
ABSENT = 2**64 - 1
"""The offset of a case that has not finished."""
IN_MEMORY = 2**63
"""Offsets from here on count the lines that the disk would not take."""
PREFIX = re.compile(rb'\{"combo":(\d{1,9}),"case":(\d{1,9}),"result":')
MOST_COMBOS = 10_000
MOST_CASES = 100_000_000
"""Numbers beyond every plausible one mark a damaged line; an index that long would fill the memory."""


class Encode(Protocol):
    """Turns a result into one JSON object in UTF-8, without a line break."""

    def __call__(self, result: CaseResult, /) -> bytes:
        """Return the object. May raise for details that are no JSON."""


class Decode(Protocol):
    """Turns what an :class:`Encode` returned into the result again."""

    def __call__(self, data: bytes, combo: int, /) -> CaseResult:
        """Return the result, which belongs to the combo of that number.

        Raises ``ValueError``, ``KeyError`` or ``TypeError`` for what is none.
        """


class Journal:
    """The journal of one run, open for adding and for reading."""

    def __init__(self, path: Path, writer: BinaryIO, *, encode: Encode, decode: Decode) -> None:
        self.path = path
        self.failure: OSError | None = None
        """Why the disk took no more; what came after is kept in memory."""
        self._writer = writer
        self._reader = path.open("rb")
        self._encode = encode
        self._decode = decode
        self._end = writer.seek(0, 2)
        self._offsets: list[array[int]] = []
        self._spilled: list[bytes] = []

    @classmethod
    def create(cls, path: Path, *, digest: str, encode: Encode, decode: Decode, about: JsonMapping = NOTHING) -> Self:
        """Start a journal for the plan with this digest. Raises ``OSError`` when the file cannot be made.

        Args:
            path: The journal; it is replaced.
            digest: What the plan is known by when an interrupted run is gone on with.
            encode: Turns a result into a line.
            decode: Turns a line into a result.
            about: What is being run, for those who watch it: see :class:`steelyard.records.JournalHead`.
        """
        header = json.dumps({"steelyard_journal": VERSION, "digest": digest, **about}).encode("ascii") + b"\n"
        # Unbuffered: a line that was written is the operating system's, whatever becomes of this process.
        writer = path.open("w+b", buffering=0)
        hold(writer)
        writer.write(header)
        return cls(path, writer, encode=encode, decode=decode)

    @classmethod
    def take_over(cls, path: Path, target: Path, *, digest: str, encode: Encode, decode: Decode) -> Self | None:
        """Go on with the journal of an interrupted run, under another name.

        Returns ``None``, and leaves the file alone, when it cannot be gone on with: it belongs to another plan, to a
        run that still goes on, or is damaged from the start.

        Args:
            path: The journal; gone when it was taken over.
            target: Where it is moved; may exist, and is replaced.
            digest: What the plan's journal says at its top.
            encode: As in :meth:`create`.
            decode: As in :meth:`create`.
        """
        try:
            with path.open("r+b") as file:
                if not hold(file):
                    return None
                _check_header(file.readline(), path, digest)
            path.replace(target)
        except (OSError, RecordError):
            return None
        return cls.reopen(target, digest=digest, encode=encode, decode=decode)

    @classmethod
    def reopen(cls, path: Path, *, digest: str, encode: Encode, decode: Decode) -> Self:
        """Go on with the journal of an interrupted run.

        Raises ``RecordError`` when the file is no journal, another plan's or in use, ``OSError`` when it cannot be
        read.
        """
        with path.open("rb") as file:
            _check_header(file.readline(), path, digest)
            offsets, end = _index(file)
        writer = path.open("r+b", buffering=0)
        if not hold(writer):
            writer.close()
            raise RecordError(f"{path}: belongs to a run that still goes on; wait for it or start the run anew")
        writer.truncate(end)
        journal = cls(path, writer, encode=encode, decode=decode)
        journal._offsets = offsets
        return journal

    def encoded(self, result: CaseResult) -> bytes:
        """Return a result as :meth:`add` takes it. Raises whatever the encoder does."""
        return self._encode(result)

    def decoded(self, data: bytes, combo: int) -> CaseResult:
        """Return the result that a line of a combo says. Raises ``RecordError`` when it says none."""
        return self._decode(data, combo)

    def add(self, combo: int, case: int, data: bytes) -> None:
        """Append a finished case. Never raises for what the disk does: the line is then kept in memory.

        Args:
            combo: The number of its combo in the plan.
            case: Its number among the cases.
            data: What became of it, as :meth:`encoded` returns it.
        """
        if b"\n" in data:
            raise ValueError("a result must be encoded without line breaks")
        line = b'{"combo":%d,"case":%d,"result":%b}\n' % (combo, case, data)
        offset = self._append(line)
        while len(self._offsets) <= combo:
            self._offsets.append(array("Q"))
        _put(self._offsets[combo], case, offset)

    def _append(self, line: bytes) -> int:
        if self.failure is None:
            try:
                written = 0
                while written < len(line):
                    written += self._writer.write(line[written:])
            except OSError as error:
                # The line may be torn now. It is the last one, and is ignored when the journal is read.
                self.failure = error
            else:
                offset, self._end = self._end, self._end + len(line)
                return offset
        self._spilled.append(line)
        return IN_MEMORY + len(self._spilled) - 1

    def has(self, combo: int, case: int) -> bool:
        """Whether a case has finished."""
        return combo < len(self._offsets) and case < len(self._offsets[combo]) and self._offsets[combo][case] != ABSENT

    def forget(self, combo: int, case: int) -> None:
        """Treat a case as one that has not finished: it is going to be run again."""
        if self.has(combo, case):
            self._offsets[combo][case] = ABSENT

    def numbers(self, combo: int, after: int = -1) -> Iterator[int]:
        """Go through the numbers of the finished cases of a combo, from the one behind ``after``."""
        offsets = self._offsets[combo] if combo < len(self._offsets) else ()
        return (case for case in range(after + 1, len(offsets)) if offsets[case] != ABSENT)

    def read(self, combo: int, case: int) -> CaseResult:
        """Return a case that has finished. Raises ``KeyError`` when it has not, ``RecordError`` when it is damaged."""
        data = self.raw(combo, case)
        try:
            return self._decode(data, combo)
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{self.path}: case number {case} cannot be read: {error!r}") from error

    def raw(self, combo: int, case: int) -> bytes:
        """Return a finished case as it was encoded. Raises like :meth:`read`."""
        if not self.has(combo, case):
            raise KeyError((combo, case))
        return self._raw(self._offsets[combo][case])

    def _raw(self, offset: int) -> bytes:
        if offset >= IN_MEMORY:
            line = self._spilled[offset - IN_MEMORY]
        else:
            self._reader.seek(offset)
            line = self._reader.readline()
        prefix = PREFIX.match(line)
        if prefix is None or not line.endswith(b"}\n"):
            raise RecordError(f"{self.path}: the line at byte {offset} was damaged while the run went on")
        return line[prefix.end() : -2]

    def cases(self, combo: int) -> JournalCases:
        """Return the finished cases of a combo in case order, each read from disk when it is asked for."""
        return JournalCases(self, combo, array("Q", self.numbers(combo)))

    def close(self) -> None:
        """Give the files back. What was added stays readable by :meth:`reopen`."""
        self._writer.close()
        self._reader.close()


class JournalCases(Sequence[CaseResult]):
    """The finished cases of one combo, on disk. Reading needs the journal to be open."""

    def __init__(self, journal: Journal, combo: int, numbers: array[int]) -> None:
        self._journal = journal
        self._combo = combo
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> CaseResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CaseResult]: ...
    def __getitem__(self, index: int | slice) -> CaseResult | Sequence[CaseResult]:
        if isinstance(index, slice):
            return JournalCases(self._journal, self._combo, self._numbers[index])
        return self._journal.read(self._combo, self._numbers[index])

    def __iter__(self) -> Iterator[CaseResult]:
        for number in self._numbers:
            yield self._journal.read(self._combo, number)

    def raw(self) -> Iterator[bytes]:
        """Go through the cases as they were encoded, for a record that holds them in the same form."""
        for number in self._numbers:
            yield self._journal.raw(self._combo, number)


def _check_header(line: bytes, path: Path, digest: str) -> None:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("steelyard_journal") != VERSION:
        raise RecordError(f"{path}: is no journal of this version; start the run anew")
    if header.get("digest") != digest:
        raise RecordError(f"{path}: the benchmark has changed since this run was interrupted; start the run anew")


def _index(file: BinaryIO) -> tuple[list[array[int]], int]:
    """Return where each case's last whole line is, and where the whole lines end."""
    offsets: list[array[int]] = []
    end = file.tell()
    for line in file:
        if not line.endswith(b"\n"):
            break
        start, end = end, end + len(line)
        prefix = PREFIX.match(line)
        if prefix is None or not line.endswith(b"}\n"):
            continue
        combo, case = int(prefix[1]), int(prefix[2])
        if combo > MOST_COMBOS or case > MOST_CASES:
            continue
        while len(offsets) <= combo:
            offsets.append(array("Q"))
        _put(offsets[combo], case, start)
    return offsets, end


def _put(offsets: array[int], case: int, offset: int) -> None:
    if case >= len(offsets):
        offsets.extend([ABSENT] * (case + 1 - len(offsets)))
    offsets[case] = offset
