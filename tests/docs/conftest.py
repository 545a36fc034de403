"""Where the documentation is, and the scripts that make parts of it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def docs() -> Path:
    """The folder of the documentation."""
    return ROOT / "docs"


@pytest.fixture(scope="session")
def scripts():
    """The modules in docs/build that a test looks into."""
    folder = str(ROOT / "docs" / "build")
    sys.path.insert(0, folder)
    try:
        return SimpleNamespace(
            api_dump=importlib.import_module("api_dump"),
            generate=importlib.import_module("generate"),
            menus=importlib.import_module("site_menus"),
            markup=importlib.import_module("reference.markup"),
            parts=importlib.import_module("pages_with_parts"),
            prose=importlib.import_module("reference.prose"),
            website=importlib.import_module("website"),
        )
    finally:
        sys.path.remove(folder)


@pytest.fixture
def page(docs):
    """Read a page of the documentation."""
    return lambda name: (docs / name).read_text("utf-8")


@pytest.fixture
def section(page):
    """Read what stands under a heading, up to the next one of the same level."""

    def read(name: str, title: str) -> str:
        level = title.split(" ", maxsplit=1)[0]
        _, found, rest = page(name).partition(f"\n{title}\n")
        assert found, f"{name}: no heading {title!r}"
        return rest.partition(f"\n{level} ")[0]

    return read
