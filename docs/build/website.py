"""Build the site, and fail at the first warning: a dead link, a page that no menu leads to, a missing heading.

``python docs/build/website.py`` checks; ``--into DIR`` keeps what was built. Needs ``pip install -e ".[docs]"``.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=[\"']?(?P<address>(?:https?:)?//[^\"'\s>]+)")
_ONLY_NAMED = re.compile(r"<link\b[^>]*rel=[\"']?canonical")


def build(folder: Path) -> int:
    """Build the pages into a folder and return the exit code."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode  # noqa: S603 - our own command


def foreign(folder: Path) -> Iterator[str]:
    """Name what pages would fetch from elsewhere when somebody reads them."""
    for page in sorted(folder.rglob("*.html")):
        for found in _LOADED.finditer(page.read_text("utf-8")):
            if not _ONLY_NAMED.match(found[0]):
                yield f"{page.relative_to(folder)}: fetches {found['address']}"


def checked(folder: Path) -> int:
    """Build into a folder, look at what was built, and return the exit code."""
    if find_spec("mkdocs") is None:
        sys.stderr.write("mkdocs is not installed; run 'pip install -e \".[docs]\"'\n")
        return 1
    code = build(folder)
    fetched = list(foreign(folder)) if code == 0 else []
    for line in fetched:
        sys.stderr.write(f"{line}\n")
    return code or int(bool(fetched))


def main(arguments: list[str]) -> int:
    """Build the site."""
    parser = argparse.ArgumentParser(description="Build the documentation, with warnings as errors.")
    parser.add_argument("--into", type=Path, metavar="DIR", help="keep the pages here; otherwise they are only checked")
    options = parser.parse_args(arguments)
    if options.into is not None:
        return checked(options.into.resolve())
    with tempfile.TemporaryDirectory() as folder:
        return checked(Path(folder))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
