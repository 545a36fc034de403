"""What the documentation shows is run: each page in a folder of its own, its blocks from top to bottom.

- ``console``: lines that begin with ``$ `` are run in a shell, the lines below are what must be printed. ``...`` stands
  for any text. ``[exit 1]`` on a line of its own names an exit code that is not 0.
- A block whose first line is ``# file: NAME`` (or ``<!-- file: NAME -->``) is written to that file.
- ``python``: run, with the output of ``print`` unchecked unless a ``text`` block follows.
- ``yaml``, ``json``, ``toml``: parsed.
- A block after ``<!-- not run: REASON -->`` is left alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```[ ]*$", re.M | re.S)
NOT_RUN = re.compile(r"<!-- not run: (?P<reason>[^\n]+) -->\s*$")
FILE = re.compile(r"^(?:#|<!--) file: (?P<name>\S+)(?: -->)?\n")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    body: str
    reason_not_run: str | None

    @property
    def file(self) -> str | None:
        found = FILE.match(self.body)
        return found["name"] if found else None

    @property
    def content(self) -> str:
        return FILE.sub("", self.body)

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Every page of the documentation that is written by hand."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if "design" not in page.parts and "changelog.d" not in page.parts]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        before = text[: match.start()].rstrip()
        not_run = NOT_RUN.search(before)
        indent = match["indent"]
        body = "".join(line.removeprefix(indent) for line in match["body"].splitlines(keepends=True))
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, match["info"].split(" ")[0], body, not_run["reason"] if not_run else None))
    return found


@dataclass
class Desk:
    """The folder that a page is tried out in."""

    folder: Path

    def run(self, command: str) -> tuple[int, str]:
        """Run a command as a reader would type it; return its exit code and what it printed."""
        environ = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        environ |= {
            "PATH": str(Path(sys.executable).parent) + os.pathsep + environ.get("PATH", ""),
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / ".config"),
            "NO_COLOR": "1",
            "PYTHONUTF8": "1",
            "COLUMNS": "120",
        }
        done = subprocess.run(  # noqa: PLW1510 - the exit code is part of what a page shows
            ["bash", "-c", command],
            cwd=self.folder,
            env=environ,
            text=True,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        return done.returncode, done.stdout


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    shutil.copytree(ROOT / "benchmarks", tmp_path / "benchmarks", ignore=shutil.ignore_patterns("speed"))
    return Desk(tmp_path)


def commands(body: str) -> list[tuple[str, int, list[str]]]:
    """Split a console block into commands, the exit code each must have, and the lines each must print."""
    found: list[tuple[str, int, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], 0, []))
        elif found and found[-1][0].endswith("\\"):
            command, code, wanted = found[-1]
            found[-1] = (command[:-1] + line, code, wanted)
        elif found and (code := re.fullmatch(r"\[exit (\d+)\]", line)):
            found[-1] = (found[-1][0], int(code[1]), found[-1][2])
        elif found:
            found[-1][2].append(line)
    return found


def matches(wanted: list[str], printed: str) -> bool:
    """Whether what was printed is what the page shows; blanks at line ends do not count."""
    pattern = re.escape("\n".join(line.rstrip() for line in wanted).strip()).replace(r"\.\.\.", r"[\s\S]*?")
    text = "\n".join(line.rstrip() for line in printed.splitlines()).strip()
    return re.fullmatch(pattern, text) is not None


PAGES = pages()


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_what_a_page_shows_is_what_happens(page: Path, desk: Desk) -> None:
    output = ""
    for block in blocks(page):
        if block.reason_not_run:
            continue
        if block.file:
            path = desk.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.content, encoding="utf-8")
        elif block.language == "console":
            for command, code, wanted in commands(block.body):
                found_code, printed = desk.run(command)
                assert found_code == code, f"{block}: $ {command}\nexit {found_code}, wanted {code}\n{printed}"
                assert not wanted or matches(wanted, printed), f"{block}: $ {command}\nprinted:\n{printed}"
        elif block.language == "python":
            (desk.folder / "_example.py").write_text(block.body, encoding="utf-8")
            code, output = desk.run(f"{sys.executable} _example.py")
            assert code == 0, f"{block}:\n{output}"
        elif block.language == "text":
            assert not output or matches(block.body.splitlines(), output), f"{block}: printed\n{output}"
        else:
            parse(block.language, block.body, str(block))


def parse(language: str, body: str, where: str) -> Any:
    if language == "yaml":
        return yaml.safe_load(body)
    if language == "json":
        return json.loads(body)
    if language == "toml":
        import tomllib

        return tomllib.loads(body)
    assert language in {"mermaid"}, f"{where}: a block of language {language!r} is neither run nor parsed; say why"
    return None


LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for match in LINK.finditer(text):
        target, _, anchor = match["target"].partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), f"{page.name}: {match['target']} leads nowhere"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors(linked), f"{page.name}: {match['target']}: no such heading"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
