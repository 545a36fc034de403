"""Where the keys of a file stand, for problems of which only the case or the key are known.

Worked out from the file when the first problem asks for it: a file without mistakes pays nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..api import Node, is_sequence


class CasePlaces:
    """Finds the keys of the cases that stand in a suite file itself; rows of data files have a line and no more."""

    def __init__(self, document: Node) -> None:
        self._document = document
        self._cases: dict[str, Node] | None = None

    def of(self, case_place: str, key: str) -> str | None:
        """Return where the value of a key stands in the case at ``case_place``; ``None`` if it has no such key."""
        if self._cases is None:
            self._cases = {node.place: node for node in self._entries()}
        case = self._cases.get(case_place)
        return case.child(key).place if case is not None and case.has(key) else None

    def of_entry(self, key: str, text: str) -> str | None:
        """Return where a text stands in the list at a key of the file; ``None`` if it is in no such list there."""
        node = self._document.get(key)
        entries = node.entries() if node is not None and is_sequence(node.value) else ()
        return next((entry.place for entry in entries if entry.value == text), None)

    def _entries(self) -> list[Node]:
        lists = (node for node in self._document.entries() if is_sequence(node.value))
        return [entry for node in lists for entry in node.entries() if isinstance(entry.value, Mapping)]
