"""Pages written by hand that hold parts made from files: printed files, the list of design notes, the changelog."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from api_dump import ROOT
from reference.markup import heading, page

DOCS = ROOT / "docs"

_PRINTED = re.compile(
    r"(?P<mark><!-- printed: (?P<source>\S+) as (?P<name>\S+) -->\n+)```(?P<language>\w+)\n.*?^```$",
    re.DOTALL | re.MULTILINE,
)
_NOTES_MARK = "<!-- The list below is made by docs/build/generate.py. -->\n"
_KINDS = {"added": "Added", "changed": "Changed", "deprecated": "Deprecated", "removed": "Removed", "fixed": "Fixed"}


def pages_with_parts() -> Mapping[str, Callable[[], str]]:
    """Return what makes each of these pages, by its path from the root."""
    printing = {path.relative_to(ROOT).as_posix(): partial(_with_printed_files, path) for path in _printing()}
    return {
        "docs/changelog.md": changelog_page,
        "docs/design/README.md": design_notes_page,
        **printing,
    }


def _printing() -> Iterator[Path]:
    for path in sorted(DOCS.rglob("*.md")):
        if _PRINTED.search(path.read_text("utf-8")):
            yield path


def _with_printed_files(path: Path) -> str:
    """Return a page with the files that it prints as they are now."""

    def printed(found: re.Match[str]) -> str:
        body = (ROOT / found["source"]).read_text("utf-8").rstrip("\n")
        return f"{found['mark']}```{found['language']}\n# file: {found['name']}\n{body}\n```"

    return _PRINTED.sub(printed, path.read_text("utf-8"))


def design_notes_page() -> str:
    """Return the page about design notes with a list of them all."""
    path = DOCS / "design" / "README.md"
    text = path.read_text("utf-8").partition(_NOTES_MARK)[0].rstrip("\n")
    notes = [f"- [{_title(note)}]({note.name})" for note in sorted(path.parent.glob("[0-9]*.md"))]
    return "\n".join([text, "", _NOTES_MARK, *notes, ""])


def _title(path: Path) -> str:
    first = next(line for line in path.read_text("utf-8").splitlines() if line.startswith("# "))
    return first.removeprefix("# ").strip()


def changelog_page() -> str:
    """Return the changelog: what is not released yet, then the versions, the newest first.

    A change is a file ``docs/changelog.d/TOPIC.KIND.md``; a release moves the files into a folder named by its version.
    """
    folder = DOCS / "changelog.d"
    versions = sorted((one for one in folder.iterdir() if one.is_dir()), key=_by_version, reverse=True)
    parts = [*_changes(folder, "Not released yet"), *(part for one in versions for part in _changes(one, one.name))]
    return page("Changelog", "docs/changelog.d", *parts)


def _changes(folder: Path, title: str) -> Iterator[str]:
    fragments = sorted(folder.glob("*.md"))
    unknown = [path.name for path in fragments if _kind(path) not in _KINDS]
    if unknown:
        raise SystemExit(f"{folder / unknown[0]}: a change is named TOPIC.KIND.md; KIND is one of {', '.join(_KINDS)}")
    if fragments:
        yield heading(2, title)
    for kind, name in _KINDS.items():
        found = [path.read_text("utf-8").strip() for path in fragments if _kind(path) == kind]
        if found:
            yield heading(3, name)
            yield "\n".join("- " + text.replace("\n", "\n  ") for text in found)


def _kind(path: Path) -> str:
    return path.name.removesuffix(".md").rpartition(".")[2]


def _by_version(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path.name))
