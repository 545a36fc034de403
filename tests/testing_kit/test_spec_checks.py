"""The kit finds what is wrong with the options that a component declares, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from steelyard.api import NOTHING, CacheSpec, JsonMapping, ProviderSpec, ReporterSpec, ScorerSpec, option
from steelyard.testing import spec_checks

PROMISE = "a file can give every option and every default"


@dataclass(frozen=True, kw_only=True)
class Part:
    share: float = option(0.5, doc="A share.", minimum=0, maximum=1)


@dataclass(frozen=True, kw_only=True)
class RightSettings:
    text: str = option(doc="Without a default.")
    note: str | None = option(None, doc="None is allowed here.")
    share: float = option(1, doc="A whole number is a number.", minimum=0, maximum=1)
    mode: Literal["all", "any"] = option("all", doc="One of two.")
    words: tuple[str, ...] = option((), doc="A list.")
    headers: Mapping[str, str] = option(doc="A mapping.", default_factory=lambda: {"a": "b"})
    args: JsonMapping = option(doc="Anything.", default_factory=lambda: NOTHING)
    part: Part = option(Part(share=0), doc="A part.")
    parts: tuple[Part, ...] = option((Part(), Part(share=1)), doc="Parts.")


def spec(settings: Any, kind: Any = ScorerSpec) -> Any:
    return kind(name="one", summary="One", settings=settings, create=lambda *_: None)


def said(settings: Any, kind: Any = ScorerSpec) -> dict[str, str]:
    """Return the promises that a spec breaks, with what is said of each."""
    found = {}
    for check in spec_checks(spec(settings, kind)):
        try:
            check()
        except AssertionError as error:
            found[str(check)] = str(error)
    return found


def test_right_options_break_no_promise() -> None:
    assert said(RightSettings) == {}


def settings(hint: Any, default: Any, **more: Any) -> type[Any]:
    class Settings:
        __annotations__ = {"at": hint}
        at = option(doc="At.", default_factory=lambda: default, **more)

    return dataclass(frozen=True)(Settings)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (settings(str, 7), "option 'at': its default must be text, got 7"),
        (settings(str, None), "option 'at': its default must be text, got null"),
        (settings(str, Path("x")), "option 'at': its default must be text"),
        (settings(int, 0, minimum=1), "option 'at': its default must be a whole number of at least 1, got 0"),
        (settings(float, 2, maximum=1), "option 'at': its default must be a number of at most 1, got 2"),
        (settings(int, 1.5), "option 'at': its default must be a whole number, got 1.5"),
        (settings(Literal["all", "any"], "none"), "option 'at': its default must be one of 'all', 'any', got 'none'"),
        (settings(tuple[str, ...], ("a", 1)), "option 'at': its default[1] must be text, got 1"),
        (settings(Mapping[str, int], {"a": "b"}), "option 'at': its default.a must be a whole number, got 'b'"),
        (settings(Part, Part(share=2)), "option 'at': its default.share must be a number from 0 to 1, got 2"),
        (settings(tuple[settings(int, "x"), ...], ()), "at: option 'at': its default must be a whole number, got 'x'"),
        (settings(list[str], []), "option 'at': an option cannot be of the type list[str]; use tuple[str, ...]"),
    ],
)
def test_a_default_that_no_file_could_give_is_found(declared: Any, message: str) -> None:
    found = said(declared)

    assert list(found) == [PROMISE]
    assert found[PROMISE].startswith(message)


def test_a_wrong_default_of_a_secret_option_is_not_shown() -> None:
    assert said(settings(str, 1234567, secret=True)) == {PROMISE: "option 'at': its default must be text"}


def test_a_default_that_cannot_be_made_is_found() -> None:
    @dataclass(frozen=True)
    class Settings:
        at: str = option(doc="At.", default_factory=lambda: {}["x"])

    assert said(Settings) == {PROMISE: "option 'at': its default_factory fails: KeyError: 'x'"}


@dataclass(frozen=True)
class Timeout:
    timeout: float = option(5.0, doc="Seconds.")


@pytest.mark.parametrize(("kind", "found"), [(ProviderSpec, [PROMISE]), (CacheSpec, []), (ReporterSpec, [])])
def test_a_name_that_is_the_host_s_is_found(kind: Any, found: list[str]) -> None:
    assert list(said(Timeout, kind)) == found
