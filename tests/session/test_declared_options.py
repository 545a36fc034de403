"""What is wrong with the options that a plugin declares costs that plugin alone, and is said when it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from steelyard.api import CacheSpec, NoSettings, ProviderSpec, ReporterSpec, ScorerSpec, option
from steelyard.session import open_session
from steelyard.testing.sessions import ComponentsOfTheTest

SPECS = {"provider": ProviderSpec, "scorer": ScorerSpec, "reporter": ReporterSpec, "cache": CacheSpec}


@dataclass(frozen=True, kw_only=True)
class ListSettings:
    words: list[str] = option(doc="Which.", default_factory=list)


def spec(kind: str, settings: type[Any], name: str = "odd") -> Any:
    return SPECS[kind](name=name, summary="Odd", settings=settings, create=lambda *_: None)


def why(folder: Path, *specs: Any) -> list[str]:
    """Return what is wrong with the plugins that offer each of these."""
    session = open_session(
        cwd=folder, environ={}, plugins=[ComponentsOfTheTest([one]) for one in specs], discover=False
    )
    return [plugin.why for plugin in session.plugins]


@pytest.mark.parametrize("kind", SPECS)
def test_a_plugin_with_an_option_that_no_file_can_give_is_broken_and_the_others_are_not(
    tmp_path: Path, kind: str
) -> None:
    found = why(tmp_path, spec(kind, ListSettings), spec(kind, NoSettings, "fine"))

    assert found == [
        f"registering: steelyard_register_{kind}s: {SPECS[kind].__name__} 'odd': "
        "option 'words': an option cannot be of the type list[str]; use tuple[str, ...]",
        "",
    ]


def test_the_schema_of_the_others_can_be_had(tmp_path: Path) -> None:
    plugin = ComponentsOfTheTest([spec("scorer", ListSettings), spec("provider", ListSettings)])
    session = open_session(cwd=tmp_path, environ={}, plugins=[plugin])

    assert "'exact_match'" in repr(session.formats.schema())
    assert [plugin.name for plugin in session.plugins if plugin.state != "ok"] == ["ComponentsOfTheTest"]
