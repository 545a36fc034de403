"""What is wrong with the options that a plugin declares costs that plugin alone, and is said when it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, make_dataclass
from pathlib import Path
from typing import Any

import pytest

from steelyard._session.option_checks import OWN
from steelyard.api import CacheSpec, NoSettings, ProviderSpec, ReporterSpec, ScorerSpec, ScorerUse, option
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


def settings(*names: str) -> type[Any]:
    return make_dataclass("Settings", [(name, int, option(0, doc="A number.")) for name in names], frozen=True)


OF_MODELS = [
    *("id", "model", "provider"),
    *("temperature", "max_tokens", "seed", "params"),
    *("timeout", "retries", "retry_backoff", "cache", "pricing"),
]
OF_SCORERS = ["name", "negate", "turn", "type", "weight"]


@pytest.mark.parametrize(
    ("kind", "name", "where"),
    [
        *(("provider", name, "of every model") for name in OF_MODELS),
        *(("scorer", name, "of every entry of 'scorers'") for name in OF_SCORERS),
    ],
)
def test_an_option_that_would_never_get_its_value_breaks_its_plugin(
    tmp_path: Path, kind: str, name: str, where: str
) -> None:
    (found,) = why(tmp_path, spec(kind, settings("fine", name)))

    assert found.endswith(f"option {name!r} belongs to the host, which has one {where}; give yours another name")


@pytest.mark.parametrize("kind", SPECS)
def test_keys_that_begin_with_an_underscore_are_the_user_s(tmp_path: Path, kind: str) -> None:
    (found,) = why(tmp_path, spec(kind, settings("_mine")))

    assert found.endswith("option '_mine': keys that begin with '_' are the user's own; give it another name")


@pytest.mark.parametrize(
    ("kind", "names"),
    [("scorer", ("threshold", *OF_MODELS[3:])), ("provider", OF_SCORERS), ("cache", ("type", "timeout"))],
)
def test_names_that_are_the_host_s_elsewhere_are_free(tmp_path: Path, kind: str, names: tuple[str, ...]) -> None:
    assert why(tmp_path, spec(kind, settings(*names))) == [""]


def test_what_the_host_takes_from_a_scorer_is_what_it_keeps_of_its_use() -> None:
    kept = {field.name for field in fields(ScorerUse)} - {"options", "place"}

    assert OWN["scorer"] | {"threshold"} == kept


@pytest.mark.parametrize("kind", ["provider", "scorer"])
def test_the_reference_names_every_key_that_is_the_host_s(kind: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "api.md").read_text("utf-8")
    (row,) = re.findall(rf"^#+ `{SPECS[kind].__name__}`.*?^(\| `settings` .*?)$", page, flags=re.DOTALL | re.MULTILINE)

    assert set(re.findall(r"`(\w+)`", row)) >= OWN[kind]  # type: ignore[index] # a kind
