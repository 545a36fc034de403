"""Addresses of pages: where each thing is to be found, with every id and every choice escaped.

The one place that knows how addresses look, so that a page and the JSON API have the same query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

Query = Mapping[str, str | int | Sequence[str] | None]


def address(path: str, query: Query | None = None) -> str:
    """Return a path with a query; what is empty in the query is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        values = value if isinstance(value, list | tuple) else [value]
        pairs += [(name, str(one)) for one in values if one not in (None, "")]
    return f"{path}?{urlencode(pairs, errors='replace')}" if pairs else path


def run_address(run_id: str) -> str:
    """Return where a run is shown."""
    return f"/runs/{_part(run_id)}"


def case_address(run_id: str, combo: int, number: int, query: Query | None = None) -> str:
    """Return where a case is shown."""
    return address(f"/runs/{_part(run_id)}/cases/{combo}/{number}", query)


def live_address(run_id: str) -> str:
    """Return where a run in progress is shown."""
    return f"/live/{_part(run_id)}"


def live_case_address(run_id: str, combo: int, number: int) -> str:
    """Return where a case of a run in progress is shown."""
    return f"/live/{_part(run_id)}/cases/{combo}/{number}"


@dataclass(frozen=True, slots=True)
class Here:
    """The address of a page with the choices that were made on it, to link to the same page with others."""

    path: str
    query: Query = field(default_factory=dict)

    def but(self, **changes: str | int | None) -> str:
        """Return the address with some choices changed; ``None`` takes one back. A new choice starts at page 1."""
        kept = {name: value for name, value in self.query.items() if name != "page"}
        return address(self.path, {**kept, **changes})


def _part(text: str) -> str:
    return quote(text, safe="", errors="replace")
