"""Which types an option may have, and what is said of the others: the type as written, and what to use instead."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

import pytest

from steelyard._config.option_faults import type_fault
from steelyard._config.option_schema import schema_of
from steelyard.api import JsonMapping, JsonValue

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True)
class Frozen:
    at: float = 0.0


@dataclass
class Thawed:
    at: float = 0.0


@dataclass(frozen=True)
class Inner:
    words: list[str]


@dataclass(frozen=True)
class OfItself:
    inner: OfItself | None = None


@dataclass(frozen=True)
class NamesAnImportForCheckers:
    amount: Decimal


class Colour(enum.Enum):
    RED = "red"
    TWO = 2


class Typed(TypedDict):
    at: int


class Point(NamedTuple):
    at: int


def settings(hint: Any) -> type[Any]:
    return make_dataclass("Settings", [("words", hint)], frozen=True)


@pytest.mark.parametrize(
    "hint",
    [
        str,
        int,
        float,
        bool,
        tuple[str, ...],
        Sequence[int],
        Mapping[str, float],
        Literal["a", 1],
        Frozen,
        tuple[Frozen, ...],
        JsonValue,
        JsonMapping,
        Any,
        str | tuple[str, ...] | None,
    ],
)
def test_these_types_are_supported_and_described(hint: Any) -> None:
    assert type_fault(settings(hint)) is None
    assert schema_of(settings(hint))["required"] == ["words"]


@pytest.mark.parametrize(
    ("hint", "said", "advice"),
    [
        (list[str], "list[str]", "use tuple[str, ...]"),
        (list[str] | None, "list[str]", "use tuple[str, ...]"),
        (list, "list", "use tuple[str, ...]"),
        (Sequence, "Sequence", "use tuple[str, ...]"),
        (set[Path], "set[Path]", "use tuple[str, ...]"),
        (Iterable[Frozen], "Iterable[Frozen]", "use tuple[Frozen, ...]"),
        (tuple[str, int], "tuple[str, int]", "use tuple[str | int, ...]"),
        (dict[str, int], "dict[str, int]", "use Mapping[str, int]"),
        (dict, "dict", "use Mapping[str, JsonValue]"),
        (Mapping, "Mapping", "use Mapping[str, JsonValue]"),
        (Mapping[int, str], "Mapping[int, str]", "use Mapping[str, str]"),
        (dict[str, Path], "dict[str, Path]", "use Mapping[str, JsonValue]"),
        (Path, "Path", "use str, and convert it in 'create'"),
        (datetime.date, "date", "use str, and convert it in 'create'"),
        (bytes, "bytes", "use str, and convert it in 'create'"),
        (Callable[[int], str], "Callable[[int], str]", "use str, and convert it in 'create'"),
        (object, "object", "use JsonValue"),
        (Colour, "Colour", "use Literal['red', 2], and convert it in 'create'"),
        (Typed, "Typed", "make it a frozen dataclass"),
        (Point, "Point", "make it a frozen dataclass"),
        (Thawed, "Thawed", "make the dataclass frozen"),
    ],
)
def test_another_type_is_named_with_what_to_use(hint: Any, said: str, advice: str) -> None:
    assert type_fault(settings(hint)) == f"option 'words': an option cannot be of the type {said}; {advice}"


def test_an_option_of_nested_settings_is_found_by_the_options_that_lead_to_it() -> None:
    fault = "option 'nested': option 'words': an option cannot be of the type list[str]; use tuple[str, ...]"

    assert type_fault(make_dataclass("Outer", [("nested", tuple[Inner, ...])], frozen=True)) == fault


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (OfItself, "an option may not be of the type of the settings that it stands in"),
        (
            NamesAnImportForCheckers,
            "the types of its options cannot be read: name 'Decimal' is not defined; "
            "import it at the top of the module, not under TYPE_CHECKING",
        ),
    ],
)
def test_types_that_cannot_be_read_are_said_too(kind: type[Any], said: str) -> None:
    assert type_fault(kind) == said
