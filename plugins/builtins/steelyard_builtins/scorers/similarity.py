"""Similarity: the output is close enough to a wanted text, by its letters or its words. Nothing here knows meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import Ask, Benchmark, Case, Output, PluginContext, Problem, Score, Scorer, ScorerSpec, option, shown
from steelyard.errors import UsageError

from ._caseless import caseless, composed
from ._expected import check_text, wanted_text


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilaritySettings:
    """The options of similarity."""

    value: str | None = option(None, doc="The wanted text; by default the case's expected_output.")
    metric: Literal["ratio", "partial", "token_sort", "token_set", "levenshtein", "jaro_winkler"] = option(
        "ratio",
        doc="ratio and levenshtein compare letters, token_sort words in any order, token_set the words both have, "
        "partial the best part of the longer text, jaro_winkler names.",
    )
    ignore_case: bool = option(default=True, doc="Whether upper and lower case are the same.")
    threshold: float = option(0.8, doc="The similarity from which on it passes.", minimum=0, maximum=1)


class Similarity:
    """Compares by a measure from 0 (nothing alike) to 1 (the same)."""

    def __init__(self, settings: SimilaritySettings, compare: Callable[[str, str], float]) -> None:
        self._settings = settings
        self._compare = compare
        self._comparable = caseless if settings.ignore_case else composed

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the similarity reaches the threshold."""
        del ask
        wanted = wanted_text(self._settings.value, case)
        texts = [self._comparable(text.strip()) for text in (output.text, wanted)]
        # An empty output is like nothing, whatever a measure makes of it.
        value = min(max(self._compare(*texts), 0.0), 1.0) if all(texts) else float(texts[0] == texts[1])
        reason = f"{self._settings.metric} {value:.3f} to {shown(wanted)}"
        return Score(value=value, passed=value >= self._settings.threshold, reason=reason)

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a case without a text to compare with."""
        del benchmark
        return check_text(self._settings.value, case, "similarity")


def create(settings: SimilaritySettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` when the package with the measures is missing."""
    del context
    try:
        from ._similarity_measures import MEASURES  # noqa: PLC0415 - imports rapidfuzz
    except ImportError as error:
        raise UsageError("similarity: needs the package 'rapidfuzz'; install it beside steelyard") from error
    return Similarity(settings, MEASURES[settings.metric])


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[SimilaritySettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="similarity",
            summary="Output is close to the wanted text",
            settings=SimilaritySettings,
            create=create,
        )
    ]
