"""Running a part of a benchmark's cases: a source that lets some of another's cases through, as they stream by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from ..api import Case, CaseSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """The cases that pass every filter that is set."""

    source: CaseSource
    tags: Collection[str] = ()
    """At least one of these; empty for any."""
    text: str | None = None
    """Part of the id, in any case of letters."""
    ids: Collection[str] = ()
    """Exactly one of these; empty for any."""
    limit: int | None = None
    """At most so many of those that the other filters let through."""

    @property
    def only_limits(self) -> bool:
        """Whether the limit is the only filter, so that no more than so many cases are read."""
        return self.limit is not None and not self.tags and not self.ids and self.text is None

    def __iter__(self) -> Iterator[Case]:
        """Go through the cases from the start."""
        return islice((case for case in self.source if self._passes(case)), self.limit)

    def _passes(self, case: Case) -> bool:
        if self.ids and case.id not in self.ids:
            return False
        if self.tags and not any(tag in self.tags for tag in case.tags):
            return False
        return self.text is None or self.text.casefold() in case.id.casefold()
