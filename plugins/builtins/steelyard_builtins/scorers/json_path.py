"""JSON path: one place of the output's JSON holds the wanted value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import (
    Ask,
    Case,
    JsonValue,
    Output,
    PluginContext,
    Score,
    Scorer,
    ScorerSpec,
    is_sequence,
    option,
    shown,
)
from steelyard.errors import UsageError

from ._json_answer import read_answer
from ._json_path import Path, follow, read_path


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonPathSettings:
    """The options of JSON path."""

    path: str = option(doc="Where to look: $.items[0].name")
    value: JsonValue = option(
        None,
        doc="The wanted value; by default the case's expected_output. With neither, any value will do.",
    )
    exists: bool = option(default=False, doc="Whether any value will do, as long as there is one.")
    extract: bool = option(default=True, doc="Whether JSON inside code fences or prose counts.")


class JsonPath:
    """Compares one value of an answer."""

    def __init__(self, settings: JsonPathSettings, path: Path) -> None:
        self._settings = settings
        self._path = path

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the wanted value stands at the path."""
        del ask
        try:
            found = follow(read_answer(output.text, extract=self._settings.extract), self._path)
        except (ValueError, LookupError) as error:
            return Score(value=0.0, passed=False, reason=f"{self._settings.path}: {error.args[0]}")
        wanted = case.expected if self._settings.value is None else self._settings.value
        if self._settings.exists or wanted is None:
            return Score(value=1.0, passed=True, reason=f"{self._settings.path} is {shown(found)}")
        passed = same(found, wanted)
        said = f"{self._settings.path} is {shown(found)}"
        return Score(value=float(passed), passed=passed, reason=said if passed else f"{said}, expected {shown(wanted)}")


def same(first: JsonValue, second: JsonValue) -> bool:
    """Whether two values are the same JSON: 1 and 1.0 are, 1 and true are not, the order of keys is nothing."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same(value, second[key]) for key, value in first.items())
    if is_sequence(first) and is_sequence(second):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


def create(settings: JsonPathSettings, context: PluginContext) -> Scorer:
    """Read the path. Raises ``UsageError`` when it is none."""
    del context
    try:
        return JsonPath(settings, read_path(settings.path))
    except ValueError as error:
        raise UsageError(f"json_path: 'path' {error}") from error


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[JsonPathSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="json_path",
            summary="One place of the output's JSON holds the wanted value",
            settings=JsonPathSettings,
            create=create,
            inline=True,
        )
    ]
