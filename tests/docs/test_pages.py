from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT, Desk, blocks, commands, matches, pages  # type: ignore[import-not-found]

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
