"""Where two answers differ, word by word or line by line, in bounded time whatever the texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_WORD = re.compile(r"\S+\s*|\s+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_PARTS = 2_000
"""Parts of a text that are compared; beyond that lines are taken in place of words, and then nothing."""
_MANY_MEETINGS = 20_000
"""How often parts of one text are met by their like in the other before parts that occur all over count for less. The
time grows with the meetings times the parts, and models do repeat themselves."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text."""

    kind: Literal["same", "changed"]
    text: str


def differences(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]] | None:
    """Return both texts cut into what they share and what only one of them has; ``None`` when that would take long."""
    for pattern in (_WORD, _LINE):
        parts = pattern.findall(before), pattern.findall(after)
        start, end = _shared_ends(*parts)
        middle = parts[0][start : len(parts[0]) - end], parts[1][start : len(parts[1]) - end]
        if max(map(len, middle)) <= _MOST_PARTS:
            head, tail = parts[0][:start], parts[0][len(parts[0]) - end :]
            old, new = _pieces(*middle)
            return _joined(head, old, tail), _joined(head, new, tail)
    return None


def _shared_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many parts the texts share at their start, and how many of the others at their end."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if before[i] != after[i]), most)
    most -= start
    end = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    return start, end


def _pieces(before: Sequence[str], after: Sequence[str]) -> tuple[list[Piece], list[Piece]]:
    old: list[Piece] = []
    new: list[Piece] = []
    matcher = SequenceMatcher(None, before, after, autojunk=_meetings(before, after) > _MANY_MEETINGS)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        kind: Literal["same", "changed"] = "same" if tag == "equal" else "changed"
        old.append(Piece(kind, "".join(before[old_start:old_end])))
        new.append(Piece(kind, "".join(after[new_start:new_end])))
    return old, new


def _meetings(before: Sequence[str], after: Sequence[str]) -> int:
    counts = Counter(after)
    return sum(times * counts[part] for part, times in Counter(before).items())


def _joined(head: Sequence[str], pieces: Sequence[Piece], tail: Sequence[str]) -> tuple[Piece, ...]:
    return tuple(_merged([Piece("same", "".join(head)), *pieces, Piece("same", "".join(tail))]))


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Put neighbours of one kind together and leave empty pieces out."""
    kept: Piece | None = None
    for piece in pieces:
        if not piece.text:
            continue
        if kept is not None and kept.kind == piece.kind:
            kept = Piece(kept.kind, kept.text + piece.text)
            continue
        if kept is not None:
            yield kept
        kept = piece
    if kept is not None:
        yield kept
