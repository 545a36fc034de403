"""Max words: the output is short enough. Words are what white space separates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import Ask, Case, Output, PluginContext, Score, Scorer, ScorerSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxWordsSettings:
    """The options of max words."""

    value: int = option(doc="The most words that the output may have.", minimum=0)


class MaxWords:
    """Counts words. Beyond the limit the score falls as the limit's share of the count."""

    def __init__(self, settings: MaxWordsSettings) -> None:
        self._limit = settings.value

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when there are no more words than allowed."""
        del case, ask
        count = len(output.text.split())
        passed = count <= self._limit
        value = 1.0 if passed else self._limit / count
        return Score(
            value=value, passed=passed, reason=f"{count} word{'' if count == 1 else 's'} (at most {self._limit})"
        )


def create(settings: MaxWordsSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    return MaxWords(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[MaxWordsSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="max_words",
            summary="Output has no more words than allowed",
            settings=MaxWordsSettings,
            create=create,
            inline=True,
        )
    ]
