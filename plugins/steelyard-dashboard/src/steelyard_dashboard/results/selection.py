"""Which cases of a run somebody wants to see, in which order, and which page of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from steelyard.api import Status

from .opened import OpenedRun
from .rows import Row

T = TypeVar("T")

PAGE_SIZE: Final = 50
MOST_ON_A_PAGE: Final = 500
_WHOLE = re.compile("[0-9]{1,9}")

VERDICTS: Final[Mapping[str, Callable[[Row], bool]]] = {
    "passed": lambda row: row.scored and row.passed,
    "failed": lambda row: row.scored and not row.passed,
    "flaky": lambda row: row.flaky,
    "errors": lambda row: not row.scored,
    **{status.value: lambda row, status=status: row.status is status for status in Status if status != "scored"},  # type: ignore[misc]
}
"""What a case may be filtered by, and how it is told."""

SORTS: Final[Mapping[str, Callable[[Row], float | str | None]]] = {
    "id": lambda row: row.id,
    "score": lambda row: row.score,
    "latency": lambda row: row.latency_ms,
    "cost": lambda row: row.cost_usd,
}
"""What cases may be sorted by; a ``-`` before the word turns the order round. What is unknown comes last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is wanted of a run's cases. Empty and ``None`` mean all of them, in the order of the record."""

    combo: int | None = None
    verdict: str = ""
    tag: str = ""
    scorer: str = ""
    """``judged:NAME`` for cases that the scorer judged, ``failed:NAME`` for those that did not satisfy it."""
    text: str = ""
    sort: str = ""
    page: int = 1
    size: int = PAGE_SIZE

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Selection:
        """Read a selection from the query of an address; what is not understood is left out."""
        verdict, sort = query.get("verdict", ""), query.get("sort", "")
        return cls(
            combo=whole(query.get("combo", "")),
            verdict=verdict if verdict in VERDICTS else "",
            tag=query.get("tag", ""),
            scorer=query.get("scorer", ""),
            text=query.get("text", "").strip(),
            sort=sort if sort.removeprefix("-") in SORTS else "",
            page=page_number(query),
            size=min(max(whole(query.get("size", "")) or PAGE_SIZE, 1), MOST_ON_A_PAGE),
        )

    def of_run(self, opened: OpenedRun) -> list[Row]:
        """Return the rows that are wanted, in order. Raises ``RecordError`` when a search meets a damaged case."""
        wanted = [row for row in opened.rows if self._suits(row)]
        if self.text:
            holding = opened.holding(self.text)
            wanted = [row for row in wanted if (row.combo, row.number) in holding]
        return self._sorted(wanted)

    def _suits(self, row: Row) -> bool:
        kind, _, name = self.scorer.partition(":")
        judged_by = row.failed_by if kind == "failed" else row.scorers
        return (
            (self.combo is None or row.combo == self.combo)
            and (not self.verdict or VERDICTS[self.verdict](row))
            and (not self.tag or self.tag in row.tags)
            and (not name or name in judged_by)
        )

    def _sorted(self, rows: list[Row]) -> list[Row]:
        if not self.sort:
            return rows
        key = SORTS[self.sort.removeprefix("-")]
        known = [row for row in rows if key(row) is not None]
        unknown = [row for row in rows if key(row) is None]
        return sorted(known, key=key, reverse=self.sort.startswith("-")) + unknown  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """A part of a list."""

    items: Sequence[T]
    number: int
    """Which page it is, from 1."""
    pages: int
    """How many there are; at least 1."""
    total: int
    """How many items all pages have."""
    first: int
    """The position of the first item in the list, from 0."""


def page_of(items: Sequence[T], number: int, size: int = PAGE_SIZE) -> Page[T]:
    """Return a page of a list; beyond the last page, the last."""
    pages = max(math.ceil(len(items) / size), 1)
    number = min(max(number, 1), pages)
    first = (number - 1) * size
    return Page(items=items[first : first + size], number=number, pages=pages, total=len(items), first=first)


def page_number(query: Mapping[str, str]) -> int:
    """Return the page that an address names, or 1."""
    return max(whole(query.get("page", "")) or 1, 1)


def whole(text: str) -> int | None:
    """Return a whole number from 0 that is written in plain digits, or ``None``."""
    return int(text) if _WHOLE.fullmatch(text) and text.isascii() else None
