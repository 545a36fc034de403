"""Readability: the output is as easy to read as its readers need it, by Flesch's formulas for English."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import Ask, Case, Output, PluginContext, Score, Scorer, ScorerSpec, option
from steelyard.errors import UsageError

from .counting import Counts, count
from .formulas import MEASURES


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadabilitySettings:
    """The options of readability."""

    measure: Literal["ease", "grade"] = option(
        "ease", doc="ease: Flesch reading ease, higher is easier; grade: Flesch-Kincaid grade, lower is easier."
    )
    at_least: float | None = option(None, doc="The lowest value that passes.")
    at_most: float | None = option(None, doc="The highest value that passes.")


class Readability:
    """Measures a text and compares the value with bounds."""

    def __init__(self, settings: ReadabilitySettings) -> None:
        self._settings = settings
        self._measure = MEASURES[settings.measure]

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the value is within the bounds."""
        del case, ask
        counts = count(output.text)
        if not counts.words:
            return Score(value=0.0, passed=False, reason="there is no word to read")
        value = self._measure.formula(counts)
        distance = self._distance(value)
        return Score(
            value=max(0.0, 1.0 - distance / self._measure.span),
            passed=distance == 0,
            reason=f"{self._measure.name} {value:.1f}, wanted {self._wanted()} ({_described(counts)})",
            details={
                "value": value,
                "words": counts.words,
                "sentences": counts.sentences,
                "syllables": counts.syllables,
            },
        )

    def _distance(self, value: float) -> float:
        low, high = self._settings.at_least, self._settings.at_most
        if low is not None and value < low:
            return low - value
        return value - high if high is not None and value > high else 0.0

    def _wanted(self) -> str:
        bounds = {"at least": self._settings.at_least, "at most": self._settings.at_most}
        return " and ".join(f"{name} {bound:g}" for name, bound in bounds.items() if bound is not None)


def create(settings: ReadabilitySettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` for bounds between which nothing lies."""
    del context
    low, high = settings.at_least, settings.at_most
    if low is None and high is None:
        raise UsageError("readability: give 'at_least', 'at_most' or both; without a bound every text passes")
    if low is not None and high is not None and low > high:
        raise UsageError(f"readability: 'at_least' {low:g} is above 'at_most' {high:g}; no text lies between them")
    return Readability(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[ReadabilitySettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="readability",
            summary="Output is as easy to read as wanted",
            settings=ReadabilitySettings,
            create=create,
            inline=True,
        )
    ]


def _described(counts: Counts) -> str:
    return f"{counts.words} words, {counts.sentences} sentences, {counts.syllables} syllables"
