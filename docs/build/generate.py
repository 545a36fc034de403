"""Write every page that is made from code; with ``--check`` say which are out of date instead.

Run from anywhere: ``python docs/build/generate.py``. Needs the package itself to be importable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

import api_dump
from pages_with_parts import pages_with_parts
from reference import PAGES

COMMAND = "python docs/build/generate.py"
"""What renews the pages, as messages name it."""


def pages() -> Mapping[str, Callable[[], str]]:
    """Return what makes each page, by its path from the root."""
    return {**PAGES, **pages_with_parts()}


def write() -> None:
    """Write the pages that have changed."""
    for name, made in pages().items():
        path, text = api_dump.ROOT / name, made()
        if not path.is_file() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    api_dump.main([])


def stale() -> list[str]:
    """Return the pages that are not what the code says, by their paths from the root."""
    found = []
    for name, made in pages().items():
        path = api_dump.ROOT / name
        if not path.is_file() or path.read_text("utf-8") != made():
            found.append(name)
    return found


def check() -> int:
    """Name the pages that are out of date, and return 1 if there are any."""
    found = stale()
    for name in found:
        sys.stderr.write(f"{name}: is out of date; run '{COMMAND}'\n")
    return max(int(bool(found)), api_dump.main(["--check"]))


def main(arguments: list[str]) -> int:
    """Write, or check."""
    parser = argparse.ArgumentParser(description="Write the pages that are made from code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is out of date")
    if parser.parse_args(arguments).check:
        return check()
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
