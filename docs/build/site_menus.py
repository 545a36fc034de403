"""A hook of MkDocs: pages that ``mkdocs.yml`` does not name stand at the end of the menu of their folder.

So whoever writes a page need not touch the menus; whoever cares about the order can.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

Entry = Any
"""A page's path, or a mapping from a title to a path or to entries: what ``nav`` holds."""


def on_config(config: Any) -> Any:
    """Fill the menus; MkDocs calls this when it has read its configuration."""
    config["nav"] = filled(config["nav"], Path(config["docs_dir"]))
    return config


def filled(nav: list[Entry], docs: Path) -> list[Entry]:
    """Return menus in which every page of their folders has a place."""
    return [{title: _filled(entries, docs) for title, entries in one.items()} for one in nav]


def _filled(entries: Entry, docs: Path) -> Entry:
    if not isinstance(entries, list):
        return entries
    folder = docs / Path(str(entries[0])).parent
    pages = sorted(path.relative_to(docs).as_posix() for path in folder.glob("*.md"))
    return [*entries, *(page for page in pages if page not in entries)]
